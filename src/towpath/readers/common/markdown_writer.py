"""Writes markdown block by block and records the offset of each block and page.

Readers put control characters into the text as marks for page starts and styles; XML and cleaned text
cannot contain these characters. A page mark becomes an offset when its block is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

PAGE_MARK = "\x00"
SOFT_PAGE_MARK = "\x01"
STRONG, STRONG_END, EMPHASIS, EMPHASIS_END = "\x02", "\x03", "\x04", "\x05"

_PAGE_MARKS = PAGE_MARK + SOFT_PAGE_MARK
PAGE_MARK_PATTERN = re.compile(f"([{_PAGE_MARKS}])")
_STYLE_MARKS = re.compile(f"([{STRONG}{STRONG_END}{EMPHASIS}{EMPHASIS_END}])")
_DELIMITERS = {STRONG: "**", EMPHASIS: "*"}
_OPENING_MARK = {STRONG_END: STRONG, EMPHASIS_END: EMPHASIS}

_CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_INVISIBLE_CHARACTERS = re.compile("[\xad\u200b\u2060\ufeff]")
_WHITESPACE_RUN = re.compile("[\x00-\x1f\x7f\xa0][\x00-\x20\x7f\xa0]*|  [\x00-\x20\x7f\xa0]*")
_INLINE_MARKUP = re.compile(r"(?<!\\)\\*(?:<(?=[A-Za-z/!?])|\](?=\()|\[(?=\^))")
_BLOCK_MARKUP = re.compile(
    r"^([\x00\x01 ]*)(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|`{3}|~{3}|\[[^\]\n]+\]:|(?:[-=_*] *){3,}$)",
    re.MULTILINE,
)
_BLOCK_MARKUP_CHARACTERS = frozenset("#>-+*`~[=_ \x00\x01")
_SAFE_LINK = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
_MAX_LINK_LENGTH = 600


#: Bullets at the beginning of a line that a person typed instead of making a list.
_TYPED_BULLETS = frozenset("•▪◦‣●■➢►❖∙")
_TYPED_ITEM = re.compile(
    rf"^([{_PAGE_MARKS}]*)[ ]*[{''.join(sorted(_TYPED_BULLETS))}](?:[ ]+|$)", re.MULTILINE
)


def remove_control_characters(text: str) -> str:
    """Remove characters that a database or a browser cannot store, and normalize line ends to ``\\n``."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL_CHARACTERS.sub("", text) if _CONTROL_CHARACTERS.search(text) else text


def collapse_whitespace(text: str) -> str:
    """Replace each run of white space by one space, as browsers do, and remove invisible characters.

    Soft hyphens and zero-width spaces would hide a word from search. Most text is printable already;
    checking that first reads a novel twice as fast as substituting always.
    """
    if not text.isprintable():
        text = _WHITESPACE_RUN.sub(" ", _INVISIBLE_CHARACTERS.sub("", text))
    elif "  " in text:
        text = _WHITESPACE_RUN.sub(" ", text)
    return text


def escape_inline(text: str) -> str:
    """Escape ``<tags>``, ``[a](b)`` and ``[^1]`` in a file's text, so that they do not become markup."""
    return _INLINE_MARKUP.sub(_escape_match, text) if "<" in text or "[" in text or "]" in text else text


def _escape_match(match: re.Match[str]) -> str:
    slashes, character = match[0][:-1], match[0][-1]
    # For "](" the backslash goes before the parenthesis, for the others before the character itself.
    return f"{slashes * 2}{character}\\" if character == "]" else f"{slashes * 2}\\{character}"


def escape_line_starts(text: str) -> str:
    """Escape lines of a file's text that would become headings, quotes, bullets, fences or rules."""
    if "\n" not in text and text[:1] not in _BLOCK_MARKUP_CHARACTERS:
        return text
    return _BLOCK_MARKUP.sub(r"\1\\", text)


