"""`python -m bench calls`: how many times faster than real time recordings are taken out of files and heard."""

from __future__ import annotations

import argparse
import importlib.util
import tempfile
import time
import wave
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from bench.machine import describe_machine
from bench.page import write_section
from towpath.model.encode_call import load_recording
from towpath.providers.local.sound import extract_sound
from towpath.providers.local.transcriber import RATE, hear_window, new_model, samples_of

SUMMARY = "recordings: extraction and local transcription against real time, on one core"
WINDOW = 60.0
T = TypeVar("T")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quick", action="store_true", help="44 seconds of speech only; for trying")


def run(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="bench-calls-") as name:
        folder = Path(name)
        source, target = _speech(folder / "speech.wav", 1 if arguments.quick else 8), folder / "speech.ogg"
        # The first use of each library loads it, which a worker pays for once.
        extract_sound(str(source), str(target), True, WINDOW, _ignore)
        hear_window(str(target), (0.0, 2.0), None)
        taken, body = _cpu(lambda: extract_sound(str(source), str(target), True, WINDOW, _ignore))
        recording = load_recording(body)
        sounds = [samples_of(str(target), *window, None).tolist() for window in recording.windows]
        model = new_model({})
        alone, _ = _cpu(lambda: [model.transcribe_without_streaming(sound, RATE) for sound in sounds])
        heard, _ = _cpu(lambda: [hear_window(str(target), window, None) for window in recording.windows])
    length = recording.seconds
    text = "\n".join(
        [
            "## Calls",
            "",
            f"{length:.0f} seconds of human speech; processor time on one thread. {describe_machine()}",
            "",
            "| | real time is 1 |",
            "|---|---:|",
            f"| sound taken out of a WAV file, measured, as Opus | {length / taken:.0f} |",
            f"| the model alone, given whole windows and its own ear for pauses | {length / alone:.1f} |",
            f"| local transcription, windows of {WINDOW:.0f} s | {length / heard:.1f} |",
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
    """The recording that comes with the model, over and over."""
    found = importlib.util.find_spec("moonshine_voice")
    assert found is not None
    assert found.origin is not None
    with wave.open(str(Path(found.origin).parent / "assets" / "two_cities.wav"), "rb") as sample:
        shape, sound = sample.getparams(), sample.readframes(sample.getnframes())
    with wave.open(str(target), "wb") as whole:
        whole.setparams(shape)
        for _ in range(times):
            whole.writeframes(sound)
    return target


def _ignore(done: int, total: int) -> None:
    """Nobody watches."""
