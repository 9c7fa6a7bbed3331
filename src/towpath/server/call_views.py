"""What the API answers about calls, as models."""

from __future__ import annotations

from pydantic import Field

from towpath.model.transcript import CallReport, Transcript
from towpath.server.views import View


class WordView(View):
    text: str
    start: float
    end: float


class SegmentView(View):
    text: str
    speaker: str | None
    start: float = Field(description="Seconds from the beginning")
    end: float
    words: list[WordView] = Field(description="Empty where the transcriber gives no times of words")


class TranscriptView(View):
    segments: list[SegmentView]


class ActionItemView(View):
    text: str
    owner: str | None
    due: str | None


class SpeakerView(View):
    speaker: str
    share: float = Field(description="Of the time in which anybody spoke, 0 to 1")
    sentiment: str | None
    reason: str | None


class StretchView(View):
    start: float
    end: float


class MonologueView(StretchView):
    speaker: str | None


class AnalysisView(View):
    summary: str | None
    topics: list[str]
    action_items: list[ActionItemView]
    questions: list[str]
    speakers: list[SpeakerView]
    longest_monologue: MonologueView | None
    silences: list[StretchView]
    engine: str | None
    warning: str | None = Field(
        description="Why the call could not be analyzed; POST /documents/{id}/runs with from_stage analyze tries again"
    )


def transcript_view(transcript: Transcript) -> TranscriptView:
    return TranscriptView.model_validate(transcript)


def analysis_view(report: CallReport) -> AnalysisView:
    told, measures = report.analysis, report.measures
    moods = {mood.speaker: mood for mood in told.moods} if told else {}
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
        summary=told.summary if told else None,
        topics=list(told.topics) if told else [],
        action_items=[ActionItemView.model_validate(item) for item in told.action_items] if told else [],
        questions=list(told.questions) if told else [],
        speakers=speakers,
        longest_monologue=measures.monologue and MonologueView.model_validate(measures.monologue),
        silences=[StretchView.model_validate(silence) for silence in measures.silences],
        engine=report.engine,
        warning=report.warning,
    )
