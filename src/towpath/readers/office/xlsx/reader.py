"""Reads Excel workbooks sheet by sheet: with calamine if that is safe, else with the streaming reader."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction
from towpath.readers.common.safe_zip import Archive, open_archive
from towpath.readers.office import ooxml
from towpath.readers.office.sheets import SheetWriter
from towpath.readers.office.xlsx import streaming_reader
from towpath.readers.office.xlsx.calamine_reader import (
    CalamineUnsupported,
    CalamineWorkbookReader,
    fits_in_memory,
)
from towpath.readers.office.xlsx.workbook import FORMAT_NAME, Workbook, open_workbook


def read_xlsx(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read every sheet as a page of pipe tables; an empty sheet is a page with its name."""
    with open_archive(path, FORMAT_NAME) as archive:
        workbook = open_workbook(archive)
        metadata = ooxml.core_properties(archive)
        try:
            if not fits_in_memory(archive, workbook):
                raise CalamineUnsupported("unusual size")
            writer = _read_with_calamine(path, workbook, progress)
            engine = "calamine"
        except CalamineUnsupported:
            writer = _read_streaming(archive, workbook, progress)
            engine = "towpath-xlsx/1"
    if len(writer.writer.blocks) == writer.writer.heading_count:
        raise rejections.empty(FORMAT_NAME)
    return writer.extraction(engine, metadata)


def _read_with_calamine(path: Path, workbook: Workbook, progress: Callable[[int, int], None]) -> SheetWriter:
    writer = SheetWriter()
    book = CalamineWorkbookReader(path)
    for done, sheet in enumerate(workbook.sheets, start=1):
        writer.write_sheet(sheet.name, book.rows(sheet.name))
        progress(done, len(workbook.sheets))
    return writer


def _read_streaming(
    archive: Archive, workbook: Workbook, progress: Callable[[int, int], None]
) -> SheetWriter:
    writer = SheetWriter()
    context = streaming_reader.open_context(archive, workbook)
    for done, sheet in enumerate(workbook.sheets, start=1):
        writer.write_sheet(sheet.name, streaming_reader.read_rows(archive, sheet, context))
        progress(done, len(workbook.sheets))
    return writer
