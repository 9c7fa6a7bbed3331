"""How a cell's value is written: numbers as Excel shows them, dates so that anybody can read them."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from towpath.providers.local import markdown

Value = int | float | str | bool | date | time | datetime | timedelta

_DATE_SIGNS = re.compile(r"[ymdhs]", re.IGNORECASE)
_NOT_SIGNS = re.compile(r'"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|_.|\*.', re.IGNORECASE)
# The formats Excel knows by number alone: 14 to 22 are dates and times, 45 to 47 are durations.
_BUILT_IN_DATES = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
_LONGEST_CODE = 255
_LAST_DAY = 2_958_466


def written(value: Value) -> str:
    if isinstance(value, str):
        return value if value.isprintable() else markdown.clean(value.strip())
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds").removesuffix(" 00:00:00")
    return value.isoformat() if isinstance(value, date | time) else str(value)


def is_date_format(number: int, code: str) -> bool:
    """Whether a number format shows dates or times."""
    return number in _BUILT_IN_DATES or bool(_DATE_SIGNS.search(_NOT_SIGNS.sub("", code[:_LONGEST_CODE])))


def from_serial(serial: float, *, counts_from_1904: bool) -> Value:
    """The date that a number of days stands for; numbers under one are times of day."""
    if not 0 <= serial < _LAST_DAY:
        return serial
    if serial < 1:
        return (datetime(1900, 1, 1) + timedelta(days=serial)).time().replace(microsecond=0)
    # Excel believes in a 29th of February 1900, so days before it are counted from one day later.
    origin = datetime(1904, 1, 1) if counts_from_1904 else datetime(1899, 12, 31 if serial < 60 else 30)
    try:
        return (origin + timedelta(seconds=round(serial * 86_400))).replace(microsecond=0)
    except OverflowError:
        return serial
