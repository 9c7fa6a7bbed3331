"""Files in Microsoft's old compound format: locked Office files, and the formats from before 2007.

Neither can be read here; what is inside decides which of the two the person is told.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from towpath.providers.local import refusals

MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")

# Names of streams as they stand in the directory of the compound file, which is UTF-16.
_LOCKED = ("EncryptedPackage", "EncryptionInfo")
_LEGACY = (
    ("WordDocument", "An old Word file (.doc)", "Open it there and save it as .docx."),
    ("PowerPoint Document", "An old PowerPoint file (.ppt)", "Open it there and save it as .pptx."),
    ("Workbook", "An old Excel file (.xls)", "Open it there and save it as .xlsx."),
    ("__properties_version1.0", "An Outlook message (.msg)", "Save it as .eml or as PDF."),
)


def read_ole(path: Path, progress: Callable[[int, int], None]) -> NoReturn:
    """Refuse the file, saying what it is; has the shape of a reader so that it can be registered as one."""
    reject_ole(path)


def reject_ole(path: Path) -> NoReturn:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if any(content.find(name.encode("utf-16-le")) >= 0 for name in _LOCKED):
            raise refusals.encrypted("Office file")
        for name, what, remedy in _LEGACY:
            if content.find(name.encode("utf-16-le")) >= 0:
                raise refusals.unsupported(what, remedy)
    raise refusals.unsupported("A file of an old Office format", "Save it as .docx, .xlsx, .pptx or PDF.")
