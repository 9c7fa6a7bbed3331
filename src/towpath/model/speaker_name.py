"""Names that people gave to the speakers of a call. They are stored beside the transcript and survive reprocessing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from towpath.model.transcript import Segment, Transcript

MAX_NAME_LENGTH = 100


@dataclass(frozen=True, slots=True)
class SpeakerName:
    name: str
    edited_by: str
    edited_at: datetime


#: By the speaker of the transcript, such as "Speaker 1".
SpeakerNames = Mapping[str, SpeakerName]


def decode_names(stored: Mapping[str, object]) -> SpeakerNames:
    """The names from the column `speaker_names`."""
    rows = cast("Mapping[str, Mapping[str, Any]]", stored)
    return {
        speaker: SpeakerName(row["name"], row["edited_by"], datetime.fromisoformat(row["edited_at"]))
        for speaker, row in rows.items()
    }


def encode_names(names: SpeakerNames) -> dict[str, object]:
    return {
        speaker: {"name": item.name, "edited_by": item.edited_by, "edited_at": item.edited_at.isoformat()}
        for speaker, item in names.items()
    }


def with_speaker_names(transcript: Transcript, names: SpeakerNames) -> Transcript:
    """The transcript with the names instead of the speakers that have one."""
    return replace(transcript, segments=tuple(_named(segment, names) for segment in transcript.segments))


def _named(segment: Segment, names: SpeakerNames) -> Segment:
    given = names.get(segment.speaker) if segment.speaker else None
    return segment if given is None else replace(segment, speaker=given.name)


def with_speaker_name(anchor: Mapping[str, object], stored: Mapping[str, object]) -> Mapping[str, object]:
    """The anchor of a passage of a call with the name of its speaker, if the speaker has one."""
    speaker = anchor.get("speaker")
    if not stored or not isinstance(speaker, str) or speaker not in stored:
        return anchor
    return {**anchor, "speaker": decode_names({speaker: stored[speaker]})[speaker].name}
