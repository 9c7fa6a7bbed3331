"""A pipeline of one stage that publishes the text of the run's options as a single chunk."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from towpath.model.content import Anchor, Chunk
from towpath.model.outcome import Done, Outcome
from towpath.model.writes import Publish
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.stages.contract import Context

STAGE = "publish_text"


def pipelines(_file: Path) -> Sequence[Pipeline]:
    return [Pipeline(STAGE, 1, (StageEntry(STAGE, publish_text),))]


async def publish_text(context: Context) -> Outcome:
    text = str(context.options["text"])
    chunk = Chunk(str(uuid.uuid5(uuid.UUID(context.document_id), text)), 0, text, 1, Anchor(0, 1))
    return Done(writes=[Publish([chunk], np.ones((1, 4), dtype="<f4"), "test", ())])
