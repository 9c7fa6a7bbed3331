"""Images with ground truth of their text: SROIE (receipts) and FUNSD (forms), line by line from the boxes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from bench.reading.edit_distance import edit_distance
from bench.reading.task import Counts, Metric, Sample, ratio
from towpath.readers.ocr.line_layout import group_rows
from towpath.readers.ocr.ocr_result import OcrWord, Rectangle, Segment

METRICS = (
    Metric("character errors", ratio("errors", "characters")),
    Metric("word F1", ratio("common", "words")),
    Metric("printed amounts found", ratio("amounts_found", "amounts")),
)
_AMOUNT = re.compile(r"\d+\.\d\d\b")


def receipts(data: Path) -> list[Sample]:
    """`sroie/NAME.jpg` with `NAME.truth.csv`: eight coordinates and the text of each line."""
    samples: list[Sample] = []
    for truth in sorted((data / "sroie").glob("*.truth.csv")):
        pieces: list[Segment] = []
        for line in truth.read_text("utf-8", "replace").splitlines():
            parts = line.split(",", 8)
            if len(parts) == 9:
                numbers = [float(part) for part in parts[:8]]
                xs, ys = numbers[::2], numbers[1::2]
                pieces.append(_piece(parts[8], min(xs), min(ys), max(xs), max(ys)))
        name = truth.name.removesuffix(".truth.csv")
        samples.append(Sample(f"sroie/{name}", truth.with_name(f"{name}.jpg"), _text(pieces)))
    return samples


def forms(data: Path) -> list[Sample]:
    """`funsd/NAME.png` with `NAME.truth.json`: words with boxes."""
    samples: list[Sample] = []
    for truth in sorted((data / "funsd").glob("*.truth.json")):
        words = [word for item in json.loads(truth.read_text())["form"] for word in item["words"]]
        pieces = [_piece(word["text"], *word["box"]) for word in words if word["text"].strip()]
        name = truth.name.removesuffix(".truth.json")
        samples.append(Sample(f"funsd/{name}", truth.with_name(f"{name}.png"), _text(pieces)))
    return samples


def score(sample: Sample, text: str) -> Counts:
    """Counts of one reading: case and the number of blanks do not count (the truth of SROIE is in capitals)."""
    expected, found = _compared(str(sample.truth)), _compared(text)
    words, others = expected.split(), found.split()
    amounts = _AMOUNT.findall(expected)
    return {
        "errors": edit_distance(expected, found),
        "characters": len(expected),
        "common": 2 * _common(words, others),
        "words": len(words) + len(others),
        "amounts_found": _common(amounts, _AMOUNT.findall(found)),
        "amounts": len(amounts),
    }


def scorer(read: Callable[[Path], str]) -> Callable[[Sample], Counts]:
    return lambda sample: score(sample, read(sample.path))


def _common(first: list[str], second: list[str]) -> int:
    rest = list(second)
    count = 0
    for item in first:
        if item in rest:
            rest.remove(item)
            count += 1
    return count


def _compared(text: str) -> str:
    return " ".join(text.upper().split())


def _piece(text: str, x0: float, y0: float, x1: float, y1: float) -> Segment:
    box = Rectangle(x0, y0, x1, y1)
    return Segment((OcrWord(text, box, 1.0),), box)


def _text(pieces: list[Segment]) -> str:
    return "\n".join(" ".join(piece.text for piece in row) for row in group_rows(pieces))
