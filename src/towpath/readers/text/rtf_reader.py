"""Reads rich text files (.rtf) as plain paragraphs."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from towpath import rejections
from towpath.model.content import Extraction
from towpath.readers.common.bounded_read import read_bounded
from towpath.readers.common.markdown_writer import (
    MarkdownWriter,
    escape_inline,
    remove_control_characters,
    table_cell,
)

FORMAT_NAME = "rich text file"

_INFO = re.compile(rb"\{\\(title|author|subject|keywords)\s+([^{}\\]{1,500})\}")
_ITEM = re.compile(r"(?:([•·▪◦–])|(\d{1,3})[.)])\s+(?=\S)")
_METADATA_NAMES = {"author": "authors"}


def read_rtf(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read the paragraphs; lines with cell marks become tables."""
    content = read_bounded(path, FORMAT_NAME)
    striprtf: Any = import_module("striprtf.striprtf")
    try:
        text = str(striprtf.rtf_to_text(content.decode("latin-1"), errors="ignore"))
    except Exception as error:  # the library raises many kinds of errors on damaged files
        raise rejections.corrupt(FORMAT_NAME) from error
    writer = MarkdownWriter()
    rows: list[list[str]] = []
    for line in [*remove_control_characters(text).split("\n"), ""]:
        if line.rstrip().endswith("|") and line.count("|") > 1:
            rows.append([table_cell(escape_inline(cell)) for cell in line.rstrip().rstrip("|").split("|")])
            continue
        if rows:
            writer.table(rows)
            rows = []
        words = escape_inline(" ".join(line.split()))
        item = _ITEM.match(words)
        if item:
            marker = "- " if item[1] else f"{item[2]}. "
            writer.paragraph(words[item.end() :], marker, " " * len(marker), item=True)
        elif words:
            writer.paragraph(words)
    if not writer.blocks:
        raise rejections.empty(FORMAT_NAME)
    progress(1, 1)
    metadata: dict[str, str] = {}
    for match in _INFO.finditer(content[:65536]):
        name, value = match[1].decode("latin-1"), match[2].decode("latin-1").strip()
        if value:
            metadata[_METADATA_NAMES.get(name, name)] = value
    return Extraction(writer.text(), "striprtf", metadata=metadata)
