"""Reads a file with Towpath's readers in this process, without a server."""

from __future__ import annotations

import mimetypes
from functools import lru_cache
from pathlib import Path

from towpath.errors import Rejected
from towpath.model.content import Extraction
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.registry import find_reader, uses_ocr

NO_OCR = OcrSettings("off")


def ignore_progress(done: int, total: int) -> None:
    """Progress is not shown."""


@lru_cache(maxsize=4)
def read(path: Path, media_type: str = "", *, ocr: OcrSettings = NO_OCR) -> Extraction | None:
    """The extraction of a file, by default of the type of its name; None if it is rejected."""
    media_type = media_type or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    reader = find_reader(media_type)
    if reader is None:
        return None
    options = {"ocr": ocr} if uses_ocr(media_type) else {}
    try:
        return reader(path, ignore_progress, **options)
    except Rejected:
        return None


def markdown(path: Path) -> str:
    """The markdown of a file, without OCR; empty if it is rejected."""
    extraction = read(path)
    return extraction.markdown if extraction else ""
