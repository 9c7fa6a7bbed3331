"""Declares the shipped stages with their inputs and outputs, and the shipped pipelines as lists of stage names."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from towpath.model.stage_declaration import (
    ANALYSIS,
    AUDIO,
    CHUNKS,
    CONNECTIONS,
    EXTRACTION,
    OPERATION,
    PUBLISHED,
    TEXT,
    TRANSCRIPT,
    VECTORS,
    StageDeclaration,
)
from towpath.pipelines.stage_labels import STAGE_LABELS

#: Available if the settings name a field extractor; then also a follow-up of the document pipeline.
EXTRACT_FIELDS = "extract_fields"
#: The variant of a stage that works on calls.
CALL = "call"


def _shipped(
    name: str, inputs: tuple[str, ...], outputs: tuple[str, ...], variant: str = ""
) -> StageDeclaration:
    return StageDeclaration(name, inputs, outputs, 1, STAGE_LABELS[name], variant=variant)


#: The shipped stages; two of them are called `chunk`, and the data before it decides which one is used.
SHIPPED: tuple[StageDeclaration, ...] = (
    _shipped("extract", (), (TEXT, EXTRACTION)),
    _shipped("save_markdown", (TEXT, EXTRACTION), (TEXT,)),
    _shipped("chunk", (TEXT, EXTRACTION), (CHUNKS,)),
    _shipped("extract_audio", (), (AUDIO,)),
    _shipped("transcribe_start", (AUDIO,), (OPERATION,)),
    _shipped("transcribe_poll", (AUDIO, OPERATION), (TRANSCRIPT, TEXT)),
    _shipped("analyze", (AUDIO, TRANSCRIPT), (ANALYSIS,)),
    _shipped("chunk", (AUDIO, TRANSCRIPT, ANALYSIS), (CHUNKS,), CALL),
    _shipped("embed", (CHUNKS,), (VECTORS,)),
    _shipped("publish", (CHUNKS, VECTORS), (PUBLISHED,)),
    _shipped("connect", (PUBLISHED,), (CONNECTIONS,)),
    # Its values are stored beside the fields of `publish`, so that it may run before or after it.
    _shipped(EXTRACT_FIELDS, (TEXT, EXTRACTION), ()),
)
#: Stages of jobs that are queued for published documents; no pipeline lists them.
MAINTENANCE = ("reembed",)

#: Stages and follow-ups of the shipped pipelines.
SHIPPED_PIPELINES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "document": (("extract", "save_markdown", "chunk", "embed", "publish"), ("connect",)),
        "call": (
            (
                *("extract_audio", "transcribe_start", "transcribe_poll", "analyze", "chunk"),
                *("embed", "publish"),
            ),
            ("connect",),
        ),
    }
)
