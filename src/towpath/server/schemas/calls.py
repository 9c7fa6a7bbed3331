"""Response models for calls: transcript and analysis."""

from __future__ import annotations

from pydantic import Field

from towpath.model.transcript import CallReport, Transcript
from towpath.server.schemas.base import View


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


class TranscriptView(View):
    segments: list[SegmentView]


class ActionItemView(View):
    text: str
    owner: str | None
    due: str | None


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


class AnalysisView(View):
    summary: str | None
    topics: list[str]
    action_items: list[ActionItemView]
    questions: list[str]
    speakers: list[SpeakerView]
    longest_monologue: MonologueView | None
    silences: list[IntervalView]
    engine: str | None
    warning: str | None = Field(
        description="Why the analysis is missing; to repeat it, POST /documents/{id}/runs with `from_stage: analyze`"
    )


def transcript_view(transcript: Transcript) -> TranscriptView:
    return TranscriptView.model_validate(transcript)


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
        summary=content.summary if content else None,
        topics=list(content.topics) if content else [],
        action_items=[ActionItemView.model_validate(item) for item in content.action_items]
        if content
        else [],
        questions=list(content.questions) if content else [],
        speakers=speakers,
        longest_monologue=measures.monologue and MonologueView.model_validate(measures.monologue),
        silences=[IntervalView.model_validate(silence) for silence in measures.silences],
        engine=report.engine,
        warning=report.warning,
    )
