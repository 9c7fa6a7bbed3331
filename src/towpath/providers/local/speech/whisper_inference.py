"""Whisper in a child process: detects the language of a recording and transcribes one window of it.

The same window always gives the same words: decoding is a beam search without sampling, and nothing is carried over
from one window to the next.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from towpath.model.extracted_audio import Window
from towpath.providers.local.embeddings.model_package import is_installed, model_folder
from towpath.providers.local.speech.audio_samples import MODEL_SAMPLE_RATE, Samples, decode_samples
from towpath.providers.local.speech.repetition import is_repetition
from towpath.providers.local.speech.voice_activity import detect_speech
from towpath.rejections import calls_unavailable

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

PACKAGE = "towpath-model-whisper-base"

BEAM_SIZE = 5
#: The language is detected from this many parts of the recording, each of at most one input of the model.
LANGUAGE_PARTS, INPUT_SECONDS = 3, 30.0
#: Silence kept around the speech that the model hears. With 0.2 seconds it misses words at the beginning and takes
#: short recordings for another language (docs/guides/calls.md).
CLIP_MARGIN_SECONDS = 1.0
#: Less speech than this says nothing about the language.
MIN_LANGUAGE_SPEECH_SECONDS = 0.3
#: Below these two values together the model takes a sound for no speech.
NO_SPEECH_PROBABILITY, NO_SPEECH_LOG_PROBABILITY = 0.6, -0.8
#: A text that compresses better than this repeats itself. Rhetoric ("it was the best of times ...") reaches 2.5.
MAX_COMPRESSION_RATIO = 3.0
#: Words that follow such a silence are heard by the model, not said.
MAX_SILENCE_BEFORE_INVENTED_WORDS = 2.0


def detect_language(sound: str, windows: Sequence[Window], channels: Sequence[int | None]) -> bytes:
    """The probabilities of the languages, averaged over parts of the recording; runs in a child process.

    Returns JSON: ``speech_seconds`` and ``languages``, a list of [code, probability] with the likeliest first.
    """
    inputs = list(_language_inputs(sound, windows, channels))
    heard = sum(map(len, inputs)) / MODEL_SAMPLE_RATE
    if heard < MIN_LANGUAGE_SPEECH_SECONDS:
        return json.dumps({"speech_seconds": round(heard, 2), "languages": []}).encode()
    model = loaded_model()
    totals: dict[str, float] = {}
    for samples in inputs:
        _, _, probabilities = model.detect_language(samples)
        for code, probability in probabilities:
            totals[code] = totals.get(code, 0.0) + probability * len(samples)
    whole = sum(map(len, inputs))
    ranked = sorted(
        ((code, round(total / whole, 4)) for code, total in totals.items()), key=lambda x: (-x[1], x[0])
    )
    return json.dumps({"speech_seconds": round(heard, 2), "languages": ranked[:5]}).encode()


def _language_inputs(
    sound: str, windows: Sequence[Window], channels: Sequence[int | None]
) -> Iterator[Samples]:
    """Speech of up to `LANGUAGE_PARTS` windows, spread over the recording; silent windows are passed over."""
    found = 0
    for window in _spread(windows):
        for channel in channels:
            samples = decode_samples(sound, *window, channel)
            spans = detect_speech(samples)
            if sum(end - start for start, end in spans) < MIN_LANGUAGE_SPEECH_SECONDS:
                continue
            clips = [samples[_index(start) : _index(end)] for start, end in group_into_clips(spans)]
            yield np.concatenate(clips)[: _index(INPUT_SECONDS)]
            found += 1
            if found == LANGUAGE_PARTS:
                return


def _spread(windows: Sequence[Window]) -> list[Window]:
    """The windows in an order in which the first ones are far apart: first, middle, last, then the others."""
    chosen = dict.fromkeys((0, len(windows) // 2, len(windows) - 1))
    return [windows[index] for index in (*chosen, *(i for i in range(len(windows)) if i not in chosen))]


def transcribe_window(sound: str, window: Window, channel: int | None, language: str) -> bytes:
    """Transcribe one window; runs in a child process. Returns JSON: a list of segments with their words."""
    start, end = window
    samples = decode_samples(sound, start, end, channel)
    spans = detect_speech(samples)
    segments: list[dict[str, object]] = []
    for first, last in group_into_clips(spans):
        # The model may give a word the time of the silence before it.
        spoken = [span for span in spans if first <= span[0] and span[1] <= last]
        earliest, latest = start + spoken[0][0], min(start + spoken[-1][1], end)
        for segment in _transcribe(samples[_index(first) : _index(last)], language):
            segments.append(_shifted(segment, start + first, earliest, latest))
    return json.dumps(segments, ensure_ascii=False).encode("utf-8", "replace")


def group_into_clips(spans: Iterable[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Group spans of speech into clips of at most one input of the model, without long silences inside.

    Clips have a margin of silence on both sides; two clips with less silence between them share it.
    """
    groups: list[tuple[float, float]] = []
    for start, end in spans:
        if groups:
            first, last = groups[-1]
            is_near = start - last <= MAX_SILENCE_BEFORE_INVENTED_WORDS
            if is_near and end - first <= INPUT_SECONDS - 2 * CLIP_MARGIN_SECONDS:
                groups[-1] = (first, end)
                continue
        groups.append((start, end))
    for index, (first, last) in enumerate(groups):
        before = first - groups[index - 1][1] if index else 2 * first
        after = groups[index + 1][0] - last if index + 1 < len(groups) else 2 * CLIP_MARGIN_SECONDS
        yield first - min(CLIP_MARGIN_SECONDS, before / 2), last + min(CLIP_MARGIN_SECONDS, after / 2)


