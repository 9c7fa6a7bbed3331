"""Lists the languages that OCR can read with the installed engines and data, and how to install others."""

from __future__ import annotations

from dataclasses import dataclass

from towpath.bootstrap.reader import ocr_settings
from towpath.config import Settings
from towpath.readers.ocr.settings import INSTALL_COMMAND, find_engines, installed_languages, tessdata_folders
from towpath.readers.ocr.tesseract_languages import LANGUAGES, RAPIDOCR_SCRIPTS


@dataclass(frozen=True, slots=True)
class OcrLanguages:
    engines: list[str]
    folder: str | None
    #: Tesseract's code, name, whether its data is installed, and whether RapidOCR reads it.
    languages: list[tuple[str, str, bool, bool]]
    advice: list[str]


def list_ocr_languages(settings: Settings) -> OcrLanguages:
    ocr = ocr_settings(settings)
    engines = find_engines(ocr)
    folders = [folder for folder in tessdata_folders(ocr) if installed_languages(folder)]
    folder = engines.tesseract.folder if engines and engines.tesseract else next(iter(folders), None)
    installed = installed_languages(folder) if folder else ()
    has_rapidocr = engines is not None and engines.rapidocr
    known = [
        (code, name, code in installed, has_rapidocr and script in RAPIDOCR_SCRIPTS)
        for code, _, name, script in LANGUAGES
    ]
    others = [(code, code, True, False) for code in installed if code not in {row[0] for row in known}]
    names = (["RapidOCR"] if has_rapidocr else []) + (["Tesseract"] if engines and engines.tesseract else [])
    place = folder or (ocr.tessdata or "a folder that the setting `tessdata` names")
    advice = [
        f"Install RapidOCR and English for Tesseract: {INSTALL_COMMAND}",
        "Other languages for Tesseract: apt-get install tesseract-ocr-CODE (Debian, Ubuntu; `_` in a code is `-`),",
        f"brew install tesseract-lang (macOS), or put CODE.traineddata in {place}.",
    ]
    return OcrLanguages(names, str(folder) if folder else None, known + others, advice)
