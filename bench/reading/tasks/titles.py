"""Titles: the share of files whose title is right, apart from case, blanks and punctuation."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from pathlib import Path

from bench.reading.task import Counts, Metric, Sample, Tool, ratio
from bench.reading.tools import peers, titles, towpath
from towpath.fields.document_properties import document_properties

SUMMARY = "title of the document"
METRICS = (Metric("right", ratio("right", "files")),)


def load(data: Path) -> list[Sample]:
    folder = data / "titles"
    listing = folder / "truth.json"
    if not listing.exists():
        return []
    expected: dict[str, str] = json.loads(listing.read_text())
    return [Sample(name, folder / name, title) for name, title in sorted(expected.items())]


def tools() -> list[Tool]:
    available = [
        _tool("Towpath", towpath_title),
        _tool("metadata of the file alone", titles.metadata_title),
        _tool("liteparse, first heading", titles.liteparse_title),
    ]
    if peers.is_installed("pdfplumber"):
        available.append(_tool("pdfplumber, largest text of page 1", titles.largest_text))
    if peers.is_installed("markitdown"):
        available.append(_tool("markitdown, first heading or line", titles.markitdown_title))
    return available


def _tool(name: str, title_of: Callable[[Path], str]) -> Tool:
    return Tool(name, lambda sample: _score(sample, title_of(sample.path)))


def towpath_title(path: Path) -> str:
    extraction = towpath.read(path)
    if extraction is None:
        return ""
    return next((field.value for field in document_properties(extraction) if field.name == "title"), "")


def _score(sample: Sample, title: str) -> Counts:
    return {"files": 1, "right": float(_compared(title) == _compared(str(sample.truth)))}


def _compared(title: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", title).casefold()))
