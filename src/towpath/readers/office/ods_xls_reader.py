"""Reads OpenDocument spreadsheets (.ods) and old Excel workbooks (.xls) sheet by sheet with calamine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction
from towpath.readers.common.bounded_read import require_size
from towpath.readers.office.sheets import SheetWriter
from towpath.readers.office.xlsx.calamine_reader import CalamineUnsupported, CalamineWorkbookReader

_MAX_BYTES = 100 << 20


def read_ods(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    return _read(path, "OpenDocument spreadsheet", progress)


def read_xls(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    return _read(path, "Excel workbook", progress)


def _read(path: Path, format_name: str, progress: Callable[[int, int], None]) -> Extraction:
    """Read every sheet as a page of pipe tables."""
    require_size(path, format_name, _MAX_BYTES)
    writer = SheetWriter()
    try:
        book = CalamineWorkbookReader(path)
        for done, name in enumerate(book.sheet_names, start=1):
            writer.write_sheet(name, book.rows(name))
            progress(done, len(book.sheet_names))
    except CalamineUnsupported as error:
        raise rejections.corrupt(format_name, str(error)) from error
    if len(writer.writer.blocks) == writer.writer.heading_count:
        raise rejections.empty(format_name)
    return writer.extraction("calamine", {})
