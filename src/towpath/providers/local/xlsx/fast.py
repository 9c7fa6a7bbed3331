"""The fast engine, calamine. It reads by itself and makes room for every cell between the first and the
last, so a workbook is looked through before it is handed over: one cell in a far corner would ask for 512 GB.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from towpath.providers.local import refusals
from towpath.providers.local.sheets import Numbered
from towpath.providers.local.xlsx.values import written
from towpath.providers.local.xlsx.workbook import WHAT, Workbook
from towpath.providers.local.zips import Archive

_LARGEST_PART = 64 << 20
_OVERLAP = 32
# Cell names are compared by their shape, every letter an A, every digit a 0: five times as fast as a regex.
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SHAPES = bytes.maketrans(_LETTERS + b"0123456789\t\n\r", b"A" * 26 + b"0" * 10 + b"   ")
_ABSURD = (b'r="AAA', b'r="A000000', b'r="AA000000', b"r='", b"r =", b"r= ")
_WIDE = (b'r="AA0',)
_LONG = (b'r="A00000', b'r="AA00000')


class Unfit(Exception):
    """The fast engine cannot read this workbook; the frugal one may."""


def is_ordinary(archive: Archive, workbook: Workbook) -> bool:
    """Whether every sheet is either narrow or short, and every part of a size that can be held."""
    parts = [sheet.part for sheet in workbook.sheets]
    others = [part for part in (workbook.strings, workbook.styles) if part is not None and part in archive]
    small = all(_is_small(archive, part) for part in others)
    return small and all(_is_compact(archive, part) for part in parts)


def _is_small(archive: Archive, part: str) -> bool:
    size = 0
    with archive.stream(part) as source:
        while size <= _LARGEST_PART and (block := source.read()):
            size += len(block)
    return size <= _LARGEST_PART


def _is_compact(archive: Archive, part: str) -> bool:
    """At most 26 columns of 99,999 rows, or 702 columns of 9,999: some 200 MB with room for every cell."""
    size, tail, wide, long = 0, b"", False, False
    with archive.stream(part) as source:
        while block := source.read():
            size += len(block)
            window = tail + block.translate(_SHAPES)
            wide = wide or _holds(window, _WIDE)
            long = long or _holds(window, _LONG)
            if size > _LARGEST_PART or (wide and long) or _holds(window, _ABSURD):
                return False
            tail = window[-_OVERLAP:]
    return True


def _holds(window: bytes, shapes: tuple[bytes, ...]) -> bool:
    return any(shape in window for shape in shapes)


class FastBook:
    """A workbook opened by calamine. Everything it may raise becomes ``Unfit``, save for a password."""

    def __init__(self, path: Path) -> None:
        from python_calamine import CalamineWorkbook, PasswordError

        try:
            self._book = CalamineWorkbook.from_path(path)
        except PasswordError as error:
            raise refusals.encrypted(WHAT) from error
        except BaseException as error:
            raise _unfit(error) from error

    def rows(self, name: str) -> Iterator[Numbered]:
        try:
            sheet = self._book.get_sheet_by_name(name)
            first = sheet.start[0] + 1 if sheet.start else 1
            for number, row in enumerate(sheet.iter_rows(), start=first):
                yield number, {column: text for column, value in enumerate(row) if (text := written(value))}
        except GeneratorExit:
            raise
        except BaseException as error:
            raise _unfit(error) from error


def _unfit(error: BaseException) -> BaseException:
    """A panic of the Rust code is no ordinary Exception, and is recognised by its name alone."""
    ordinary = isinstance(error, Exception) or type(error).__name__ == "PanicException"
    return Unfit(str(error)) if ordinary else error
