"""Parses markdown into blocks: headings, text (paragraphs and lists), tables, HTML tables, code.

One pass over the lines, in linear time. Every line that is not blank is in exactly one block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["heading", "text", "table", "html_table", "code"]

#: A longer line is a paragraph that begins with "#".
MAX_HEADING_LENGTH = 300

_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_CLOSING_HASHES = re.compile(r"(?<!\S)#+$")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_TABLE_END = re.compile("</table[^>]{0,20}>", re.IGNORECASE)
_SPECIAL_LINE_STARTS = frozenset(("", *"#`~<=-|:"))
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,300}\)")
_DELIMITER_CHARACTERS = frozenset("|:- \t\r")


class Block(NamedTuple):
    """Consecutive lines of one kind; ``end`` excludes the trailing blanks of the last line."""

    kind: Kind
    start: int
    end: int
    level: int = 0
    title: str = ""
    header_end: int = 0
    """Where a table's header (with the line under it) ends."""


def find_blocks(markdown: str) -> Iterator[Block]:
    return _BlockScanner(markdown).blocks()


class _BlockScanner:
    def __init__(self, markdown: str) -> None:
        self._markdown = markdown
        self._fences = _closed_fences(markdown)
        self._html_tables = True

    def blocks(self) -> Iterator[Block]:
        begin = end = start = header_end = lines = skip_to = 0
        for line in self._markdown.split("\n"):
            line_start, start = start, start + len(line) + 1
            if line_start < skip_to:
                continue
            # Nine lines in ten begin with a letter, continue a paragraph and need no further checks.
            if header_end or line[:1] in _SPECIAL_LINE_STARTS or line[0].isspace():
                words = line.strip()
                stop = line_start + len(line.rstrip())
                whole = self._special_block(words, line_start, stop, lines, begin, end)
                if whole is not None or not words or (header_end and "|" not in words):
                    if lines and (whole is None or whole.start != begin):
                        yield self._paragraph_or_table(begin, end, header_end)
                    lines = header_end = 0
                    if whole is not None:
                        yield whole
                        skip_to = whole.end
                    if whole is not None or not words:
                        continue
                elif lines == 1 and not header_end and self._is_under_header(words, begin, end):
                    header_end = stop
            if not lines:
                begin = line_start
            lines += 1
            end = start - 1
        if lines:
            yield self._paragraph_or_table(begin, end, header_end)

    def _paragraph_or_table(self, begin: int, end: int, header_end: int) -> Block:
        end = begin + len(self._markdown[begin:end].rstrip())
        return Block("table" if header_end else "text", begin, end, header_end=header_end)

    def _is_under_header(self, words: str, begin: int, end: int) -> bool:
        """True for the delimiter row under a table header: ``|---|:-:|``."""
        if "-" not in words or "|" not in words or not _DELIMITER_CHARACTERS.issuperset(words):
            return False
        return "|" in self._markdown[begin:end]

    def _special_block(
        self, words: str, line_start: int, stop: int, lines: int, begin: int, end: int
    ) -> Block | None:
        """The block that begins with this line, or, for an underlined heading, ends with it."""
        mark = words[:1]
        if mark == "#":
            return self._atx_heading(line_start, stop)
        if mark in ("`", "~") and line_start in self._fences:
            return Block("code", line_start, self._fences[line_start])
        if mark == "<" and self._html_tables and words[:6].lower() == "<table":
            return self._html_table(line_start)
        if mark in ("=", "-") and lines == 1 and len(words) > 2 and not words.strip(mark):
            return self._setext_heading(mark, begin, end, stop)
        return None

    def _setext_heading(self, mark: str, begin: int, end: int, stop: int) -> Block | None:
        line = self._markdown[begin:end]
        title = line.strip()
        in_code = line.startswith(("    ", "\t"))
        if in_code or len(title) > MAX_HEADING_LENGTH or "|" in title or title[0] in "-*+>=":
            return None
        return Block("heading", begin, stop, 1 if mark == "=" else 2, _plain_title(title))

    def _atx_heading(self, line_start: int, stop: int) -> Block | None:
        if stop - line_start > MAX_HEADING_LENGTH:
            return None
        match = _ATX.fullmatch(self._markdown, line_start, stop)
        title = _CLOSING_HASHES.sub("", match[2]).rstrip() if match else ""
        return (
            Block("heading", line_start, stop, len(match[1]), _plain_title(title))
            if match and title
            else None
        )

    def _html_table(self, line_start: int) -> Block | None:
        close = _TABLE_END.search(self._markdown, line_start)
        if close is None:
            self._html_tables = False
            return None
        line_end = self._markdown.find("\n", close.end())
        line_end = len(self._markdown) if line_end < 0 else line_end
        end = line_start + len(self._markdown[line_start:line_end].rstrip())
        return Block("html_table", line_start, end)


def _plain_title(title: str) -> str:
    """The heading without emphasis marks and link addresses."""
    title = _LINK.sub(r"\1", title) if "](" in title else title
    return title.replace("**", "").replace("__", "").replace("`", "").strip(" *_\t") or title


def _closed_fences(markdown: str) -> dict[int, int]:
    """Start and end of each fenced code block. A fence that is never closed is ordinary text."""
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
        # A closing fence exists, so this loop ends; it never moves back.
        while not _closes(marks[index], character, length):
            index += 1
        fences[opening.start()] = marks[index].end(1)
        index += 1
    return fences


def _closes(mark: re.Match[str], character: str, length: int) -> bool:
    return mark[1][0] == character and len(mark[1]) >= length and not mark[2].strip()


def _longest_closers(marks: list[re.Match[str]]) -> list[dict[str, int]]:
    """For each index, the longest closing fence of either character from there on."""
    longest: list[dict[str, int]] = [{}]
    for mark in reversed(marks):
        after = longest[-1]
        if not mark[2].strip() and len(mark[1]) > after.get(mark[1][0], 0):
            after = {**after, mark[1][0]: len(mark[1])}
        longest.append(after)
    return longest[::-1]
