"""The call pipeline: seven stages from a recording to a searchable transcript, then the follow-up connect."""

from __future__ import annotations

from functools import partial

from towpath.connections.store import ConnectionStore
from towpath.model.poll_state import PollLimits
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.process_runner import ProcessRunner
from towpath.stages.analyze import analyze
from towpath.stages.capabilities import CallAnalyzer, Diarizer, Transcriber, WindowTranscriber
from towpath.stages.chunk_call import chunk_call
from towpath.stages.connect import connect
from towpath.stages.extract_audio import extract_audio
from towpath.stages.publish import publish
from towpath.stages.reembed import LibraryEmbedders, PublishedChunks, embed_for_library, reembed
from towpath.stages.support.call_audio import CallAudio
from towpath.stages.transcribe_poll import transcribe_poll
from towpath.stages.transcribe_start import transcribe_start

NAME = "call"
VERSION = 1
STAGES = ("extract_audio", "transcribe_start", "transcribe_poll", "analyze", "chunk", "embed", "publish")


def call_pipeline(
    *,
    call_audio: CallAudio,
    transcriber: WindowTranscriber | Transcriber,
    speaker_separator: Diarizer | None,
    poll_limits: PollLimits,
    slice_seconds: float,
    keep_original: bool,
    analyzer: CallAnalyzer,
    analyzer_poll_limits: PollLimits,
    embedders: LibraryEmbedders,
    published: PublishedChunks,
    compute: ProcessRunner,
    background_pool: ProcessRunner,
    connection_store: ConnectionStore,
    concurrency: int,
) -> Pipeline:
    blobs = call_audio.blobs
    poll = partial(
        transcribe_poll,
        call_audio=call_audio,
        transcriber=transcriber,
        speaker_separator=speaker_separator,
        poll_limits=poll_limits,
        slice_seconds=slice_seconds,
        keep_original=keep_original,
    )
    return Pipeline(
        NAME,
        VERSION,
        (
            StageEntry("extract_audio", partial(extract_audio, call_audio=call_audio)),
            StageEntry(
                "transcribe_start", partial(transcribe_start, call_audio=call_audio, transcriber=transcriber)
            ),
            StageEntry("transcribe_poll", poll),
            StageEntry(
                "analyze", partial(analyze, blobs=blobs, analyzer=analyzer, poll_limits=analyzer_poll_limits)
            ),
            StageEntry("chunk", partial(chunk_call, blobs=blobs, compute=compute)),
            StageEntry(
                "embed", partial(embed_for_library, blobs=blobs, embedders=embedders, concurrency=concurrency)
            ),
            StageEntry("publish", partial(publish, blobs=blobs, compute=compute)),
        ),
        follow_ups=(
            StageEntry(
                "connect",
                partial(
                    connect,
                    connection_store=connection_store,
                    compute=background_pool,
                ),
            ),
        ),
        maintenance=(
            StageEntry(
                "reembed",
                partial(
                    reembed,
                    blobs=blobs,
                    embedders=embedders,
                    published=published,
                    concurrency=concurrency,
                ),
            ),
        ),
    )
