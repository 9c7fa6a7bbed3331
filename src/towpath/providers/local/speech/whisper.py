"""Transcribes speech in 99 languages with the local model Whisper base, from a data package of Towpath."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from towpath.errors import Rejected
from towpath.model.extracted_audio import Window
from towpath.model.provider_answer import Answer
from towpath.model.transcript import Segment, Word
from towpath.process_runner import InputFile, ProcessRunner
from towpath.providers.local.speech.whisper_inference import detect_language, transcribe_window

#: Raise it whenever the same window would give other words, so that cached answers are not reused.
VERSION = "2"
#: Below this probability of the likeliest language the recording is in a language that the model does not know.
MIN_LANGUAGE_PROBABILITY = 0.4
#: Languages that the model names for speech that it does not know: Esperanto and Lojban are "Latin".
CATCH_ALL_LANGUAGES = frozenset({"la"})
#: A transcript is refused below this mean confidence in its words; more is asked where the language is unsure.
#: Measured on 22 recordings (docs/guides/calls.md): known languages have 0.50 at a probability of 0.95 and 0.66 at
#: 0.73, unknown ones 0.47 at 0.80 and 0.40 at 0.50.
MIN_CONFIDENCE, UNSURE_LANGUAGE_MARGIN = 0.35, 0.8


class WhisperTranscriber:
    """Transcribes one window at a time in a child process that keeps the model loaded."""

    provider = "local"
    model = "whisper-base"

    def __init__(self, runner: ProcessRunner, *, language: str | None = None, seconds: float = 900.0) -> None:
        """``language`` skips the detection. ``seconds`` is the time limit for one window."""
        self._runner = runner
        self._language = language
        self._seconds = seconds

    def parameters(self, language: str | None) -> Mapping[str, str]:
        return {"version": VERSION, "language": language or "unknown"}

    @property
    def language(self) -> str | None:
        return self._language

    async def detect_language(
        self, audio: Path, windows: Sequence[Window], channels: Sequence[int | None]
    ) -> Answer:
        body = await self._runner.run(
            detect_language, InputFile(audio), list(windows), list(channels), seconds=self._seconds
        )
        return Answer(body)

    def read_language(self, answer: bytes) -> str | None:
        """The language; None if nobody speaks. Raises Rejected if the model does not know the language."""
        content: Any = json.loads(answer)
        languages: list[tuple[str, float]] = content["languages"]
        if not languages:
            return None
        code, probability = languages[0]
        if probability < MIN_LANGUAGE_PROBABILITY or code in CATCH_ALL_LANGUAGES:
            raise unknown_language()
        return code

    async def transcribe(
        self, audio: Path, window: Window, channel: int | None, language: str | None
    ) -> Answer:
        body = await self._runner.run(
            transcribe_window, InputFile(audio), window, channel, language, seconds=self._seconds
        )
        return Answer(body, {"seconds": window[1] - window[0]})

    def read(self, answer: bytes) -> list[Segment]:
        segments: list[dict[str, Any]] = json.loads(answer)
        return [_segment(segment) for segment in segments]

    def language_of(self, answer: bytes) -> str | None:
        """None: the language is detected once for the whole recording."""
        return None

    def check(self, language: bytes, segments: Sequence[Segment]) -> None:
        """Raise Rejected if the model is so unsure of language and words that the words are invented."""
        _, probability = json.loads(language)["languages"][0]
        seconds = sum(segment.end - segment.start for segment in segments)
        if not seconds:
            return
        weighted = sum((segment.confidence or 0.0) * (segment.end - segment.start) for segment in segments)
        if weighted / seconds < MIN_CONFIDENCE + UNSURE_LANGUAGE_MARGIN * (1.0 - probability):
            raise unknown_language()


def _segment(segment: Mapping[str, Any]) -> Segment:
    words = tuple(
        Word(str(text).strip(), float(start), float(end))
        for text, start, end in segment["words"]
        if text.strip()
    )
    # The words of the model contain the blanks between them; languages without blanks have none.
    text = "".join(str(text) for text, _, _ in segment["words"]).strip()
    confidence = round(math.exp(min(0.0, segment["log_probability"])), 3)
    return Segment(text, None, words[0].start, words[-1].end, words, confidence)


def unknown_language() -> Rejected:
    return Rejected(
        "unknown_language",
        "The language of this recording is not one that the local model knows, so its words would be invented. Set "
        '`call_language` if you know that it is one of them, or use another transcriber (`transcriber = "openai"` or '
        "`speechkit`).",
    )
