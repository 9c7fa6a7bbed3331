"""Reads sheets of any size with one row in memory at a time; four times slower than calamine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from towpath import rejections
from towpath.readers.common import safe_xml
from towpath.readers.common.safe_xml import Element
from towpath.readers.common.safe_zip import Archive
from towpath.readers.office.sheets import NumberedRow, Row
from towpath.readers.office.xlsx.cell_values import format_value, from_serial, is_date_format
from towpath.readers.office.xlsx.workbook import FORMAT_NAME, Sheet, Workbook

# Excel's own limit of rows; as many strings as the maximum number of cells.
_MAX_ROWS = 1 << 20
_MAX_STRINGS = 2_000_000
_CELL_NAME = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")


@dataclass(frozen=True, slots=True)
class CellContext:
    """Data that cells refer to: shared strings, and the styles that show dates."""

    strings: list[str]
    date_styles: frozenset[str]
    date_1904: bool


def open_context(archive: Archive, workbook: Workbook) -> CellContext:
    """Load the shared strings and date styles of the workbook."""
    strings: list[str] = []
    if workbook.strings_part is not None and workbook.strings_part in archive:
        with archive.open_part(workbook.strings_part) as source:
            for item in safe_xml.stream_elements(source, ["{*}si"], FORMAT_NAME, workbook.strings_part):
                if len(strings) == _MAX_STRINGS:
                    raise rejections.too_large(
                        FORMAT_NAME, f"it has more than {_MAX_STRINGS:,} shared strings"
                    )
                strings.append(_string_text(item))
                safe_xml.free_element(item)
    return CellContext(strings, _date_styles(archive, workbook), workbook.date_1904)


def read_rows(archive: Archive, sheet: Sheet, context: CellContext) -> Iterator[NumberedRow]:
    """Stream the rows of one sheet."""
    number = 0
    with archive.open_part(sheet.part) as source:
        for element in islice(
            safe_xml.stream_elements(source, ["{*}row"], FORMAT_NAME, sheet.part), _MAX_ROWS
        ):
            number = safe_xml.parse_int(element.get("r"), number + 1)
            yield number, _cells(element, context)
            safe_xml.free_element(element)


def _cells(row: Element, context: CellContext) -> Row:
    cells: Row = {}
    column = -1
    for element in row:
        cell_name = _CELL_NAME.fullmatch(element.get("r") or "")
        column = _column_index(cell_name[1]) if cell_name else column + 1
        text = _cell_text(element, context)
        if text:
            cells[column] = text
    return cells


def _cell_text(cell: Element, context: CellContext) -> str:
    """The text of a cell; errors such as #N/A are empty, as in calamine."""
    kind = cell.get("t") or "n"
    if kind == "e":
        return ""
    if kind == "inlineStr":
        return _string_text(cell).strip()
    element = cell.find("{*}v")
    text = (element.text or "").strip() if element is not None else ""
    if kind == "s":
        index = safe_xml.parse_int(text, len(context.strings))
        return context.strings[index].strip() if index < len(context.strings) else ""
    if kind == "b":
        return format_value(text == "1") if text else ""
    if kind != "n" or not text:
        return text
    try:
        number = float(text)
    except ValueError:
        return text
    if (cell.get("s") or "") in context.date_styles:
        return format_value(from_serial(number, date_1904=context.date_1904))
    return format_value(number)


def _string_text(element: Element) -> str:
    """The text of a string without phonetic runs (``rPh``), which would repeat East Asian text."""
    return "".join(
        part.text or ""
        for part in element.iter("{*}t")
        if (parent := part.getparent()) is None or safe_xml.local_name(parent.tag) != "rPh"
    )


def _date_styles(archive: Archive, workbook: Workbook) -> frozenset[str]:
    content = archive.read_optional(workbook.styles_part) if workbook.styles_part else None
    if content is None or workbook.styles_part is None:
        return frozenset()
    root = safe_xml.parse_part(content, FORMAT_NAME, workbook.styles_part)
    codes = {
        format_element.get("numFmtId"): format_element.get("formatCode") or ""
        for format_element in root.iter("{*}numFmt")
    }
    formats = next(root.iter("{*}cellXfs"), None)
    return frozenset(
        str(index)
        for index, style in enumerate(formats if formats is not None else ())
        if is_date_format(safe_xml.parse_int(number := style.get("numFmtId"), 0), codes.get(number, ""))
    )


def _column_index(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1
