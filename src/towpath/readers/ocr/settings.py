"""OCR settings, and the search for Tesseract's language data.

Tesseract itself is built into liteparse; only the language data must be installed. ``page_ocr.py`` uses it
for scanned PDFs and for images.
"""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from towpath.errors import Rejected

INSTALL_COMMAND = "pip install 'towpath[ocr]'"

_SYSTEM_TESSDATA = ("/usr/share/tessdata", "/usr/local/share/tessdata", "/opt/homebrew/share/tessdata")


@dataclass(frozen=True, slots=True)
class OcrSettings:
    """Whether OCR is on, the folder of the language data, and the languages (Tesseract's codes)."""

    enabled: bool = True
    tessdata: Path | None = None
    languages: tuple[str, ...] = ("eng",)


@dataclass(frozen=True, slots=True)
class LanguageData:
    """A folder of Tesseract's language data, and the configured languages that it has."""

    folder: Path
    languages: tuple[str, ...]


def find_language_data(settings: OcrSettings) -> LanguageData | None:
    """The first folder that has any configured language; None if OCR is off or no folder has one."""
    if not settings.enabled:
        return None
    for folder in _tessdata_folders(settings):
        languages = tuple(name for name in settings.languages if (folder / f"{name}.traineddata").is_file())
        if languages:
            return LanguageData(folder, languages)
    return None


def _tessdata_folders(settings: OcrSettings) -> Iterator[Path]:
    if settings.tessdata is not None:
        yield settings.tessdata
        return
    if prefix := os.environ.get("TESSDATA_PREFIX"):
        yield Path(prefix)
    for base in (sys.prefix, sys.base_prefix, site.getuserbase()):
        yield Path(base, "share", "tessdata")
    yield from sorted(Path("/usr/share/tesseract-ocr").glob("*/tessdata"), reverse=True)
    yield from map(Path, _SYSTEM_TESSDATA)


def unavailable_reason(settings: OcrSettings) -> str:
    """Why ``find_language_data`` returned None, as a sentence that says what to do."""
    if not settings.enabled:
        return "OCR is turned off. Turn it on in the settings and process the document again."
    file_names = ", ".join(f"{name}.traineddata" for name in settings.languages)
    if settings.tessdata is not None:
        return f"The folder {settings.tessdata} has no OCR language data. Put {file_names} there."
    return f"OCR needs language data ({file_names}). Install it: {INSTALL_COMMAND}"


def ocr_unavailable(format_name: str, reason: str) -> Rejected:
    """The rejection of a file that only OCR could read."""
    return Rejected("ocr_unavailable", f"This {format_name} has no text layer, only images of text. {reason}")


def missing_language_warnings(settings: OcrSettings, data: LanguageData) -> tuple[str, ...]:
    """A warning if some configured languages have no data; else empty."""
    missing = [name for name in settings.languages if name not in data.languages]
    if not missing:
        return ()
    return (
        f"OCR used the languages {', '.join(data.languages)} only: "
        f"{data.folder} has no data for {', '.join(missing)}.",
    )
