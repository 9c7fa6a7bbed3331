"""Reads workbooks with calamine, the fast engine, after a check that they fit into memory.

calamine allocates every cell between the first and the last one: a single cell in the last corner of a
sheet would take 512 GB. So a workbook is scanned before it is given to calamine.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from towpath import rejections
from towpath.readers.common.safe_zip import Archive
from towpath.readers.office.sheets import NumberedRow
from towpath.readers.office.xlsx.cell_values import format_value
from towpath.readers.office.xlsx.workbook import FORMAT_NAME, Workbook

_MAX_PART_BYTES = 64 << 20
_OVERLAP_BYTES = 32
# Cell names are compared by shape, each letter as A and each digit as 0: five times as fast as a regex.
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SHAPE_TABLE = bytes.maketrans(_LETTERS + b"0123456789\t\n\r", b"A" * 26 + b"0" * 10 + b"   ")
_TOO_FAR = (b'r="AAA', b'r="A000000', b'r="AA000000', b"r='", b"r =", b"r= ")
_WIDE = (b'r="AA0',)
_LONG = (b'r="A00000', b'r="AA00000')


class CalamineUnsupported(Exception):
    """calamine cannot read this workbook; the streaming reader may."""


def fits_in_memory(archive: Archive, workbook: Workbook) -> bool:
    """True if every sheet is narrow or short and every part fits into memory."""
    parts = [sheet.part for sheet in workbook.sheets]
    others = [
        part for part in (workbook.strings_part, workbook.styles_part) if part is not None and part in archive
    ]
    small = all(_is_small(archive, part) for part in others)
    return small and all(_is_compact(archive, part) for part in parts)


def _is_small(archive: Archive, part: str) -> bool:
    size = 0
    with archive.open_part(part) as source:
        while size <= _MAX_PART_BYTES and (block := source.read()):
            size += len(block)
    return size <= _MAX_PART_BYTES


def _is_compact(archive: Archive, part: str) -> bool:
    """True for at most 26 columns by 99,999 rows or 702 columns by 9,999 rows: about 200 MB in calamine."""
    size, tail, wide, long = 0, b"", False, False
    with archive.open_part(part) as source:
        while block := source.read():
            size += len(block)
            window = tail + block.translate(_SHAPE_TABLE)
            wide = wide or _contains_any(window, _WIDE)
            long = long or _contains_any(window, _LONG)
            if size > _MAX_PART_BYTES or (wide and long) or _contains_any(window, _TOO_FAR):
                return False
            tail = window[-_OVERLAP_BYTES:]
    return True


def _contains_any(window: bytes, shapes: tuple[bytes, ...]) -> bool:
    return any(shape in window for shape in shapes)


class CalamineWorkbookReader:
    """A workbook opened by calamine. Its errors become ``CalamineUnsupported``; a password rejects the file."""

    def __init__(self, path: Path) -> None:
        from python_calamine import CalamineWorkbook, PasswordError

        try:
            self._book = CalamineWorkbook.from_path(path)
        except PasswordError as error:
            raise rejections.encrypted(FORMAT_NAME) from error
        except BaseException as error:
            raise _translate_error(error) from error

    @property
    def sheet_names(self) -> list[str]:
        return list(self._book.sheet_names)

    def rows(self, name: str) -> Iterator[NumberedRow]:
        """The rows of the sheet of this name."""
        try:
            sheet = self._book.get_sheet_by_name(name)
            first = sheet.start[0] + 1 if sheet.start else 1
            for number, row in enumerate(sheet.iter_rows(), start=first):
                yield (
                    number,
                    {column: text for column, value in enumerate(row) if (text := format_value(value))},
                )
        except GeneratorExit:
            raise
        except BaseException as error:
            raise _translate_error(error) from error


def _translate_error(error: BaseException) -> BaseException:
    """Translate an error of calamine. A Rust panic is not an Exception and is known by its name only."""
    ordinary = isinstance(error, Exception) or type(error).__name__ == "PanicException"
    return CalamineUnsupported(str(error)) if ordinary else error
