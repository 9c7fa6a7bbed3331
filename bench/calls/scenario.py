"""`python -m bench calls`: speed of audio extraction and transcription, relative to real time."""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
import wave
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from bench.benchmarks_page import write_section
from bench.machine import describe_machine
from towpath.model.codec import decode_recording
from towpath.providers.local.speech.audio_samples import decode_samples
from towpath.providers.local.speech.speaker_embedding import embed_voices
from towpath.providers.local.speech.transcode_to_opus import MODEL_BIT_RATE, extract_audio
from towpath.providers.local.speech.whisper_inference import loaded_model, transcribe_window

SUMMARY = "audio extraction and local transcription compared with real time, on one core"
WINDOW = 60.0
T = TypeVar("T")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="44 seconds of speech only, for a trial")


def run(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="bench-calls-") as name:
        folder = Path(name)
        source, target = _speech(folder / "speech.wav", 1 if arguments.quick else 8), folder / "speech.ogg"
        # Not measured: the first use loads each library, which a worker does once.
        extract_audio(str(source), str(target), True, MODEL_BIT_RATE, WINDOW, _ignore)
        transcribe_window(str(target), (0.0, 2.0), None, "en")
        embed_voices(str(target), (0.0, 2.0))
        extraction_seconds, body = _cpu(
            lambda: extract_audio(str(source), str(target), True, MODEL_BIT_RATE, WINDOW, _ignore)
        )
        recording = decode_recording(body)
        windows_samples = [decode_samples(str(target), *window, None) for window in recording.windows]
        model = loaded_model()
        model_seconds, _ = _cpu(
            lambda: [list(model.transcribe(samples, language="en")[0]) for samples in windows_samples]
        )
        transcription_seconds, _ = _cpu(
            lambda: [transcribe_window(str(target), window, None, "en") for window in recording.windows]
        )
        speakers_seconds, _ = _cpu(
            lambda: [embed_voices(str(target), window) for window in recording.windows]
        )
    length = recording.seconds
    text = "\n".join(
        [
            "## Calls",
            "",
            f"{length:.0f} seconds of human speech; processor time on one thread. {describe_machine()}",
            "",
            "| | real time is 1 |",
            "|---|---:|",
            f"| audio extracted from a WAV file to Opus, with levels | {length / extraction_seconds:.0f} |",
            f"| faster-whisper alone, on whole windows, without word times | {length / model_seconds:.1f} |",
            f"| transcription with word times, windows of {WINDOW:.0f} s | {length / transcription_seconds:.1f} |",
            f"| telling speakers apart on one channel | {length / speakers_seconds:.1f} |",
        ]
    )
    print(text)
    if not arguments.quick:
        write_section("calls", text)
    return 0


def _cpu(work: Callable[[], T]) -> tuple[float, T]:
    started = time.process_time()
    answer = work()
    return time.process_time() - started, answer


def _speech(target: Path, times: int) -> Path:
    """Write the recording that comes with the model, repeated `times` times."""
    package = importlib.util.find_spec("moonshine_voice")
    assert package is not None
    assert package.origin is not None
    with wave.open(str(Path(package.origin).parent / "assets" / "two_cities.wav"), "rb") as sample:
        parameters, samples = sample.getparams(), sample.readframes(sample.getnframes())
    with wave.open(str(target), "wb") as output:
        output.setparams(parameters)
        for _ in range(times):
            output.writeframes(samples)
    return target


def _ignore(done: int, total: int) -> None:
    """Progress callback that does nothing."""
