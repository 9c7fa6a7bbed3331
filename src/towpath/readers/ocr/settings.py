"""Which of the OCR engines that the settings allow are installed, for which languages, or what is missing.

Tesseract itself is built into liteparse; only its language data must be installed. RapidOCR is a package with its
models inside. ``page_ocr.py`` uses them for scanned PDFs and for images.
"""

from __future__ import annotations

import os
import site
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from towpath.errors import Rejected

EngineChoice = Literal["auto", "rapidocr", "tesseract", "off"]
ENGINE_CHOICES: tuple[EngineChoice, ...] = ("auto", "rapidocr", "tesseract", "off")
INSTALL_COMMAND = "pip install 'towpath[ocr]'"
#: The language of each page is detected among the installed ones.
DETECT = "auto"

_SYSTEM_TESSDATA = ("/usr/share/tessdata", "/usr/local/share/tessdata", "/opt/homebrew/share/tessdata")
_NOT_LANGUAGES = frozenset(("osd", "equ"))


@dataclass(frozen=True, slots=True)
class OcrSettings:
    """The engine, the folder of the language data, and the languages (Tesseract's codes, or `DETECT`)."""

    engine: EngineChoice = "auto"
    tessdata: Path | None = None
    languages: tuple[str, ...] = (DETECT,)


@dataclass(frozen=True, slots=True)
class LanguageData:
    """A folder of Tesseract's language data, and the languages to read with."""

    folder: Path
    languages: tuple[str, ...]
    #: Whether ``languages`` are those to choose from, page by page.
    detect: bool = False


@dataclass(frozen=True, slots=True)
class OcrEngines:
    """The engines that are chosen and installed; at least one of them."""

    rapidocr: bool
    tesseract: LanguageData | None

    @property
    def names(self) -> tuple[str, ...]:
        """The engines, and the languages of Tesseract: what decides the result besides the file."""
        languages = self.tesseract.languages if self.tesseract else ()
        return (*(("rapidocr",) if self.rapidocr else ()), *(f"tesseract:{name}" for name in languages))


def find_engines(settings: OcrSettings) -> OcrEngines | None:
    """The engines that can be used; None if OCR is off or nothing is installed for it."""
    rapidocr = settings.engine in ("auto", "rapidocr") and find_spec("rapidocr") is not None
    tesseract = find_language_data(settings) if settings.engine in ("auto", "tesseract") else None
    return OcrEngines(rapidocr, tesseract) if rapidocr or tesseract else None


def find_language_data(settings: OcrSettings) -> LanguageData | None:
    """The first folder that has any configured language; None if no folder has one."""
    detect = DETECT in settings.languages
    for folder in tessdata_folders(settings):
        installed = installed_languages(folder)
        languages = installed if detect else tuple(name for name in settings.languages if name in installed)
        if languages:
            return LanguageData(folder, languages, detect)
    return None


def installed_languages(folder: Path) -> tuple[str, ...]:
    """The languages of a folder by name; English first, because it reads unknown Latin text best."""
    names = {path.stem for path in folder.glob("*.traineddata")} - _NOT_LANGUAGES
    return tuple(sorted(names, key=lambda name: (name != "eng", name)))


def tessdata_folders(settings: OcrSettings) -> Iterator[Path]:
    """The folders in which language data is looked for, in order."""
    if settings.tessdata is not None:
        yield settings.tessdata
        return
    if prefix := os.environ.get("TESSDATA_PREFIX"):
        yield Path(prefix)
    # Debian's folder grows by `apt-get install`, the folder of the Python package has English only.
    system = [*sorted(Path("/usr/share/tesseract-ocr").glob("*/tessdata"), reverse=True)]
    folders = [Path(base, "share", "tessdata") for base in (sys.prefix, sys.base_prefix, site.getuserbase())]
    folders += [*system, *map(Path, _SYSTEM_TESSDATA)]
    if DETECT in settings.languages:
        folders.sort(key=lambda folder: -len(installed_languages(folder)))
    yield from folders


def unavailable_reason(settings: OcrSettings) -> str:
    """Why ``find_engines`` returned None, as a sentence that says what to do."""
    if settings.engine == "off":
        return "OCR is turned off. Turn it on in the settings and process the document again."
    if settings.engine == "rapidocr":
        return f"OCR needs the package rapidocr. Install it: {INSTALL_COMMAND}"
    names = ("eng",) if DETECT in settings.languages else settings.languages
    file_names = ", ".join(f"{name}.traineddata" for name in names)
    if settings.tessdata is not None:
        return f"The folder {settings.tessdata} has no OCR language data. Put {file_names} there."
    if settings.engine == "auto":
        return (
            f"OCR needs the package rapidocr or language data ({file_names}). Install it: {INSTALL_COMMAND}"
        )
    return f"OCR needs language data ({file_names}). Install it: {INSTALL_COMMAND}"


def ocr_unavailable(format_name: str, reason: str) -> Rejected:
    """The rejection of a file that only OCR could read."""
    return Rejected("ocr_unavailable", f"This {format_name} has no text layer, only images of text. {reason}")


def missing_language_warnings(settings: OcrSettings, engines: OcrEngines) -> tuple[str, ...]:
    """A warning if some configured languages have no data; else empty."""
    data = engines.tesseract
    missing = [name for name in settings.languages if data and name not in (*data.languages, DETECT)]
    if not missing or data is None:
        return ()
    return (
        f"OCR used the languages {', '.join(data.languages)} only: "
        f"{data.folder} has no data for {', '.join(missing)}.",
    )
