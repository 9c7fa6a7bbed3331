"""Transcribes windows of a recording by `/v1/audio/transcriptions` of OpenAI or of a compatible server."""

from __future__ import annotations

import io
import json
import math
import wave
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from towpath.errors import Ambiguous
from towpath.model.extracted_audio import Window
from towpath.model.provider_answer import Answer
from towpath.model.transcript import Segment, Word
from towpath.process_runner import InputFile
from towpath.providers.openai import prices
from towpath.providers.openai.client import OPENAI_URL, create_client
from towpath.providers.openai.errors import PROVIDER, translate_error
from towpath.providers.openai.language_names import language_code

if TYPE_CHECKING:
    from openai import AsyncOpenAI

#: Makes the file of one window; None if nobody speaks in it.
CutAudio = Callable[[InputFile, Window, int | None], Awaitable[bytes | None]]
#: Models that answer only with text, without times.
_PLAIN_MODELS = ("gpt-4o-transcribe", "gpt-4o-mini-transcribe")
#: The server takes a sound for no speech above this probability if it is also unsure of the words.
NO_SPEECH_PROBABILITY, NO_SPEECH_LOG_PROBABILITY = 0.6, -0.8
MAX_COMPRESSION_RATIO = 3.0
#: The answer for a window in which nobody speaks; no request is made for it.
_SILENT = b'{"text": "", "segments": []}'


class OpenAITranscriber:
    """Sends each window with speech once. The times in the answers are those of the window."""

    def __init__(
        self,
        api_key: str,
        model: str = "whisper-1",
        *,
        cut_audio: CutAudio | None,
        language: str | None = None,
        base_url: str = OPENAI_URL,
        price_per_minute: float | None = None,
        timeout: float = 300.0,
    ) -> None:
        self.provider = PROVIDER
        self.model = model
        self._cut_audio = cut_audio
        self._language = language
        self._price = prices.TRANSCRIPTIONS.get(model, 0.0) if price_per_minute is None else price_per_minute
        self._key, self._base_url, self._timeout = api_key, base_url, timeout
        self._client: AsyncOpenAI | None = None

    @property
    def language(self) -> str | None:
        return self._language

    def parameters(self, language: str | None) -> Mapping[str, str]:
        return {"task": "transcribe", "version": "1", "language": language or "detect"}

    async def transcribe(
        self, audio: Path, window: Window, channel: int | None, language: str | None
    ) -> Answer:
        assert self._cut_audio is not None, "a client without it is only probed"
        sound = await self._cut_audio(InputFile(audio), window, channel)
        if sound is None:
            return Answer(_stored(window, _SILENT))
        body = await self._send(sound, language)
        answer = _stored(window, body)
        try:
            self.read(answer)
        except (ValueError, KeyError, TypeError) as error:
            raise Ambiguous(
                f"The transcript of OpenAI is incomplete ({error!r}). It may be billed."
            ) from error
        seconds = window[1] - window[0]
        return Answer(answer, {"seconds": seconds}, seconds / 60 * self._price)

    async def _send(self, sound: bytes, language: str | None, name: str = "window.flac") -> bytes:
        if self._client is None:
            self._client = create_client(self._key, self._base_url, self._timeout)
        from openai import OpenAIError

        options: dict[str, Any] = {"language": language} if language else {}
        if not self.model.startswith(_PLAIN_MODELS):
            options |= {"response_format": "verbose_json", "timestamp_granularities": ["word", "segment"]}
        try:
            response = await cast(Any, self._client.audio.transcriptions).with_raw_response.create(
                model=self.model, file=(name, sound), temperature=0, **options
            )
        except OpenAIError as error:
            raise translate_error(error) from error
        return bytes(response.content)

    async def probe(self) -> None:
        """Transcribe half a second of silence, to verify address, key and model."""
        content = io.BytesIO()
        with wave.open(content, "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(16_000)
            sound.writeframes(bytes(16_000))
        await self._send(content.getvalue(), self._language, "silence.wav")

    def read(self, answer: bytes) -> list[Segment]:
        stored: Any = json.loads(answer)
        (start, end), content = stored["window"], stored["answer"]
        spoken: list[Any] = content.get("words") or []
        words = [
            Word(str(w["word"]).strip(), start + float(w["start"]), min(end, start + float(w["end"])))
            for w in spoken
        ]
        parts: list[Any] = content.get("segments") or []
        if not parts:
            text = str(content["text"]).strip()
            return [Segment(text, None, start, end, tuple(words))] if text else []
        return [segment for part in parts if (segment := _segment(part, start, end, words)) is not None]

    def language_of(self, answer: bytes) -> str | None:
        return language_code(json.loads(answer)["answer"].get("language"))

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None


def _stored(window: Window, body: bytes) -> bytes:
    """The answer as it is cached: with its window, from which the times are counted."""
    return json.dumps({"window": window, "answer": json.loads(body)}, ensure_ascii=False).encode(
        "utf-8", "replace"
    )


def _segment(part: Mapping[str, Any], start: float, end: float, words: Sequence[Word]) -> Segment | None:
    """One segment of the answer; None if it is silence, music or a repetition that became words."""
    text = str(part["text"]).strip()
    first, last = start + float(part["start"]), min(end, start + float(part["end"]))
    log_probability = float(part.get("avg_logprob") or 0.0)
    silent = float(part.get("no_speech_prob") or 0.0) > NO_SPEECH_PROBABILITY
    repeats = float(part.get("compression_ratio") or 0.0) > MAX_COMPRESSION_RATIO
    if not text or repeats or (silent and log_probability < NO_SPEECH_LOG_PROBABILITY):
        return None
    inside = tuple(word for word in words if first - 0.01 <= (word.start + word.end) / 2 < last)
    confidence = round(math.exp(min(0.0, log_probability)), 3) if "avg_logprob" in part else None
    return Segment(text, None, first, last, inside, confidence)
