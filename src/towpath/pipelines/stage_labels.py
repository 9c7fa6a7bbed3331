"""The label of each stage: the words that the page, the commands and the docs show instead of the stage's code."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

STAGE_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "extract": "Read",
        "save_markdown": "Save text",
        "extract_audio": "Extract audio",
        "transcribe_start": "Start transcription",
        "transcribe_poll": "Transcribe",
        "analyze": "Analyze",
        "chunk": "Split",
        "embed": "Embed",
        "publish": "Publish",
        "connect": "Connect",
        "extract_fields": "Extract fields",
        "reembed": "Embed again",
    }
)


#: The labels of stages that packages offer, filled at start.
_own_labels: dict[str, str] = {}


def add_labels(labels: Mapping[str, str]) -> None:
    """Use these labels for own stages."""
    _own_labels.update(labels)


def stage_label(stage: str) -> str:
    """The label of a stage; the code of a stage that is not installed here becomes words."""
    return STAGE_LABELS.get(stage) or _own_labels.get(stage) or label_of_code(stage)


def label_of_code(code: str) -> str:
    """`acme_summary` → `Acme summary`."""
    words = code.replace("_", " ")
    return words[:1].upper() + words[1:]
