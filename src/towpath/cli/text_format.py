"""Formats rows as an aligned table, and ids, ages, durations and sizes for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

#: Characters of a document's id in a table. Any unique beginning of an id names its document.
SHORT_ID = 8
_UNITS = ((86_400, "day", "days"), (3_600, "h", "h"), (60, "min", "min"))


def table_lines(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The header and the rows, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
    return [
        "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (headers, *rows)
    ]


def short_id(document_id: str) -> str:
    return document_id[:SHORT_ID]


def shortened(text: str, length: int) -> str:
    """The text on one line, cut to the length."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def age(timestamp: str, now: datetime | None = None) -> str:
    """The time since an ISO 8601 timestamp: `3 s`, `5 min`, `2 h`, `4 days`."""
    return duration(((now or datetime.now(UTC)) - datetime.fromisoformat(timestamp)).total_seconds())


def duration(seconds: float) -> str:
    """`3 s`, `5 min`, `2 h`, `4 days`."""
    for size, unit, plural in _UNITS:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit if count == 1 else plural}"
    return f"{max(0, int(seconds))} s"


def exact_duration(seconds: float) -> str:
    """`0.4 s`, `14 s`, `3 min 20 s`, `2 h 5 min`, as the web page writes it."""
    if seconds < 9.95:
        return f"{seconds:.1f} s" if seconds >= 0.05 else "0 s"
    total = round(seconds)
    if total < 60:
        return f"{total} s"
    amounts = (total // 60, "min", total % 60, "s")
    if total >= 3_600:
        amounts = (total // 3_600, "h", total % 3_600 // 60, "min")
    large, large_unit, small, small_unit = amounts
    return f"{large} {large_unit} {small} {small_unit}" if small else f"{large} {large_unit}"


def size_text(size: float) -> str:
    """`512 bytes`, `3.4 kB`, `12 MB`."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:.0f} {unit}" if unit == "bytes" or size >= 10 else f"{size:.1f} {unit}"
