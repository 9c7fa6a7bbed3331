"""chunk of a call: cuts the transcript into chunks by speaker turns and time, and makes the fields of the call."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from towpath.chunking.transcript_chunker import chunk_transcript
from towpath.model.codec import decode, encode, encode_chunks
from towpath.model.content import Field
from towpath.model.outcome import Done, Outcome
from towpath.model.transcript import CallReport, Transcript
from towpath.model.writes import KeepArtifact
from towpath.process_runner import InputFile, ProcessRunner
from towpath.providers.token_counter import estimate
from towpath.stages.capabilities import document_of, result_of
from towpath.stages.contract import Context
from towpath.stages.support.artifact import store_result
from towpath.storage.contract import BlobStore


async def chunk_call(context: Context, *, blobs: BlobStore, compute: ProcessRunner) -> Outcome:
    transcribed = result_of(context, "transcribe_poll")
    report = decode(await blobs.get(str(result_of(context, "analyze")["analysis"])), CallReport)
    async with blobs.as_file(str(transcribed["transcript"])) as path:
        chunk_count, chunks, speakers, words = await compute.run(
            chunk_transcript_file, InputFile(path), context.document_id, seconds=120
        )
    recording = result_of(context, "extract_audio")
    seconds = float(str(recording["seconds"]))
    fields = list(_fields(report, seconds, speakers))
    warnings = [*cast("list[str]", recording["warnings"]), *([report.warning] if report.warning else [])]
    summary: dict[str, object] = {
        "title": document_of(context)["name"],
        "seconds": seconds,
        "speakers": len(speakers) or None,
        "words": words,
        "chunks": chunk_count,
        "engine": result_of(context, "transcribe_start")["model"],
        "warnings": warnings,
    }
    artifacts: list[KeepArtifact] = []
    result: dict[str, object] = {"summary": summary, "content": transcribed["markdown"]}
    for kind, body in (("chunks", chunks), ("fields", encode(fields))):
        result[kind], stored = await store_result(context, blobs, kind, "json", "application/json", body)
        artifacts += stored
    return Done(result, writes=artifacts)


def chunk_transcript_file(path: str, document_id: str) -> tuple[int, bytes, list[str], int]:
    """Runs in a child process: the number of chunks, their JSON, the speakers and the number of words."""
    transcript = decode(Path(path).read_bytes(), Transcript)
    chunks = chunk_transcript(document_id, transcript, estimate)
    words = sum(len(segment.text.split()) for segment in transcript.segments)
    speakers = sorted({segment.speaker for segment in transcript.segments if segment.speaker})
    return len(chunks), encode_chunks(chunks, transcript.text), speakers, words


def _fields(report: CallReport, seconds: float, speakers: list[str]) -> Iterator[Field]:
    yield Field("duration", f"{seconds:.1f} s", "duration")
    for speaker in speakers:
        yield Field("speaker", speaker, "person")
    if report.analysis is None:
        return
    for topic in report.analysis.topics:
        yield Field("topic", topic, confidence=0.5)
    for item in report.analysis.action_items:
        owner = f"{item.owner}: " if item.owner else ""
        due = f" ({item.due})" if item.due else ""
        yield Field("action_item", f"{owner}{item.text}{due}", confidence=0.5)
