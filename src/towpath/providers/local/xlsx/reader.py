"""Reads a workbook sheet by sheet, with the fast engine where that is safe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath.model.content import Extraction
from towpath.providers.local import ooxml, refusals
from towpath.providers.local.sheets import SheetWriter
from towpath.providers.local.xlsx import frugal
from towpath.providers.local.xlsx.fast import FastBook, Unfit, is_ordinary
from towpath.providers.local.xlsx.workbook import WHAT, Workbook, open_workbook
from towpath.providers.local.zips import Archive, open_archive


def read_xlsx(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Every sheet as a page of pipe tables; an empty sheet is a page with its name."""
    with open_archive(path, WHAT) as archive:
        workbook = open_workbook(archive)
        metadata = ooxml.properties(archive)
        try:
            if not is_ordinary(archive, workbook):
                raise Unfit("unusual size")
            writer = _read_fast(path, workbook, progress)
            engine = "calamine"
        except Unfit:
            writer = _read_frugally(archive, workbook, progress)
            engine = "towpath-xlsx/1"
    if len(writer.writer.blocks) == writer.writer.headings:
        raise refusals.empty(WHAT)
    return writer.extraction(engine, metadata)


def _read_fast(path: Path, workbook: Workbook, progress: Callable[[int, int], None]) -> SheetWriter:
    writer = SheetWriter()
    book = FastBook(path)
    for done, sheet in enumerate(workbook.sheets, start=1):
        writer.write_sheet(sheet.name, book.rows(sheet.name))
        progress(done, len(workbook.sheets))
    return writer


def _read_frugally(archive: Archive, workbook: Workbook, progress: Callable[[int, int], None]) -> SheetWriter:
    writer = SheetWriter()
    context = frugal.open_context(archive, workbook)
    for done, sheet in enumerate(workbook.sheets, start=1):
        writer.write_sheet(sheet.name, frugal.rows(archive, sheet, context))
        progress(done, len(workbook.sheets))
    return writer
