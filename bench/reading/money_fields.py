"""Compares the fields of receipts and invoices with the ground truth: total, date, supplier, number."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from bench.reading.task import Counts, Metric, Sample, ratio

NAMES = ("total", "invoice_date", "supplier", "invoice_number")
_LEGAL_FORM = re.compile(
    r"\b(?:sdn|bhd|gmbh|ag|kg|sarl|sas|sa|ltd|inc|llc|b\.?v\.?|co|srl|s\.?l\.?|s/b)\b\.?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Value:
    """What a tool found, with its confidence."""

    text: str
    confidence: float = 0.0


def metrics(*, number: bool) -> tuple[Metric, ...]:
    names = NAMES if number else NAMES[:3]
    shares = [Metric(f"{name} right", ratio(f"{name}_right", f"{name}_expected")) for name in names]
    return (*shares, Metric("right of those with confidence of 0.9 and more", ratio("sure_right", "sure")))


def score(sample: Sample, found: Mapping[str, Value]) -> Counts:
    truth: dict[str, str] = sample.truth  # pyright: ignore[reportAssignmentType]
    counts: dict[str, float] = {"sure": 0, "sure_right": 0}
    for name in NAMES:
        expected = truth.get(name)
        value = found.get(name)
        right = bool(expected and value and is_right(name, value.text, expected))
        counts[f"{name}_expected"] = float(bool(expected))
        counts[f"{name}_right"] = float(right)
        if expected and value and value.confidence >= 0.9:
            counts["sure"] += 1
            counts["sure_right"] += right
    return counts


def is_right(name: str, found: str, expected: str) -> bool:
    """Amounts by value without sign, dates by day, numbers and names without blanks and punctuation.

    A name may differ by its legal form and by one character in ten, which OCR may have misread.
    """
    if name == "total":
        return _amount(found) == _amount(expected)
    if name == "invoice_date":
        return found == expected
    if name == "invoice_number":
        return _compared(found) == _compared(expected)
    pairs = (
        (_compared(found), _compared(expected)),
        (_compared(_LEGAL_FORM.sub("", found)), _compared(_LEGAL_FORM.sub("", expected))),
    )
    return any(SequenceMatcher(None, *pair, autojunk=False).ratio() >= 0.9 for pair in pairs)


def _compared(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _amount(text: str) -> str:
    digits = re.search(r"\d[\d,]*(?:\.\d+)?", text)
    return f"{float(digits[0].replace(',', '')):.2f}" if digits else ""