def markdown_link(text: str, address: str) -> str:
    """A markdown link for http, https and mailto addresses; for others the text alone."""
    label = text.strip()
    address = address.strip()
    if not label or len(address) > _MAX_LINK_LENGTH or not _SAFE_LINK.match(address):
        return text
    label_key, address_key = label.casefold().rstrip("/"), address.casefold().rstrip("/")
    if label_key in (address_key, address_key.removeprefix("mailto:")):
        return text
    if label.count("[") != label.count("]"):
        label = label.replace("[", "\\[").replace("]", "\\]")
    for character, code in (
        (" ", "%20"),
        ("(", "%28"),
        (")", "%29"),
        ("<", "%3C"),
        (">", "%3E"),
        ("\\", "%5C"),
    ):
        address = address.replace(character, code)
    lead = text[: len(text) - len(text.lstrip())]
    trail = text[len(text.rstrip()) :]
    return f"{lead}[{label}]({''.join(address.split())}){trail}"


def code_span(text: str) -> str:
    """Inline code, fenced by more backticks than it contains."""
    body = text.strip()
    if not body:
        return text
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", body)), default=0))
    pad = " " if body.startswith("`") or body.endswith("`") else ""
    return f"{fence}{pad}{body}{pad}{fence}"


def apply_styles(text: str) -> str:
    """Turn style marks into asterisks; omit styles that would split a word or are empty."""
    if STRONG not in text and EMPHASIS not in text and STRONG_END not in text and EMPHASIS_END not in text:
        return text
    parts = _STYLE_MARKS.split(text)
    next_characters = _next_characters(parts)
    frames: list[tuple[str, list[str]]] = [("", [])]
    for index, part in enumerate(parts):
        if part in _DELIMITERS:
            frames.append((part, []))
        elif part in _OPENING_MARK:
            if len(frames) > 1 and frames[-1][0] == _OPENING_MARK[part]:
                mark, inner = frames.pop()
                before = frames[-1][1][-1][-1] if frames[-1][1] else " "
                markdown = _delimit("".join(inner), _DELIMITERS[mark], before, next_characters[index])
                frames[-1][1].extend([markdown] if markdown else [])
        elif part:
            frames[-1][1].append(part)
    return "".join(part for _, parts in frames for part in parts)


def _next_characters(parts: Sequence[str]) -> list[str]:
    """For each part the first character of the text after it."""
    characters: list[str] = []
    character = " "
    for part in reversed(parts):
        characters.append(character)
        if part and part not in _DELIMITERS and part not in _OPENING_MARK:
            character = part[0]
    return characters[::-1]


def _delimit(inner: str, delimiter: str, before: str, after: str) -> str:
    body = inner.strip()
    if not body:
        return "" if before.isspace() or after.isspace() else inner
    lead = inner[: len(inner) - len(inner.lstrip())]
    trail = inner[len(inner.rstrip()) :]
    splits_word = (not lead and before.isalnum()) or (not trail and after.isalnum())
    if not splits_word and "*" not in body[0] + body[-1] + before + after:
        body = f"{delimiter}{body}{delimiter}"
    return ("" if before.isspace() else lead) + body + ("" if after.isspace() else trail)


def has_only_page_marks(text: str) -> bool:
    """True when the text is empty or has only page marks."""
    return not text or (text[0] in _PAGE_MARKS and not PAGE_MARK_PATTERN.sub("", text))


def strip_styles(text: str) -> str:
    """Remove style marks."""
    return _STYLE_MARKS.sub("", text)


def table_cell(text: str) -> str:
    """Escape text for one cell of a pipe table."""
    return " ".join(text.split()).replace("|", "\\|")


