"""Whether pictures of text can be read here: the setting, and where Tesseract's language data lies.

Tesseract itself is built into liteparse; only the data must be there. The reading is done in
``pdf/recognizer.py``, for scanned PDFs and for images alike.
"""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from towpath.errors import Rejected

INSTALL = "pip install 'towpath[ocr]'"

_SYSTEM_FOLDERS = ("/usr/share/tessdata", "/usr/local/share/tessdata", "/opt/homebrew/share/tessdata")


@dataclass(frozen=True, slots=True)
class OcrSettings:
    """Whether to read pictures of text, in which languages (Tesseract's names), with data from where."""

    enabled: bool = True
    tessdata: Path | None = None
    languages: tuple[str, ...] = ("eng",)


@dataclass(frozen=True, slots=True)
class LanguageData:
    """A folder of Tesseract's data, and which of the languages wanted it holds."""

    folder: Path
    languages: tuple[str, ...]


def language_data(settings: OcrSettings) -> LanguageData | None:
    """The first folder that holds any of the languages wanted; None when OCR is off or nothing is there."""
    if not settings.enabled:
        return None
    for folder in _folders(settings):
        found = tuple(name for name in settings.languages if (folder / f"{name}.traineddata").is_file())
        if found:
            return LanguageData(folder, found)
    return None


def _folders(settings: OcrSettings) -> Iterator[Path]:
    if settings.tessdata is not None:
        yield settings.tessdata
        return
    if prefix := os.environ.get("TESSDATA_PREFIX"):
        yield Path(prefix)
    for base in (sys.prefix, sys.base_prefix, site.getuserbase()):
        yield Path(base, "share", "tessdata")
    yield from sorted(Path("/usr/share/tesseract-ocr").glob("*/tessdata"), reverse=True)
    yield from map(Path, _SYSTEM_FOLDERS)


def why_unavailable(settings: OcrSettings) -> str:
    """What is missing when ``language_data`` found nothing, as a sentence that says what to do."""
    if not settings.enabled:
        return "Reading text from pictures is turned off; turn it on in the settings."
    wanted = ", ".join(f"{name}.traineddata" for name in settings.languages)
    if settings.tessdata is not None:
        return f"The folder {settings.tessdata} holds no language data ({wanted}); put it there."
    return f"Reading text from pictures needs language data ({wanted}): {INSTALL}"


def unavailable(what: str, why: str) -> Rejected:
    return Rejected("ocr_unavailable", f"This {what} is a picture of text. {why}")


def missing_languages(settings: OcrSettings, data: LanguageData) -> tuple[str, ...]:
    """A warning when some of the languages wanted are not there."""
    missing = [name for name in settings.languages if name not in data.languages]
    if not missing:
        return ()
    return (
        f"Pictures of text were read as {', '.join(data.languages)} only: "
        f"{data.folder} holds no data for {', '.join(missing)}.",
    )
