"""Speech: word errors of recordings with known text, and whether their language is recognized.

``speech/truth.json`` names each file with its ``text`` and its ``lang``. Chinese, Japanese and Thai are counted by
characters. A recording that is refused counts as one without any word.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.reading.task import Counts, Metric, Sample, Tool, ratio
from bench.reading.tools import peers, speech

SUMMARY = "word errors (share of the words that were said) in English and in other languages; language right"
METRICS = (
    Metric("word errors, English", ratio("errors_en", "words_en")),
    Metric("word errors, other languages", ratio("errors_other", "words_other")),
    Metric("language right", ratio("language_right", "files")),
)
_BY_CHARACTER = frozenset({"zh", "ja", "th"})
_PUNCTUATION = re.compile(r"[^\w\s']")


@dataclass(frozen=True, slots=True)
class Spoken:
    text: str
    language: str


def load(data: Path) -> list[Sample]:
    listing = data / "speech" / "truth.json"
    if not listing.exists():
        return []
    truth: dict[str, dict[str, str]] = json.loads(listing.read_text("utf-8"))
    return [
        Sample(name, listing.parent / name, Spoken(entry["text"], entry["lang"]))
        for name, entry in sorted(truth.items())
    ]


def tools() -> list[Tool]:
    available = [Tool("Towpath", partial(_score, speech.towpath_transcript))]
    available.append(
        Tool("faster-whisper base, default options", partial(_score, speech.faster_whisper_transcript))
    )
    if peers.is_installed("moonshine_voice"):
        available.append(Tool("moonshine tiny", partial(_score, speech.moonshine_transcript)))
    return available


def _score(transcribe: Callable[[Path], speech.Heard], sample: Sample) -> Counts:
    assert isinstance(sample.truth, Spoken)
    language = sample.truth.language
    heard = transcribe(sample.path)
    said = _units(sample.truth.text, language)
    errors = float(_distance(said, _units(heard.text, language)))
    group = "en" if language == "en" else "other"
    counts = {"files": 1.0, "errors_en": 0.0, "words_en": 0.0, "errors_other": 0.0, "words_other": 0.0}
    counts |= {f"errors_{group}": errors, f"words_{group}": float(len(said))}
    return {**counts, "language_right": float(heard.language == language)}


def _units(text: str, language: str) -> list[str]:
    plain = _PUNCTUATION.sub(" ", unicodedata.normalize("NFKC", text).casefold().replace("’", "'"))
    return [c for c in plain if not c.isspace()] if language in _BY_CHARACTER else plain.split()


def _distance(said: list[str], heard: list[str]) -> int:
    """Words put in, left out or taken for others."""
    row = list(range(len(heard) + 1))
    for number, word in enumerate(said, 1):
        diagonal, row[0] = row[0], number
        for position, other in enumerate(heard, 1):
            replaced = diagonal + (word != other)
            diagonal = row[position]
            row[position] = min(replaced, row[position] + 1, row[position - 1] + 1)
    return row[-1]
