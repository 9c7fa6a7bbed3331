"""Finds dates in the cells of an invoice, also as cash registers print them: 19-04-18, 25DEC2018, 2018/03/04."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from towpath.fields.date_order import DateOrder
from towpath.fields.dates import MONTH_NUMBERS
from towpath.fields.invoices.rows_and_cells import Cell, Row

_YEAR_FIRST = re.compile(
    r"(?<![\d.,/-])((?:19|20)\d{2}) ?([-/.年]) ?(\d{1,2}) ?(?:\2|月) ?(\d{1,2})(?!\d|[-/.]\d)"
)
_NUMERIC = re.compile(
    r"(?<![\d.,/-])(\d{1,2}) ?([-/.]) ?(\d{1,2}) ?\2 ?((?:19|20)\d{2}|\d{2})(?!\d|[-/.,]\d|%)"
)
_DAY_NAME = re.compile(
    r"(?<![\d.,/-])(\d{1,2})(?:st|nd|rd|th|er|[.ºª])?[ \u00a0./'-]{0,2}(?:de |of |d[’'])?([^\W\d_]{3,12})[.,]{0,2}"
    r"[ \u00a0./'’-]{0,2}(?:de |del )?((?:19|20)\d{2}|\d{2})(?!\d)"
)
_NAME_DAY = re.compile(
    r"(?<![^\W\d_])([^\W\d_]{3,12})\.?[ \u00a0]?(\d{1,2})(?:st|nd|rd|th)?[ \u00a0]?,?[ \u00a0]{0,2}"
    r"((?:19|20)\d{2})(?!\d)"
)
_COMPACT = re.compile(
    r"(?<![\w.,/-])(?:(20\d{2})(0\d|1[0-2])([0-2]\d|3[01])|([0-2]\d|3[01])(0\d|1[0-2])(20\d{2}))(?![\w.,/-])"
)
_ERA = re.compile(r"(令和|平成|昭和) ?(\d{1,2}|元) ?年 ?(\d{1,2}) ?月 ?(\d{1,2}) ?日")
#: The year before the first year of each Japanese era.
_ERA_START = {"令和": 2018, "平成": 1988, "昭和": 1925}
TIME = re.compile(r"(?<!\d)\d{1,2}[:.]\d{2}(?:[:.]\d{2})?\s?(?:[ap]\.?m)?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DateMatch:
    """A date on a page. ``swapped`` has day and month in the other order, if possible; ``label`` is before or above."""

    value: date
    swapped: date | None
    cell: Cell
    row: int
    start: int
    end: int
    label: str = ""
    numbers: tuple[int, int] | None = None

    def in_order(self, order: DateOrder) -> tuple[date, float]:
        """The date in the order of the document, and the probability that this order is right."""
        if self.swapped is None:
            return self.value, 1.0
        return (self.swapped if order.month_first else self.value), order.certainty


def find_dates(rows: Sequence[Row]) -> list[DateMatch]:
    """All dates of the rows with their labels."""
    dates: list[DateMatch] = []
    for index, row in enumerate(rows):
        for position, cell in enumerate(row.cells):
            for found in _read(cell, index):
                label = cell.text[: found.start].strip()
                if not any(map(str.isalpha, label)) and position:
                    label = row.cells[position - 1].text
                if not any(map(str.isalpha, label)):
                    label = _above(rows, index, cell)
                dates.append(
                    DateMatch(
                        found.value, found.swapped, cell, index, found.start, found.end, label, found.numbers
                    )
                )
    return dates


def _above(rows: Sequence[Row], index: int, cell: Cell) -> str:
    """The text directly above the cell in the same column."""
    for row in reversed(rows[max(0, index - 2) : index]):
        for other in row.cells:
            if row.page == cell.page and min(other.box.x1, cell.box.x1) > max(other.box.x0, cell.box.x0):
                return other.text
    return ""


def _read(cell: Cell, row: int) -> Iterator[DateMatch]:
    taken = 0
    matches = [
        *((match, _year_first(match)) for match in _YEAR_FIRST.finditer(cell.text)),
        *((match, _numeric(match)) for match in _NUMERIC.finditer(cell.text)),
        *((match, _named(match[1], match[2], match[3])) for match in _DAY_NAME.finditer(cell.text)),
        *((match, _named(match[2], match[1], match[3])) for match in _NAME_DAY.finditer(cell.text)),
        *((match, _compact(match)) for match in _COMPACT.finditer(cell.text)),
        *((match, _era(match)) for match in _ERA.finditer(cell.text)),
    ]
    for match, dates in sorted(matches, key=lambda item: item[0].start()):
        if dates is None or match.start() < taken:
            continue
        taken = match.end()
        numbers = (int(match[1]), int(match[3])) if match.re is _NUMERIC and match[3].isdigit() else None
        yield DateMatch(dates[0], dates[1], cell, row, match.start(), match.end(), numbers=numbers)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day) if 1950 <= year <= 2100 else None
    except ValueError:
        return None


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else 2000 + int(text) if int(text) < 70 else 1900 + int(text)


def _year_first(match: re.Match[str]) -> tuple[date, date | None] | None:
    value = _date(int(match[1]), int(match[3]), int(match[4]))
    return (value, None) if value else None


def _numeric(match: re.Match[str]) -> tuple[date, date | None] | None:
    first, second, year = int(match[1]), int(match[3]), _year(match[4])
    day_first, month_first = _date(year, second, first), _date(year, first, second)
    if match[2] == "." and day_first:
        return day_first, None  # dots are written in countries that write the day first
    if day_first and month_first and first != second:
        return day_first, month_first
    value = day_first or month_first
    return (value, None) if value else None


def _compact(match: re.Match[str]) -> tuple[date, date | None] | None:
    year, month, day = match.group(1, 2, 3) if match[1] else match.group(6, 5, 4)
    value = _date(int(year), int(month), int(day))
    return (value, None) if value else None


def _era(match: re.Match[str]) -> tuple[date, date | None] | None:
    year = _ERA_START[match[1]] + (1 if match[2] == "元" else int(match[2]))
    value = _date(year, int(match[3]), int(match[4]))
    return (value, None) if value else None


def _named(day: str, name: str, year: str) -> tuple[date, date | None] | None:
    month = MONTH_NUMBERS.get(name.lower())
    value = _date(_year(year), month, int(day)) if month else None
    return (value, None) if value else None
