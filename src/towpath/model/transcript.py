"""Transcripts and analyses of calls.

Times are seconds from the beginning of the recording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Sentiment = Literal["positive", "neutral", "negative", "mixed"]


@dataclass(frozen=True, slots=True)
class Word:
    """One word with its start and end."""

    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Segment:
    """An uninterrupted utterance of one speaker; ``words`` is empty if their times are unknown."""

    text: str
    speaker: str | None
    start: float
    end: float
    words: tuple[Word, ...] = ()
    #: How sure the transcriber is of the words, from 0 to 1; None if it does not say.
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class SpeakerSpan:
    """A time span in which one speaker speaks."""

    speaker: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Transcript:
    """The text of a recording: its segments in order of time."""

    segments: tuple[Segment, ...] = ()
    #: Code of the language that is spoken, such as "de"; None if it is not known.
    language: str | None = None

    @property
    def text(self) -> str:
        """One line per segment, with the speaker's name in front."""
        return "\n".join(f"{s.speaker}: {s.text}" if s.speaker else s.text for s in self.segments)

    @property
    def shares(self) -> dict[str, float]:
        """Speaker -> share of the speaking time; the shares add up to 1."""
        seconds: dict[str, float] = {}
        for segment in self.segments:
            if segment.speaker:
                spoken = max(0.0, segment.end - segment.start)
                seconds[segment.speaker] = seconds.get(segment.speaker, 0.0) + spoken
        total = sum(seconds.values())
        return {speaker: spent / total for speaker, spent in seconds.items()} if total else {}


@dataclass(frozen=True, slots=True)
class ActionItem:
    """A task that a speaker agreed to do; owner and due date only if they were named."""

    text: str
    owner: str | None = None
    due: str | None = None
    #: When it was said; None if the analyzer does not say.
    start: float | None = None


@dataclass(frozen=True, slots=True)
class Quote:
    """Something that was said, word for word: a question, a name, a number or a date."""

    text: str
    speaker: str | None = None
    #: When it was said; None if the analyzer does not say.
    start: float | None = None


@dataclass(frozen=True, slots=True)
class SpeakerSentiment:
    """The sentiment of one speaker and the reason for it."""

    speaker: str
    sentiment: Sentiment
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CallAnalysis:
    """The analysis of a call. An analyzer leaves empty what it cannot tell."""

    summary: str
    topics: tuple[str, ...] = ()
    action_items: tuple[ActionItem, ...] = ()
    #: Versions before 0.3 stored the text of a question only.
    questions: tuple[Quote | str, ...] = ()
    moods: tuple[SpeakerSentiment, ...] = ()
    names: tuple[Quote, ...] = ()
    numbers: tuple[Quote, ...] = ()
    dates: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True)
class Monologue:
    """The longest uninterrupted speech of one speaker."""

    speaker: str | None
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Silence:
    """A time span without speech."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Interruption:
    """One speaker begins while another one speaks, who then stops."""

    speaker: str
    interrupted: str
    start: float


@dataclass(frozen=True, slots=True)
class Measures:
    """Values computed from the times of a transcript, without a model."""

    shares: Mapping[str, float]
    monologue: Monologue | None = None
    silences: tuple[Silence, ...] = ()
    #: None if they cannot be known: on one channel two voices at once are one sound.
    interruptions: tuple[Interruption, ...] | None = None


@dataclass(frozen=True, slots=True)
class CallReport:
    """The stored analysis of a call: always the measures; the analysis unless ``warning`` says why it is missing."""

    measures: Measures
    analysis: CallAnalysis | None = None
    engine: str | None = None
    warning: str | None = None
