"""Reads plain text files and markdown files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction, Field
from towpath.readers.common.bounded_read import read_bounded
from towpath.readers.common.encoding import DecodedText, decode
from towpath.readers.common.markdown_writer import escape_inline
from towpath.readers.common.page_breaks import blocks_with_pages, pages_from_starts

_FORMAT_NAME = "text file"
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_MATTER_FIELD = re.compile(r"^([A-Za-z][\w -]{0,60}):[ \t]*(.*)$")
_FRONT_MATTER_ITEM = re.compile(r"^[ \t]*-[ \t]+(.*)$")
_METADATA_NAMES = {"author": "authors", "lang": "language", "tags": "keywords"}
# These become fields like those of all other documents.
_DOCUMENT_PROPERTIES = frozenset(("title", "authors", "language", "date", "created", "modified", "published"))
# Numbered lists, dashes and underlines mean the same in plain text and markdown; these do not.
_MARKDOWN_ONLY = re.compile(r"^( {0,3})(?=#{1,6}(?:\s|$)|`{3}|~{3}|\[[^\]\n]+\]:)", re.MULTILINE)


def read_text(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read plain text; form feeds separate pages."""
    decoded = _read_decoded(path)
    page_texts = [escape_plain_text(page_text.strip("\n")) for page_text in decoded.text.split("\f")]
    markdown = "\n\n".join(page_texts)
    starts = [0]
    for page_text in page_texts[:-1]:
        starts.append(starts[-1] + len(page_text) + 2)
    pages = pages_from_starts(markdown, starts) if len(page_texts) > 1 else ()
    spans = [
        (start, start + len(page_text))
        for start, page_text in zip(starts, page_texts, strict=True)
        if page_text
    ]
    progress(1, 1)
    return Extraction(
        markdown=markdown,
        engine="towpath-text/1",
        pages=pages,
        blocks=blocks_with_pages(pages, spans),
        metadata={"encoding": decoded.encoding},
        warnings=(decoded.warning,) if decoded.warning else (),
    )


def read_markdown(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read markdown unchanged, except that the front matter becomes metadata."""
    decoded = _read_decoded(path)
    metadata, body = split_front_matter(decoded.text.replace("\f", "\n"))
    if not body.strip():
        raise rejections.empty(_FORMAT_NAME)
    progress(1, 1)
    return Extraction(
        markdown=body,
        engine="towpath-markdown/1",
        fields=tuple(
            Field(name, value) for name, value in metadata.items() if name not in _DOCUMENT_PROPERTIES
        ),
        metadata={**metadata, "encoding": decoded.encoding},
        warnings=(decoded.warning,) if decoded.warning else (),
    )


def escape_plain_text(text: str) -> str:
    """Escape plain text for markdown: characters that would become headings, fences, links or tags."""
    return _MARKDOWN_ONLY.sub(r"\1\\", escape_inline(text.rstrip()))


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """Split front matter and body. A head that is not ``name: value`` lines stays part of the body."""
    match = _FRONT_MATTER.match(text)
    if not match:
        return {}, text
    fields: dict[str, list[str]] = {}
    name = ""
    for line in match[1].split("\n"):
        if field := _FRONT_MATTER_FIELD.match(line):
            name = field[1].strip().lower()
            value = field[2].strip().strip("[]")
            is_list = value != field[2].strip()
            fields[name] = [part.strip().strip("\"'") for part in (value.split(",") if is_list else [value])]
        elif (item := _FRONT_MATTER_ITEM.match(line)) and name:
            fields[name].append(item[1].strip().strip("\"'"))
        elif line.strip() and not line.startswith((" ", "\t", "#")):
            return {}, text
    values = {
        _METADATA_NAMES.get(name, name): ", ".join(filter(None, values)) for name, values in fields.items()
    }
    return {name: value for name, value in values.items() if value}, text[match.end() :].lstrip("\n")


def _read_decoded(path: Path) -> DecodedText:
    decoded = decode(read_bounded(path, _FORMAT_NAME))
    if not decoded.text.strip():
        raise rejections.empty(_FORMAT_NAME)
    if decoded.is_garbled:
        raise rejections.unsupported("A binary file", "Give it its real file extension and upload it again.")
    return decoded
