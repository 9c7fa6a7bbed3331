"""Tools that find the main text of a web page, each as plain text."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from bench.reading.markdown_text import plain_text
from bench.reading.tools import towpath
from towpath.readers.common.encoding import declared_encoding, decode


def towpath_text(path: Path) -> str:
    extraction = towpath.read(path, "text/html")
    return plain_text(extraction.markdown) if extraction else ""


def trafilatura_text(path: Path) -> str:
    trafilatura: Any = import_module("trafilatura")
    return str(trafilatura.extract(path.read_bytes(), include_comments=False) or "")


def readability_text(path: Path) -> str:
    readability: Any = import_module("readability")
    html: Any = import_module("lxml.html")
    content = path.read_bytes()
    summary = readability.Document(decode(content, declared_encoding(content)).text).summary(
        html_partial=True
    )
    return "\n".join(html.fromstring(summary).itertext())
