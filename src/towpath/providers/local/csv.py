"""Comma-, semicolon- and tab-separated files, as pipe tables of fifty rows under their header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from towpath.model.content import Extraction
from towpath.providers.local import refusals
from towpath.providers.local.decode import decode
from towpath.providers.local.files import read_whole
from towpath.providers.local.sheets import Numbered, SheetWriter

_WHAT = "table of values"
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_LINES = 100


def read_csv(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """All rows up to the limit of a sheet; the delimiter is the one that gives even rows."""
    decoded = decode(read_whole(path, _WHAT))
    if not decoded.text.strip():
        raise refusals.empty(_WHAT)
    lines = decoded.text.replace("\f", " ").split("\n")
    # Excel's own way of naming the delimiter.
    named = re.fullmatch(r"sep=(\S)", lines[0].strip(), re.IGNORECASE)
    delimiter = named[1] if named else find_delimiter(lines)
    if named:
        lines.pop(0)
    sheet = SheetWriter()
    sheet.write_table(_numbered(_rows(lines, delimiter)))
    if not sheet.pages:
        raise refusals.empty(_WHAT)
    if decoded.warning:
        sheet.warnings.append(decoded.warning)
    progress(1, 1)
    return sheet.extraction("towpath-csv/1", {"encoding": decoded.encoding, "delimiter": delimiter})


def find_delimiter(lines: Sequence[str]) -> str:
    """The sign that parts the first rows into the same number of columns, preferring many columns."""
    sample = [line for line in lines[:_SAMPLE_LINES] if line.strip()]

    def evenness(delimiter: str) -> float:
        widths = Counter(len(row) for row in _rows(sample, delimiter))
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(1, 0))
        return count / widths.total() * min(width, 10) if width > 1 else 0.0

    return max(_DELIMITERS, key=evenness)


def _rows(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    """Rows with quotes understood; after a quote that is never closed, the rest is read without them."""
    reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter)
    done = 0
    try:
        for row in reader:
            done = reader.line_num
            yield row
    except csv.Error:
        yield from (line.split(delimiter) for line in lines[done:])


def _numbered(rows: Iterator[list[str]]) -> Iterator[Numbered]:
    for number, row in enumerate(rows, start=1):
        yield number, {column: text for column, value in enumerate(row) if (text := value.strip())}
