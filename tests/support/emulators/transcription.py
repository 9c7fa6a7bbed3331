"""The transcriptions of the OpenAI emulator: a fixed conversation, cut at the length of the audio that was sent."""

from __future__ import annotations

import io
import re
from typing import Any, cast

import av as pyav

from tests.support.emulators.speech import CONVERSATION, Utterance, script_utterances

#: Its types leave open what a stream is; here it is known.
av = cast(Any, pyav)
Json = dict[str, Any]
MAX_BYTES = 25 * 1024 * 1024
MIN_SECONDS = 0.1
#: Models with word and segment times; the others answer with text only.
VERBOSE_MODELS = frozenset({"whisper-1"})
MODELS = frozenset({"whisper-1", "gpt-4o-transcribe", "gpt-4o-mini-transcribe"})


def read_form(content_type: str, body: bytes) -> tuple[bytes, Json]:
    """The file and the other fields of a multipart form. The base class has read the body already."""
    boundary = content_type.partition("boundary=")[2].strip('"').encode()
    content, options = b"", dict[str, Any]()
    for part in body.split(b"--" + boundary)[1:-1]:
        head, _, value = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        value = value.removesuffix(b"\r\n")
        match = re.search(rb'name="([^"]*)"', head)
        assert match is not None
        name = match[1].decode()
        if b"filename=" in head:
            content = value
        elif name.endswith("[]"):
            options.setdefault(name, []).append(value.decode())
        else:
            options[name] = value.decode()
    return content, options


def audio_seconds(content: bytes) -> float | None:
    """The duration; None if the bytes are no audio."""
    try:
        with av.open(io.BytesIO(content)) as container:
            return sum(frame.samples / frame.sample_rate for frame in container.decode(audio=0))
    except (av.FFmpegError, ValueError, IndexError):
        return None


def transcription(seconds: float, model: str, options: Json) -> Json:
    """The answer of the service: JSON with the text, or with segments and words."""
    utterances = list(script_utterances(CONVERSATION, seconds))
    text = " ".join(utterance.text for utterance in utterances)
    if model not in VERBOSE_MODELS or options.get("response_format") != "verbose_json":
        return {"text": text, "usage": {"type": "duration", "seconds": round(seconds)}}
    answer: Json = {"task": "transcribe", "language": "english", "duration": round(seconds, 2), "text": text}
    granularities = options.get("timestamp_granularities[]") or ["segment"]
    if "segment" in granularities:
        answer["segments"] = [_segment(number, utterance) for number, utterance in enumerate(utterances)]
    if "word" in granularities:
        # The words of the service have no punctuation.
        answer["words"] = [
            {"word": re.sub(r"[^\w\s']", "", word), "start": round(start, 2), "end": round(end, 2)}
            for utterance in utterances
            for word, start, end in utterance.words
        ]
    return answer


def _segment(number: int, utterance: Utterance) -> Json:
    return {
        "id": number,
        "seek": 0,
        "start": round(utterance.words[0][1], 2),
        "end": round(utterance.words[-1][2], 2),
        "text": f" {utterance.text}",
        "tokens": [],
        "temperature": 0.0,
        "avg_logprob": -0.2,
        "compression_ratio": 1.1,
        "no_speech_prob": 0.01,
    }
