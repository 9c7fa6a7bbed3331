"""What is made of a call: who said what and when, and what a reader would want to know about it.

Times are seconds from the beginning of the recording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Sentiment = Literal["positive", "neutral", "negative", "mixed"]


@dataclass(frozen=True, slots=True)
class Word:
    """One word and the time at which it is heard."""

    text: str
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Segment:
    """An uninterrupted utterance of one speaker; ``words`` is empty where their times are unknown."""

    text: str
    speaker: str | None
    start: float
    end: float
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Transcript:
    """A recording in writing: its segments, in the order in which they were heard."""

    segments: tuple[Segment, ...] = ()

    @property
    def text(self) -> str:
        """One line per segment, the speaker's name before it."""
        return "\n".join(f"{s.speaker}: {s.text}" if s.speaker else s.text for s in self.segments)

    @property
    def shares(self) -> dict[str, float]:
        """How much of the speaking time each speaker took; the shares add up to 1."""
        seconds: dict[str, float] = {}
        for segment in self.segments:
            if segment.speaker:
                spoken = max(0.0, segment.end - segment.start)
                seconds[segment.speaker] = seconds.get(segment.speaker, 0.0) + spoken
        total = sum(seconds.values())
        return {speaker: spent / total for speaker, spent in seconds.items()} if total else {}


@dataclass(frozen=True, slots=True)
class ActionItem:
    """Something that somebody undertook to do; owner and due date only where they were named."""

    text: str
    owner: str | None = None
    due: str | None = None


@dataclass(frozen=True, slots=True)
class Mood:
    """How one speaker sounded, and the reason to think so."""

    speaker: str
    sentiment: Sentiment
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CallAnalysis:
    """What a reader would want to know about a call without listening to it."""

    summary: str
    topics: tuple[str, ...] = ()
    action_items: tuple[ActionItem, ...] = ()
    questions: tuple[str, ...] = ()
    moods: tuple[Mood, ...] = ()


@dataclass(frozen=True, slots=True)
class Monologue:
    """The longest time for which one speaker was not interrupted."""

    speaker: str | None
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Silence:
    """A stretch in which nobody spoke."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Measures:
    """What can be counted in a transcript without understanding it."""

    shares: Mapping[str, float]
    monologue: Monologue | None = None
    silences: tuple[Silence, ...] = ()


@dataclass(frozen=True, slots=True)
class CallReport:
    """What is kept of the analysis: the measures always, the rest unless ``warning`` says why not."""

    measures: Measures
    analysis: CallAnalysis | None = None
    engine: str | None = None
    warning: str | None = None
