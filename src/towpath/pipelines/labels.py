"""The label of each stage: the words that the page, the command line and the docs show for a stage code."""

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
    }
)


def stage_label(stage: str) -> str:
    """The label of a stage; a stage that a plug-in added is shown by its code."""
    return STAGE_LABELS.get(stage, stage)
