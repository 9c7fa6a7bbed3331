"""The OpenAI transcriber sends a window once and reads words, times and language from the answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support import recordings
from tests.support.emulators import Fault, OpenAIEmulator
from tests.support.timeouts import REQUEST_SECONDS
from towpath.errors import AccountRefused, Ambiguous, Refused, Throttled
from towpath.model.extracted_audio import Window
from towpath.process_runner import InputFile
from towpath.providers.openai.language_names import language_code
from towpath.providers.openai.transcription import OpenAITranscriber

WINDOW = (60.0, 70.0)
AUDIO = Path("not-read.ogg")


async def cut(_sound: InputFile, window: Window, channel: int | None) -> bytes | None:
    """The sound of a window; nobody speaks on channel 1."""
    return None if channel == 1 else recordings.wav(recordings.tone(window[1] - window[0]))


def transcriber_of(
    service: OpenAIEmulator, model: str = "whisper-1", key: str | None = None
) -> OpenAITranscriber:
    return OpenAITranscriber(
        key or service.key, model, cut_audio=cut, base_url=service.base_url, timeout=REQUEST_SECONDS
    )


@pytest.fixture
async def transcriber(service: OpenAIEmulator) -> AsyncIterator[OpenAITranscriber]:
    transcriber = transcriber_of(service)
    yield transcriber
    await transcriber.aclose()


async def test_a_window_has_words_times_and_a_language(
    service: OpenAIEmulator, transcriber: OpenAITranscriber
) -> None:
    answer = await transcriber.transcribe(AUDIO, WINDOW, None, None)
    segments = transcriber.read(answer.body)

    assert segments[0].text == "Good morning, this is the harbour office, how can I help you?"
    assert segments[0].start == pytest.approx(60.0)
    assert [word.text for word in segments[0].words[:3]] == ["Good", "morning", "this"]
    assert all(60.0 <= word.start <= word.end <= 70.0 for segment in segments for word in segment.words)
    assert transcriber.language_of(answer.body) == "en"
    assert answer.units == {"seconds": 10.0}
    assert answer.cost == pytest.approx(0.001)
    assert service.bill.units["seconds"] == pytest.approx(10.0, abs=0.1)


async def test_nothing_is_sent_for_a_window_without_speech(
    service: OpenAIEmulator, transcriber: OpenAITranscriber
) -> None:
    answer = await transcriber.transcribe(AUDIO, WINDOW, 1, None)

    assert (transcriber.read(answer.body), answer.cost, service.count("transcriptions")) == ([], 0.0, 0)


async def test_a_model_without_times_gives_the_text_of_the_window(service: OpenAIEmulator) -> None:
    transcriber = transcriber_of(service, "gpt-4o-transcribe")
    [segment] = transcriber.read((await transcriber.transcribe(AUDIO, WINDOW, None, "en")).body)
    await transcriber.aclose()

    assert (segment.start, segment.end, segment.words) == (60.0, 70.0, ())


def test_silence_music_and_repetitions_are_left_out(service: OpenAIEmulator) -> None:
    part = {"start": 0.0, "end": 2.0, "text": "Thank you for watching.", "avg_logprob": -0.1}
    answer = {
        "text": "",
        "segments": [
            part | {"no_speech_prob": 0.9, "avg_logprob": -1.2},
            part | {"no_speech_prob": 0.1, "compression_ratio": 7.0},
            part | {"no_speech_prob": 0.1, "compression_ratio": 1.0, "text": "Hello."},
        ],
    }
    body = json.dumps({"window": [0.0, 10.0], "answer": answer}).encode()

    assert [segment.text for segment in transcriber_of(service).read(body)] == ["Hello."]


async def test_errors_of_the_service_are_translated(
    service: OpenAIEmulator, transcriber: OpenAITranscriber
) -> None:
    service.faults.add(Fault("transcriptions", "status", status=429, retry_after=7.0))
    with pytest.raises(Throttled):
        await transcriber.transcribe(AUDIO, WINDOW, None, None)
    service.faults.add(Fault("transcriptions", "drop"))
    with pytest.raises(Ambiguous):
        await transcriber.transcribe(AUDIO, WINDOW, None, None)
    for wrong, error in (
        (transcriber_of(service, key="other"), AccountRefused),
        (transcriber_of(service, "no"), Refused),
    ):
        with pytest.raises(error):
            await wrong.probe()
        await wrong.aclose()
    await transcriber.probe()


@pytest.mark.parametrize(
    ("name", "code"), [("english", "en"), ("de", "de"), ("pt-BR", "pt"), ("elvish", None), (None, None)]
)
def test_language_names_become_codes(name: str | None, code: str | None) -> None:
    assert language_code(name) == code
