"""OCR engines alone: RapidOCR with its default options, and the command `tesseract` with its default options."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, cast

from bench.reading.tools import towpath
from towpath.readers.ocr.settings import OcrSettings


def has_tesseract() -> bool:
    return shutil.which("tesseract") is not None


def tesseract_text(path: Path) -> str:
    """The text of `tesseract FILE -`."""
    command = ["tesseract", str(path), "-"]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False).stdout


@lru_cache(maxsize=512)
def rapidocr_text(path: Path) -> str:
    """The texts of RapidOCR in the order in which it returns them."""
    result = _rapidocr()(str(path))
    return "\n".join(result.txts or ())


@cache
def _rapidocr() -> Any:
    import logging

    from rapidocr import RapidOCR

    logging.getLogger("RapidOCR").setLevel(logging.ERROR)
    return cast(Any, RapidOCR)(params={"Global.log_level": "error"})


def towpath_text(path: Path, engine: str) -> str:
    """The markdown of Towpath without its markup."""
    extraction = towpath.read(path, ocr=OcrSettings(cast(Any, engine)))
    return extraction.markdown.replace("#", " ").replace("|", " ") if extraction else ""
