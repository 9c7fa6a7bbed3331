"""Detects the program of a file in Microsoft's compound format (OLE) by the streams inside."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from towpath.intake.read_limited_file import ReadBudgetFile

OLE = "application/x-ole-storage"
#: The directory that is read here: about 16,000 entries. Detection runs in the server process.
MAX_DIRECTORY_BYTES = 2 << 20
_STREAMS = (
    ("encryptedpackage", OLE),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
    ("worddocument", "application/msword"),
    ("powerpoint document", "application/vnd.ms-powerpoint"),
    ("workbook", "application/vnd.ms-excel"),
    ("book", "application/vnd.ms-excel"),
)


def ole_type(path: Path | None) -> str:
    """The media type; that of the container if the file is encrypted, damaged or of another program."""
    if path is None:
        return OLE
    olefile: Any = import_module("olefile")
    try:
        # The allocation table has 4 bytes for each sector of at least 512.
        limit = MAX_DIRECTORY_BYTES + path.stat().st_size // 100
        with ReadBudgetFile(path, limit) as file, olefile.OleFileIO(file) as container:
            names = {entry[0].lower() for entry in container.listdir(streams=True, storages=False)}
    except Exception:  # a damaged file can raise anything
        return OLE
    return next((media_type for name, media_type in _STREAMS if name in names), OLE)
