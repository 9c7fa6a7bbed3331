"""The frugal engine: one row in memory at a time, whatever the sheet claims to be. Four times slower."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from towpath.providers.local import xml
from towpath.providers.local.sheets import Numbered, Row
from towpath.providers.local.xlsx.values import from_serial, is_date_format, written
from towpath.providers.local.xlsx.workbook import WHAT, Sheet, Workbook
from towpath.providers.local.xml import Element
from towpath.providers.local.zips import Archive

# As many rows as Excel itself allows, and as many strings as cells are read.
_MOST_ROWS = 1 << 20
_MOST_STRINGS = 2_000_000
_PLACE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


@dataclass(frozen=True, slots=True)
class Context:
    """What cells refer to: the shared strings, and the styles that show dates."""

    strings: list[str]
    date_styles: frozenset[str]
    counts_from_1904: bool


def open_context(archive: Archive, workbook: Workbook) -> Context:
    strings: list[str] = []
    if workbook.strings is not None and workbook.strings in archive:
        with archive.stream(workbook.strings) as source:
            for item in islice(xml.stream(source, ["{*}si"], WHAT, workbook.strings), _MOST_STRINGS):
                strings.append(_text(item))
                xml.drop(item)
    return Context(strings, _date_styles(archive, workbook), workbook.counts_from_1904)


def rows(archive: Archive, sheet: Sheet, context: Context) -> Iterator[Numbered]:
    number = 0
    with archive.stream(sheet.part) as source:
        for element in islice(xml.stream(source, ["{*}row"], WHAT, sheet.part), _MOST_ROWS):
            number = xml.whole_number(element.get("r"), number + 1)
            yield number, _cells(element, context)
            xml.drop(element)


def _cells(row: Element, context: Context) -> Row:
    cells: Row = {}
    column = -1
    for element in row:
        place = _PLACE.fullmatch(element.get("r") or "")
        column = _column(place[1]) if place else column + 1
        text = _value(element, context)
        if text:
            cells[column] = text
    return cells


def _value(cell: Element, context: Context) -> str:
    """The text of a cell; errors such as #N/A are silent, as they are in the fast engine."""
    kind = cell.get("t") or "n"
    if kind == "e":
        return ""
    if kind == "inlineStr":
        return _text(cell).strip()
    found = cell.find("{*}v")
    text = (found.text or "").strip() if found is not None else ""
    if kind == "s":
        index = xml.whole_number(text, len(context.strings))
        return context.strings[index].strip() if index < len(context.strings) else ""
    if kind == "b":
        return written(text == "1") if text else ""
    if kind != "n" or not text:
        return text
    try:
        number = float(text)
    except ValueError:
        return text
    if (cell.get("s") or "") in context.date_styles:
        return written(from_serial(number, counts_from_1904=context.counts_from_1904))
    return written(number)


def _text(element: Element) -> str:
    """The runs of a string; the reading aids of East Asian scripts would say it twice."""
    return "".join(
        part.text or ""
        for part in element.iter("{*}t")
        if (above := part.getparent()) is None or xml.local_name(above.tag) != "rPh"
    )


def _date_styles(archive: Archive, workbook: Workbook) -> frozenset[str]:
    content = archive.find(workbook.styles) if workbook.styles else None
    if content is None or workbook.styles is None:
        return frozenset()
    root = xml.parse(content, WHAT, workbook.styles)
    codes = {found.get("numFmtId"): found.get("formatCode") or "" for found in root.iter("{*}numFmt")}
    formats = next(root.iter("{*}cellXfs"), None)
    return frozenset(
        str(index)
        for index, style in enumerate(formats if formats is not None else ())
        if is_date_format(xml.whole_number(number := style.get("numFmtId"), 0), codes.get(number, ""))
    )


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1
