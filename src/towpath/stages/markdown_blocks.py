"""Finds the blocks of a markdown text: headings, paragraphs and lists, tables, code.

One pass over the lines, linear whatever the text. Every line that is not blank is in exactly one block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["heading", "text", "table", "html_table", "code"]

#: A longer line is a paragraph that happens to begin with "#".
LONGEST_HEADING = 300

_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_CLOSING_HASHES = re.compile(r"(?<!\S)#+$")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_TABLE_END = re.compile("</table[^>]{0,20}>", re.IGNORECASE)
_WATCHED = frozenset(("", *"#`~<=-|:"))
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,300}\)")
_DELIMITER_CHARACTERS = frozenset("|:- \t\r")


class Block(NamedTuple):
    """Lines that belong together; ``end`` stands before the last line's trailing blanks."""

    kind: Kind
    start: int
    end: int
    level: int = 0
    title: str = ""
    header_end: int = 0
    """Where a table's header (with the line under it) ends."""


def find_blocks(markdown: str) -> Iterator[Block]:
    return _Scan(markdown).blocks()


class _Scan:
    def __init__(self, markdown: str) -> None:
        self._markdown = markdown
        self._fences = _closed_fences(markdown)
        self._html_tables = True

    def blocks(self) -> Iterator[Block]:
        begin = end = start = header_end = lines = skip_to = 0
        for line in self._markdown.split("\n"):
            here, start = start, start + len(line) + 1
            if here < skip_to:
                continue
            # Nine lines in ten begin with a letter, go on with a paragraph and need no closer look.
            if header_end or line[:1] in _WATCHED or line[0].isspace():
                words = line.strip()
                stop = here + len(line.rstrip())
                whole = self._special(words, here, stop, lines, begin, end)
                if whole is not None or not words or (header_end and "|" not in words):
                    if lines and (whole is None or whole.start != begin):
                        yield self._open(begin, end, header_end)
                    lines = header_end = 0
                    if whole is not None:
                        yield whole
                        skip_to = whole.end
                    if whole is not None or not words:
                        continue
                elif lines == 1 and not header_end and self._is_under_header(words, begin, end):
                    header_end = stop
            if not lines:
                begin = here
            lines += 1
            end = start - 1
        if lines:
            yield self._open(begin, end, header_end)

    def _open(self, begin: int, end: int, header_end: int) -> Block:
        end = begin + len(self._markdown[begin:end].rstrip())
        return Block("table" if header_end else "text", begin, end, header_end=header_end)

    def _is_under_header(self, words: str, begin: int, end: int) -> bool:
        """The line under a table's header: ``|---|:-:|``."""
        if "-" not in words or "|" not in words or not _DELIMITER_CHARACTERS.issuperset(words):
            return False
        return "|" in self._markdown[begin:end]

    def _special(self, words: str, here: int, stop: int, lines: int, begin: int, end: int) -> Block | None:
        """The block that begins (or, for an underlined heading, ends) with this line."""
        mark = words[:1]
        if mark == "#":
            return self._heading(here, stop)
        if mark in ("`", "~") and here in self._fences:
            return Block("code", here, self._fences[here])
        if mark == "<" and self._html_tables and words[:6].lower() == "<table":
            return self._html_table(here)
        if mark in ("=", "-") and lines == 1 and len(words) > 2 and not words.strip(mark):
            return self._underlined(mark, begin, end, stop)
        return None

    def _underlined(self, mark: str, begin: int, end: int, stop: int) -> Block | None:
        line = self._markdown[begin:end]
        title = line.strip()
        in_code = line.startswith(("    ", "\t"))
        if in_code or len(title) > LONGEST_HEADING or "|" in title or title[0] in "-*+>=":
            return None
        return Block("heading", begin, stop, 1 if mark == "=" else 2, _plain(title))

    def _heading(self, here: int, stop: int) -> Block | None:
        if stop - here > LONGEST_HEADING:
            return None
        match = _ATX.fullmatch(self._markdown, here, stop)
        title = _CLOSING_HASHES.sub("", match[2]).rstrip() if match else ""
        return Block("heading", here, stop, len(match[1]), _plain(title)) if match and title else None

    def _html_table(self, here: int) -> Block | None:
        close = _TABLE_END.search(self._markdown, here)
        if close is None:
            self._html_tables = False
            return None
        line_end = self._markdown.find("\n", close.end())
        line_end = len(self._markdown) if line_end < 0 else line_end
        end = here + len(self._markdown[here:line_end].rstrip())
        return Block("html_table", here, end)


def _plain(title: str) -> str:
    """A heading's words without emphasis marks and link addresses."""
    title = _LINK.sub(r"\1", title) if "](" in title else title
    return title.replace("**", "").replace("__", "").replace("`", "").strip(" *_\t") or title


def _closed_fences(markdown: str) -> dict[int, int]:
    """Where each fenced block begins (its line's start) and ends. A fence never closed is ordinary text."""
    if "```" not in markdown and "~~~" not in markdown:
        return {}
    marks = [m for m in _FENCE.finditer(markdown) if m[1][0] == "~" or "`" not in m[2]]
    longest_after = _longest_closers(marks)
    fences: dict[int, int] = {}
    index = 0
    while index < len(marks):
        opening = marks[index]
        character, length = opening[1][0], len(opening[1])
        index += 1
        if longest_after[index].get(character, 0) < length:
            continue
        # A closing fence is known to come, so this loop only ever moves forward.
        while not _closes(marks[index], character, length):
            index += 1
        fences[opening.start()] = marks[index].end(1)
        index += 1
    return fences


def _closes(mark: re.Match[str], character: str, length: int) -> bool:
    return mark[1][0] == character and len(mark[1]) >= length and not mark[2].strip()


def _longest_closers(marks: list[re.Match[str]]) -> list[dict[str, int]]:
    """For each place in the list, the longest closing fence of either kind from there on."""
    longest: list[dict[str, int]] = [{}]
    for mark in reversed(marks):
        after = longest[-1]
        if not mark[2].strip() and len(mark[1]) > after.get(mark[1][0], 0):
            after = {**after, mark[1][0]: len(mark[1])}
        longest.append(after)
    return longest[::-1]
