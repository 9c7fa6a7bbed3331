"""chunk, for calls: the transcript cut by turns and time, and what is worth noting about the call as fields."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from towpath.model.content import Field
from towpath.model.encode import dump_chunks, dump_fields
from towpath.model.encode_call import load_report, load_transcript
from towpath.model.transcript import CallReport, Transcript
from towpath.model.work import Done, Outcome
from towpath.model.writes import KeepArtifact
from towpath.providers.tokens import estimate
from towpath.stages.artifact import store
from towpath.stages.capabilities import Compute, document_of, result_of
from towpath.stages.contract import Context
from towpath.stages.turns import cut_turns
from towpath.storage.contract import BlobStore


async def chunk_call(context: Context, *, blobs: BlobStore, compute: Compute) -> Outcome:
    transcript = str(result_of(context, "transcribe_poll")["transcript"])
    report = load_report(await blobs.get(str(result_of(context, "analyze")["analysis"])))
    async with blobs.as_file(transcript) as path:
        chunks, speakers, words = await compute.run(cut_file, str(path), context.document_id, seconds=120)
    recording = result_of(context, "extract_audio")
    seconds = float(str(recording["seconds"]))
    facts = list(_fields(report, seconds, speakers))
    warnings = [*_list(recording["warnings"]), *([report.warning] if report.warning else [])]
    summary: dict[str, object] = {
        "title": document_of(context)["name"],
        "seconds": seconds,
        "speakers": len(speakers) or None,
        "words": words,
        "chunks": chunks[0],
        "engine": result_of(context, "transcribe_start")["model"],
        "warnings": warnings,
    }
    made: list[KeepArtifact] = []
    result: dict[str, object] = {"summary": summary}
    for kind, body in (("chunks", chunks[1]), ("fields", dump_fields(facts))):
        made.append(await store(context, blobs, kind, "json", "application/json", body))
        result[kind] = made[-1].key
    return Done(result, writes=made)


def cut_file(path: str, document_id: str) -> tuple[tuple[int, bytes], list[str], int]:
    """Runs in a child: the chunks of a stored transcript, its speakers and the number of its words."""
    transcript: Transcript = load_transcript(Path(path).read_bytes())
    chunks = cut_turns(document_id, transcript, estimate)
    words = sum(len(segment.text.split()) for segment in transcript.segments)
    speakers = sorted({segment.speaker for segment in transcript.segments if segment.speaker})
    return (len(chunks), dump_chunks(chunks)), speakers, words


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


def _list(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  (written by extract_audio)
