"""Plain text, and markdown, which is kept as it was written."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from towpath.model.content import Extraction
from towpath.providers.local import refusals
from towpath.providers.local.decode import Decoded, decode
from towpath.providers.local.files import read_whole
from towpath.providers.local.markdown import escape
from towpath.providers.local.paging import blocks_on, pages_at

_WHAT = "text file"
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_LINE = re.compile(r"^([A-Za-z][\w -]{0,60}):[ \t]*(.*)$")
_FRONT_ITEM = re.compile(r"^[ \t]*-[ \t]+(.*)$")
_NAMES = {"author": "authors", "lang": "language", "tags": "keywords"}
# Numbered lists, dashes and underlines mean in plain text what they mean in markdown; these do not.
_NOT_MEANT = re.compile(r"^( {0,3})(?=#{1,6}(?:\s|$)|`{3}|~{3}|\[[^\]\n]+\]:)", re.MULTILINE)


def read_text(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """The text, with pages where form feeds part it."""
    decoded = _decoded(path)
    pieces = [plain(piece.strip("\n")) for piece in decoded.text.split("\f")]
    markdown = "\n\n".join(pieces)
    starts = [0]
    for piece in pieces[:-1]:
        starts.append(starts[-1] + len(piece) + 2)
    pages = pages_at(markdown, starts) if len(pieces) > 1 else ()
    spans = [(start, start + len(piece)) for start, piece in zip(starts, pieces, strict=True) if piece]
    progress(1, 1)
    return Extraction(
        markdown=markdown,
        engine="towpath-text/1",
        pages=pages,
        blocks=blocks_on(pages, spans),
        metadata={"encoding": decoded.encoding},
        warnings=(decoded.warning,) if decoded.warning else (),
    )


def read_markdown(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """The markdown as it stands, less the front matter, which becomes metadata."""
    decoded = _decoded(path)
    metadata, body = front_matter(decoded.text.replace("\f", "\n"))
    if not body.strip():
        raise refusals.empty(_WHAT)
    progress(1, 1)
    return Extraction(
        markdown=body,
        engine="towpath-markdown/1",
        metadata={**metadata, "encoding": decoded.encoding},
        warnings=(decoded.warning,) if decoded.warning else (),
    )


def plain(text: str) -> str:
    """Plain text as markdown: signs that would become headings, fences, links or tags are escaped."""
    return _NOT_MEANT.sub(r"\1\\", escape(text.rstrip()))


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """Names and values at the head of a markdown file, and what follows. Text that is no such head stays."""
    found = _FRONT_MATTER.match(text)
    if not found:
        return {}, text
    facts: dict[str, list[str]] = {}
    name = ""
    for line in found[1].split("\n"):
        if field := _FRONT_LINE.match(line):
            name = field[1].strip().lower()
            value = field[2].strip().strip("[]")
            listed = value != field[2].strip()
            facts[name] = [part.strip().strip("\"'") for part in (value.split(",") if listed else [value])]
        elif (item := _FRONT_ITEM.match(line)) and name:
            facts[name].append(item[1].strip().strip("\"'"))
        elif line.strip() and not line.startswith((" ", "\t", "#")):
            return {}, text
    values = {_NAMES.get(name, name): ", ".join(filter(None, values)) for name, values in facts.items()}
    return {name: value for name, value in values.items() if value}, text[found.end() :].lstrip("\n")


def _decoded(path: Path) -> Decoded:
    decoded = decode(read_whole(path, _WHAT))
    if not decoded.text.strip():
        raise refusals.empty(_WHAT)
    if decoded.is_garbled:
        raise refusals.unsupported("A file that is not text", "Upload it under the name it really has.")
    return decoded