def pipe_table(rows: Sequence[Sequence[str]]) -> str:
    """A pipe table whose first row is the header. Cells must be escaped with ``table_cell``."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


def _typed_items(text: str) -> list[tuple[bool, str]] | None:
    """The items of a list whose bullets were typed, one for each line with a bullet, and the text before the first.

    None if no bullets were typed, or if emphasis reaches over several items.
    """
    starts = [match.start() for match in _TYPED_ITEM.finditer(text)]
    if not starts:
        return None
    parts = [(False, text[: starts[0]].strip())]
    for start, end in pairwise([*starts, len(text)]):
        parts.append((True, _TYPED_ITEM.sub(r"\1", text[start:end], count=1).strip()))
    return None if any(part.count("*") % 2 for _, part in parts) else [part for part in parts if part[1]]


@dataclass(slots=True)
class MarkdownWriter:
    """Collects blocks. ``blocks`` are their spans, ``pages`` the offset and kind of each page mark."""

    parts: list[str] = field(default_factory=list[str])
    length: int = 0
    blocks: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    pages: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    heading_count: int = 0
    _pending_marks: str = ""
    _last_was_item: bool = False

    def text(self) -> str:
        """The markdown. Page marks that no block followed get the offset of the end."""
        self.pages.extend((self.length, mark) for mark in self._pending_marks)
        self._pending_marks = ""
        return "".join(self.parts)

    def heading(self, level: int, text: str) -> None:
        flat = " ".join(strip_styles(text).split())
        if flat:
            self.heading_count += 1
            self.block("#" * min(max(level, 1), 6) + " " + flat)

    def paragraph(self, text: str, prefix: str = "", hang: str = "", *, item: bool = False) -> None:
        body = apply_styles(text).strip()
        if not body:
            return
        parts = None if item or not _TYPED_BULLETS.intersection(body) else _typed_items(body)
        if parts is None:
            self.block(escape_line_starts(body), prefix, hang, item=item)
            return
        for begins_item, part in parts:
            if begins_item:
                self.block(escape_line_starts(part), f"{prefix}- ", f"{hang}  ", item=True)
            else:
                self.block(escape_line_starts(part), prefix, hang)

    def code(self, text: str, language: str = "", prefix: str = "", hang: str = "") -> None:
        body = text.strip("\n").rstrip()
        if body:
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", body)), default=0))
            self.block(f"{fence}{language}\n{body}\n{fence}", prefix, hang)

    def table(self, rows: Sequence[Sequence[str]], prefix: str = "", hang: str = "") -> None:
        body = pipe_table(rows)
        if body:
            self.block(body, prefix, hang)

    def rule(self) -> None:
        if self.parts:
            self.block("---")

    def defer_page_marks(self, text: str) -> None:
        """Keep the page marks of a block without text for the next block."""
        if PAGE_MARK in text or SOFT_PAGE_MARK in text:
            self._pending_marks += "".join(PAGE_MARK_PATTERN.findall(text))

    def block(self, text: str, prefix: str = "", hang: str = "", *, item: bool = False) -> None:
        """Write one block: the first line after ``prefix``, the others after ``hang``."""
        if hang and "\n" in text:
            text = text.replace("\n", "\n" + hang)
        if self.parts:
            separator = "\n" if item and self._last_was_item else "\n\n"
            self.parts.append(separator)
            self.length += len(separator)
        self._last_was_item = item
        start = self.length
        if self._pending_marks:
            self.pages.extend((start, mark) for mark in self._pending_marks)
            self._pending_marks = ""
        block = prefix + text
        if PAGE_MARK in block or SOFT_PAGE_MARK in block:
            block = self._extract_page_marks(block, start)
        self.parts.append(block)
        self.length += len(block)
        self.blocks.append((start, self.length))

    def _extract_page_marks(self, text: str, start: int) -> str:
        """The text without page marks, whose offsets are added to ``pages``."""
        parts = PAGE_MARK_PATTERN.split(text)
        offset = start
        for index, part in enumerate(parts):
            if index % 2:
                self.pages.append((offset, part))
            else:
                offset += len(part)
        return "".join(parts[::2])