def _transcribe(samples: Samples, language: str) -> list[Any]:
    """The segments of one clip. A clip that the model repeats itself on is decoded again without repetitions."""
    segments = _decode(samples, language)
    if any(_repeats(segment) for segment in segments):
        segments = _decode(samples, language, no_repeat_ngram_size=3, repetition_penalty=1.2)
    return [
        segment
        for segment in segments
        if segment.words and not _repeats(segment) and not _is_no_speech(segment)
    ]


def _decode(samples: Samples, language: str, **options: Any) -> list[Any]:
    segments, _ = loaded_model().transcribe(
        samples,
        language=language,
        beam_size=BEAM_SIZE,
        temperature=0.0,
        condition_on_previous_text=False,
        word_timestamps=True,
        **options,
    )
    return list(segments)


def _repeats(segment: Any) -> bool:
    return segment.compression_ratio > MAX_COMPRESSION_RATIO or is_repetition(segment.text)


def _is_no_speech(segment: Any) -> bool:
    return segment.no_speech_prob > NO_SPEECH_PROBABILITY and segment.avg_logprob < NO_SPEECH_LOG_PROBABILITY


def _shifted(segment: Any, offset: float, earliest: float, latest: float) -> dict[str, object]:
    """The segment with times from the beginning of the recording, all of them within these limits."""

    def time(seconds: float) -> float:
        return round(min(max(offset + float(seconds), earliest), latest), 2)

    words = [[str(word.word), time(word.start), time(word.end)] for word in segment.words]
    return {"words": words, "log_probability": round(float(segment.avg_logprob), 3)}


def _index(seconds: float) -> int:
    return round(seconds * MODEL_SAMPLE_RATE)


@cache
def loaded_model() -> WhisperModel:
    """The model, loaded once per process."""
    try:
        from faster_whisper import WhisperModel
    except ImportError as error:
        raise calls_unavailable("faster-whisper") from error
    if not is_installed(PACKAGE):
        raise calls_unavailable(PACKAGE)
    return WhisperModel(
        str(model_folder(PACKAGE)), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True
    )
