"""Response models for calls: transcript and analysis."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from towpath.model.speaker_name import MAX_NAME_LENGTH, SpeakerName, SpeakerNames
from towpath.model.transcript import CallReport, Quote, Transcript
from towpath.server.schemas.base import View

Speaker = Annotated[str, Field(max_length=200)]
Name = Annotated[str, Field(max_length=MAX_NAME_LENGTH, pattern=r"^[^\x00-\x1f\x7f]*$")]


class WordView(View):
    text: str
    start: float
    end: float


class SegmentView(View):
    text: str
    speaker: str | None
    start: float = Field(description="Seconds from the start of the recording")
    end: float
    words: list[WordView] = Field(description="Empty if the transcriber reports no word times")
    confidence: float | None = Field(
        description="How sure the transcriber is of the words, from 0 to 1; null if it does not say"
    )


class SpeakerNameView(View):
    speaker: str = Field(description="As the segments name the speaker")
    name: str | None = Field(description="Given by a person; null if there is none")
    edited_by: str | None
    edited_at: datetime | None


class TranscriptView(View):
    segments: list[SegmentView]
    speakers: list[SpeakerNameView] = Field(description="In the order in which they first speak")
    language: str | None = Field(
        description="Code of the language that is spoken, such as `de`; null if unknown"
    )


class ActionItemView(View):
    text: str
    owner: str | None
    due: str | None
    start: float | None = Field(description="Second at which it was said; null if the analyzer does not say")


class QuoteView(View):
    text: str
    speaker: str | None
    start: float | None = Field(description="Second at which it was said; null if the analyzer does not say")


class SpeakerView(View):
    speaker: str
    share: float = Field(description="Share of the total speaking time, from 0 to 1")
    sentiment: str | None
    reason: str | None


class IntervalView(View):
    start: float
    end: float


class MonologueView(IntervalView):
    speaker: str | None


class InterruptionView(View):
    speaker: str
    interrupted: str
    start: float


class AnalysisView(View):
    summary: str | None = Field(description="Null if the analyzer makes none: the local one does not")
    topics: list[str]
    action_items: list[ActionItemView]
    questions: list[QuoteView]
    names: list[QuoteView]
    numbers: list[QuoteView]
    dates: list[QuoteView]
    speakers: list[SpeakerView]
    longest_monologue: MonologueView | None
    silences: list[IntervalView]
    interruptions: list[InterruptionView] | None = Field(
        description="Null if they cannot be known, because all speakers are on one channel"
    )
    engine: str | None
    warning: str | None = Field(
        description="Why the analysis is missing; to repeat it, POST /documents/{id}/runs with `from_stage: analyze`"
    )


class SpeakerNamesRequest(BaseModel):
    """Names of speakers. A speaker that is not sent keeps its name; null removes it."""

    model_config = ConfigDict(extra="forbid")

    names: dict[Speaker, Name | None] = Field(default_factory=dict, max_length=100)

    def clean(self) -> dict[str, str | None]:
        """The names without white space at their ends; an empty name is none."""
        return {speaker: (name or "").strip() or None for speaker, name in self.names.items()}


def transcript_view(transcript: Transcript, names: SpeakerNames) -> TranscriptView:
    return TranscriptView(
        segments=[SegmentView.model_validate(segment) for segment in transcript.segments],
        speakers=speaker_views(transcript, names),
        language=transcript.language,
    )


def speaker_views(transcript: Transcript, names: SpeakerNames) -> list[SpeakerNameView]:
    speakers = dict.fromkeys(segment.speaker for segment in transcript.segments if segment.speaker)
    return [_speaker_view(speaker, names.get(speaker)) for speaker in speakers]


def _speaker_view(speaker: str, given: SpeakerName | None) -> SpeakerNameView:
    if given is None:
        return SpeakerNameView(speaker=speaker, name=None, edited_by=None, edited_at=None)
    return SpeakerNameView(
        speaker=speaker, name=given.name, edited_by=given.edited_by, edited_at=given.edited_at
    )


def analysis_view(report: CallReport) -> AnalysisView:
    content, measures = report.analysis, report.measures
    moods = {mood.speaker: mood for mood in content.moods} if content else {}
    speakers = [
        SpeakerView(
            speaker=name,
            share=measures.shares.get(name, 0.0),
            sentiment=moods[name].sentiment if name in moods else None,
            reason=moods[name].reason if name in moods else None,
        )
        for name in sorted({*measures.shares, *moods})
    ]
    return AnalysisView(
        summary=(content.summary or None) if content else None,
        topics=list(content.topics) if content else [],
        action_items=[ActionItemView.model_validate(item) for item in content.action_items]
        if content
        else [],
        questions=[_quote(question) for question in content.questions] if content else [],
        names=[_quote(name) for name in content.names] if content else [],
        numbers=[_quote(number) for number in content.numbers] if content else [],
        dates=[_quote(date) for date in content.dates] if content else [],
        speakers=speakers,
        longest_monologue=measures.monologue and MonologueView.model_validate(measures.monologue),
        silences=[IntervalView.model_validate(silence) for silence in measures.silences],
        interruptions=None
        if measures.interruptions is None
        else [InterruptionView.model_validate(item) for item in measures.interruptions],
        engine=report.engine,
        warning=report.warning,
    )


def _quote(quote: Quote | str) -> QuoteView:
    return QuoteView.model_validate(Quote(quote) if isinstance(quote, str) else quote)
