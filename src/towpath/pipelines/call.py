"""The pipeline of calls: from a recording to a transcript that can be searched, and is then connected."""

from __future__ import annotations

from functools import partial

from towpath.pipelines.pipeline import Pipeline, Step
from towpath.providers.contract import Embedder
from towpath.stages.analyze import analyze
from towpath.stages.call_capabilities import Analyst, Listener, Patience, Transcriber
from towpath.stages.capabilities import Compute, Library
from towpath.stages.chunk_call import chunk_call
from towpath.stages.connect import connect
from towpath.stages.embed import embed
from towpath.stages.extract_audio import Tape, extract_audio
from towpath.stages.publish import publish
from towpath.stages.transcribe import transcribe_poll, transcribe_start

NAME = "call"
VERSION = 1
STAGES = ("extract_audio", "transcribe_start", "transcribe_poll", "analyze", "chunk", "embed", "publish")


def call_pipeline(
    *,
    tape: Tape,
    ears: Listener | Transcriber,
    patience: Patience,
    turn_seconds: float,
    keep_original: bool,
    analyst: Analyst,
    analyst_patience: Patience,
    embedder: Embedder,
    compute: Compute,
    aside: Compute,
    library: Library,
    side_by_side: int,
) -> Pipeline:
    blobs = tape.blobs
    poll = partial(
        transcribe_poll,
        tape=tape,
        ears=ears,
        patience=patience,
        turn_seconds=turn_seconds,
        keep_original=keep_original,
    )
    return Pipeline(
        NAME,
        VERSION,
        (
            Step("extract_audio", partial(extract_audio, tape=tape)),
            Step("transcribe_start", partial(transcribe_start, tape=tape, ears=ears)),
            Step("transcribe_poll", poll),
            Step("analyze", partial(analyze, blobs=blobs, analyst=analyst, patience=analyst_patience)),
            Step("chunk", partial(chunk_call, blobs=blobs, compute=compute)),
            Step("embed", partial(embed, blobs=blobs, embedder=embedder, side_by_side=side_by_side)),
            Step("publish", partial(publish, blobs=blobs)),
        ),
        follow_ups=(Step("connect", partial(connect, library=library, compute=aside, model=embedder.model)),),
    )
