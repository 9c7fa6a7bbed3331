"""Formats cell values as text: numbers as Excel shows them, dates as ISO 8601."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from towpath.readers.common import markdown_writer

Value = int | float | str | bool | date | time | datetime | timedelta

_DATE_LETTERS = re.compile(r"[ymdhs]", re.IGNORECASE)
_LITERALS = re.compile(r'"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\[\]]*\]|_.|\*.', re.IGNORECASE)
# Ids of Excel's built-in formats: 14 to 22 are dates and times, 45 to 47 are durations.
_BUILT_IN_DATES = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
_MAX_CODE_LENGTH = 255
_SERIAL_END = 2_958_466


def format_value(value: Value) -> str:
    """The text of one value."""
    if isinstance(value, str):
        return value if value.isprintable() else markdown_writer.remove_control_characters(value.strip())
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds").removesuffix(" 00:00:00")
    return value.isoformat() if isinstance(value, date | time) else str(value)


def is_date_format(format_id: int, code: str) -> bool:
    """True if a number format shows dates or times."""
    return format_id in _BUILT_IN_DATES or bool(
        _DATE_LETTERS.search(_LITERALS.sub("", code[:_MAX_CODE_LENGTH]))
    )


def from_serial(serial: float, *, date_1904: bool) -> Value:
    """The date of an Excel serial number in days; numbers below 1 are times of day."""
    if not 0 <= serial < _SERIAL_END:
        return serial
    if serial < 1:
        return (datetime(1900, 1, 1) + timedelta(days=serial)).time().replace(microsecond=0)
    # Excel has a 29 February 1900, which never existed, so serials below 60 count from one day later.
    origin = datetime(1904, 1, 1) if date_1904 else datetime(1899, 12, 31 if serial < 60 else 30)
    try:
        return (origin + timedelta(seconds=round(serial * 86_400))).replace(microsecond=0)
    except OverflowError:
        return serial
