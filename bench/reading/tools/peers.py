"""Other open tools that turn a file into markdown. They are installed with the dependency group ``bench``."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def is_installed(module: str) -> bool:
    return find_spec(module) is not None


def liteparse_markdown(path: Path) -> str:
    """liteparse alone, with its default options for markdown and without OCR."""
    from liteparse.parser import LiteParse

    parser = LiteParse(quiet=True, output_format="markdown", max_pages=100_000, ocr_enabled=False)
    return "\n\n".join(page.markdown for page in parser.parse(path).pages)


def markitdown_markdown(path: Path) -> str:
    """markitdown without plugins and without a model."""
    return str(_markitdown().convert(str(path)).text_content)


@cache
def _markitdown() -> Any:
    from markitdown import MarkItDown  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

    return MarkItDown()


def pdfplumber_tables(path: Path) -> list[list[list[str]]]:
    """The tables that pdfplumber finds with its default settings, as rows of cells."""
    import pdfplumber  # pyright: ignore[reportMissingImports]

    with pdfplumber.open(path) as document:
        return [
            [[cell or "" for cell in row] for row in table]
            for page in document.pages
            for table in page.extract_tables()
        ]
