"""Rejects files in Microsoft's compound format (OLE) that no reader takes: encrypted files and old formats.

The names of the streams inside decide which reason the user gets.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from towpath import rejections

MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")

# Names of streams; the directory of the compound file stores them in UTF-16.
_ENCRYPTED_STREAMS = ("EncryptedPackage", "EncryptionInfo")
_LEGACY_FORMATS = (
    ("WordDocument", "An old Word file (.doc)", "Open it in Word and save it as .docx."),
    ("PowerPoint Document", "An old PowerPoint file (.ppt)", "Open it in PowerPoint and save it as .pptx."),
    ("Workbook", "An old Excel file (.xls)", "Open it in Excel and save it as .xlsx."),
    ("__properties_version1.0", "An Outlook message (.msg)", "Save it as .eml or as PDF."),
)


def read_ole(path: Path, progress: Callable[[int, int], None]) -> NoReturn:
    """Reject the file; has the signature of a reader, so that the registry can name it."""
    reject_ole(path)


def reject_ole(path: Path) -> NoReturn:
    """Reject a compound file as encrypted or, with its name, as unsupported."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if any(content.find(name.encode("utf-16-le")) >= 0 for name in _ENCRYPTED_STREAMS):
            raise rejections.encrypted("Office file")
        for name, format_name, remedy in _LEGACY_FORMATS:
            if content.find(name.encode("utf-16-le")) >= 0:
                raise rejections.unsupported(format_name, remedy)
    raise rejections.unsupported("A file of an old Office format", "Save it as .docx, .xlsx, .pptx or PDF.")
