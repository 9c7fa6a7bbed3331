"""Finds the title of a document: in its metadata, on its first page, in its first heading or its file name.

The metadata wins if the text confirms it. A title that only the metadata has is less certain than one printed in large
letters: programs put file names, old titles and numbers there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from towpath.chunking.markdown_blocks import find_blocks
from towpath.fields.field_match import FieldMatch
from towpath.model.content import Extraction
from towpath.text.titles import (
    MAX_TITLE_LENGTH,
    clean_title,
    is_placeholder,
    is_version_or_date,
    reads_as_title,
    title_key,
    title_of_file_name,
)

#: The title is searched for in this many characters.
SEARCH_LENGTH = 20_000
#: A title in the metadata is confirmed if it is printed within this many characters.
_CONFIRMING_LENGTH = 6_000
_FIRST_LINES = 8
#: A longer line without a heading is a paragraph.
_MAX_LINE_LENGTH = 150
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,300}\)")
_EMPHASIS = re.compile(r"(?<!\w)(\*{1,3}|_{1,3})(?=\S)(.{1,300}?)(?<=\S)\1(?!\w)")
_NOTE = re.compile(r"\[\^[^\]\s]{1,30}\]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)]|\[\^\w+\]:|!?\[[^\]]*\]\([^)]*\)\s*$|>)(?:\s|$)")
_NUMBERED = re.compile(r"(?:\d+(?:\.\d+)*\.?|[IVX]+\.|(?:chapter|kapitel) \d\S*)\s.*", re.IGNORECASE)

Source = Literal["metadata", "first_page", "heading", "first_line", "file_name"]


@dataclass(frozen=True, slots=True)
class Title:
    """A title with the probability that it is right, and where it was found."""

    text: str
    confidence: float
    source: Source
    start: int | None = None
    end: int | None = None


def title_fields(extraction: Extraction, file_name: str = "") -> Iterator[FieldMatch]:
    """The fields ``title`` and ``title_source``; none if there is nothing to call the document by."""
    title = find_title(extraction, file_name)
    if title is not None:
        value = title.text[:MAX_TITLE_LENGTH].rstrip()
        yield FieldMatch("title", value, "text", title.confidence, title.start, title.end)
        yield FieldMatch("title_source", title.source, "code", 1.0)


def find_title(extraction: Extraction, file_name: str = "") -> Title | None:
    """The most probable title."""
    claimed = clean_title(extraction.metadata.get("title", ""))
    claimed = "" if is_placeholder(claimed) else claimed
    printed = clean_title(extraction.metadata.get("printed_title", ""))
    # "Printed name:" is the label of a field in a form.
    printed = "" if printed.endswith((":", "：")) else printed
    beginning = extraction.markdown[:SEARCH_LENGTH]
    if claimed and _is_confirmed(claimed, beginning):
        return Title(claimed, 0.95, "metadata")
    if printed:
        return Title(printed, 0.75 if claimed else 0.85, "first_page", *_span(beginning, printed))
    if claimed and title_key(claimed) == title_key(title_of_file_name(file_name)):
        # A program may have copied the file name. A heading is better then, unless it is that of a chapter.
        heading = _heading(beginning)
        if heading is not None and not _NUMBERED.fullmatch(heading.text):
            return heading
        return Title(claimed, 0.5, "metadata")
    if claimed:
        return Title(claimed, 0.8, "metadata")
    return _heading(beginning) or _first_line(beginning) or _file_name(file_name)


def _is_confirmed(title: str, text: str) -> bool:
    return title_key(title) in title_key(text[:_CONFIRMING_LENGTH])


def _span(text: str, title: str) -> tuple[int | None, int | None]:
    words = re.compile(r"[\s*#]+".join(map(re.escape, title.split())), re.IGNORECASE)
    match = words.search(text)
    return match.span() if match else (None, None)


def _heading(text: str) -> Title | None:
    """The first heading that reads as a title; one without a number is preferred."""
    headings = [
        (block.level, Title(title, 0.75, "heading", block.start, block.end))
        for block in find_blocks(text)
        if block.kind == "heading" and reads_as_title(title := clean_title(_without_markup(block.title)))
    ]
    if not headings:
        return None
    unnumbered = [(level, title) for level, title in headings if not _NUMBERED.fullmatch(title.text)]
    first = headings[0][1]
    if unnumbered and unnumbered[0][1] is not first and unnumbered[0][0] <= headings[0][0]:
        return unnumbered[0][1]
    return first


def _first_line(text: str) -> Title | None:
    """The first line of prose that reads as a title: no item of a list, no code, nothing that introduces a list."""
    for start, line in islice(_lines(text), _FIRST_LINES):
        title = clean_title(_without_markup(line))
        introduces = title.endswith((":", "："))
        if len(title) > _MAX_LINE_LENGTH or introduces:
            continue
        if reads_as_title(title) and not is_version_or_date(title):
            words = line[:MAX_TITLE_LENGTH].rstrip()
            return Title(title, 0.5, "first_line", start, start + len(words))
    return None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for block in find_blocks(text):
        if block.kind == "text":
            for match in re.finditer(r"\S[^\n]*", text[block.start : block.end]):
                if not _LIST_ITEM.match(match[0]) and not match[0].startswith("|"):
                    yield block.start + match.start(), match[0]


def _without_markup(line: str) -> str:
    """The line without links, emphasis, notes and escapes of markdown."""
    if "](" in line:
        line = _LINK.sub(r"\1", line)
    for _ in range(2 if "*" in line or "_" in line else 0):
        line = _EMPHASIS.sub(r"\2", line)
    line = _NOTE.sub("", line) if "[^" in line else line
    return _ESCAPE.sub(r"\1", line) if "\\" in line else line


def _file_name(name: str) -> Title | None:
    title = title_of_file_name(name)
    return Title(title, 0.4, "file_name") if any(map(str.isalnum, title)) else None
