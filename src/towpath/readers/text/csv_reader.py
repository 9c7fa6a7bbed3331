"""Reads comma-, semicolon- and tab-separated files as pipe tables of fifty rows with the header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction
from towpath.readers.common.bounded_read import read_bounded
from towpath.readers.common.encoding import decode
from towpath.readers.office.sheets import NumberedRow, SheetWriter

_FORMAT_NAME = "table of values"
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 100


def read_csv(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read all rows up to the limit of a sheet. The delimiter is declared by ``sep=`` or detected."""
    decoded = decode(read_bounded(path, _FORMAT_NAME))
    if not decoded.text.strip():
        raise rejections.empty(_FORMAT_NAME)
    lines = decoded.text.replace("\f", " ").split("\n")
    # A first line "sep=;" is Excel's way to declare the delimiter.
    declared = re.fullmatch(r"sep=(\S)", lines[0].strip(), re.IGNORECASE)
    delimiter = declared[1] if declared else find_delimiter(lines)
    if declared:
        lines.pop(0)
    sheet = SheetWriter()
    sheet.write_table(_numbered_rows(_rows(lines, delimiter)))
    if not sheet.pages:
        raise rejections.empty(_FORMAT_NAME)
    if decoded.warning:
        sheet.warnings.append(decoded.warning)
    progress(1, 1)
    return sheet.extraction("towpath-csv/1", {"encoding": decoded.encoding, "delimiter": delimiter})


def find_delimiter(lines: Sequence[str]) -> str:
    """The delimiter that splits the first 100 rows into equally many columns; more columns are better."""
    sample = [line for line in lines[:_SAMPLE_LINES] if line.strip()]

    def evenness(delimiter: str) -> float:
        widths = Counter(len(row) for row in _rows(sample, delimiter))
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
        return count / widths.total() * min(width, 10) if width > 1 else 0.0

    return max(_DELIMITERS, key=evenness)


def _rows(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    """Parse rows with quotes. After a parse error the rest is split without regard to quotes."""
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter)
    lines_read = 0
    try:
        for row in reader:
            lines_read = reader.line_num
            yield row
    except csv.Error:
        yield from (line.split(delimiter) for line in lines[lines_read:])


def _numbered_rows(rows: Iterator[list[str]]) -> Iterator[NumberedRow]:
    for number, row in enumerate(rows, start=1):
        yield number, {column: text for column, value in enumerate(row) if (text := value.strip())}
