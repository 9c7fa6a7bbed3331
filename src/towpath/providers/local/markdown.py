"""Writes markdown block by block and remembers where each block and each page began.

Text may carry control characters as marks, which no XML or cleaned text can hold: a page mark
says "a page begins here" and is turned into an offset when its block is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

PAGE = "\x00"
SOFT_PAGE = "\x01"
STRONG, STRONG_END, EMPHASIS, EMPHASIS_END = "\x02", "\x03", "\x04", "\x05"

_MARK_SIGNS = PAGE + SOFT_PAGE
MARKS = re.compile(f"([{_MARK_SIGNS}])")
_STYLES = re.compile(f"([{STRONG}{STRONG_END}{EMPHASIS}{EMPHASIS_END}])")
_WRAPPERS = {STRONG: "**", EMPHASIS: "*"}
_CLOSERS = {STRONG_END: STRONG, EMPHASIS_END: EMPHASIS}

_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_INVISIBLE = re.compile("[\xad\u200b\u2060\ufeff]")
_SPACES = re.compile("[\x00-\x1f\x7f\xa0][\x00-\x20\x7f\xa0]*|  [\x00-\x20\x7f\xa0]*")
_ACTIVE = re.compile(r"(?<!\\)\\*(?:<(?=[A-Za-z/!?])|\](?=\()|\[(?=\^))")
_LINE_START = re.compile(
    r"^([\x00\x01 ]*)(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|`{3}|~{3}|\[[^\]\n]+\]:|(?:[-=_*] *){3,}$)",
    re.MULTILINE,
)
_LINE_SIGNS = frozenset("#>-+*`~[=_ \x00\x01")
_SAFE_LINK = re.compile(r"(?:https?://|mailto:)\S", re.IGNORECASE)
_LONGEST_LINK = 600


def clean(text: str) -> str:
    """Text without the characters a database or a browser cannot keep, and with plain line ends."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", text) if _CONTROLS.search(text) else text


def collapse(text: str) -> str:
    """One space for each run of white space, as a browser shows it, and no characters that nobody sees.

    Soft hyphens and zero-width spaces would hide a word from search. Nearly all text is printable as it
    stands, and asking that first makes a novel twice as fast as substituting at once.
    """
    if not text.isprintable():
        text = _SPACES.sub(" ", _INVISIBLE.sub("", text))
    elif "  " in text:
        text = _SPACES.sub(" ", text)
    return text


def escape(text: str) -> str:
    """Keep a file's own ``<tags>``, ``[a](b)`` and ``[^1]`` from becoming markup. Words stay as they are."""
    return _ACTIVE.sub(_escaped, text) if "<" in text or "[" in text or "]" in text else text


def _escaped(found: re.Match[str]) -> str:
    slashes, sign = found[0][:-1], found[0][-1]
    # "](" is broken before the parenthesis, the others before their own sign.
    return f"{slashes * 2}{sign}\\" if sign == "]" else f"{slashes * 2}\\{sign}"


def escape_line_starts(text: str) -> str:
    """Keep lines of a file's text from becoming headings, quotes, bullets, fences or rules."""
    if "\n" not in text and text[:1] not in _LINE_SIGNS:
        return text
    return _LINE_START.sub(r"\1\\", text)


def link(text: str, address: str) -> str:
    """A link when the address is of the harmless kinds, else the text alone."""
    label = text.strip()
    address = address.strip()
    if not label or len(address) > _LONGEST_LINK or not _SAFE_LINK.match(address):
        return text
    said, meant = label.casefold().rstrip("/"), address.casefold().rstrip("/")
    if said in (meant, meant.removeprefix("mailto:")):
        return text
    if label.count("[") != label.count("]"):
        label = label.replace("[", "\\[").replace("]", "\\]")
    for sign, code in ((" ", "%20"), ("(", "%28"), (")", "%29"), ("<", "%3C"), (">", "%3E"), ("\\", "%5C")):
        address = address.replace(sign, code)
    lead = text[: len(text) - len(text.lstrip())]
    trail = text[len(text.rstrip()) :]
    return f"{lead}[{label}]({''.join(address.split())}){trail}"


def code_span(text: str) -> str:
    body = text.strip()
    if not body:
        return text
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", body)), default=0))
    pad = " " if body.startswith("`") or body.endswith("`") else ""
    return f"{fence}{pad}{body}{pad}{fence}"


def styled(text: str) -> str:
    """Turn style marks into asterisks, leaving out those that would split a word or hold nothing."""
    if STRONG not in text and EMPHASIS not in text and STRONG_END not in text and EMPHASIS_END not in text:
        return text
    pieces = _STYLES.split(text)
    following = _following(pieces)
    frames: list[tuple[str, list[str]]] = [("", [])]
    for index, piece in enumerate(pieces):
        if piece in _WRAPPERS:
            frames.append((piece, []))
        elif piece in _CLOSERS:
            if len(frames) > 1 and frames[-1][0] == _CLOSERS[piece]:
                mark, inner = frames.pop()
                before = frames[-1][1][-1][-1] if frames[-1][1] else " "
                wrapped = _wrapped("".join(inner), _WRAPPERS[mark], before, following[index])
                frames[-1][1].extend([wrapped] if wrapped else [])
        elif piece:
            frames[-1][1].append(piece)
    return "".join(part for _, parts in frames for part in parts)


def _following(pieces: Sequence[str]) -> list[str]:
    """For each piece the first character of text after it."""
    following: list[str] = []
    after = " "
    for piece in reversed(pieces):
        following.append(after)
        if piece and piece not in _WRAPPERS and piece not in _CLOSERS:
            after = piece[0]
    return following[::-1]


def _wrapped(inner: str, wrapper: str, before: str, after: str) -> str:
    body = inner.strip()
    if not body:
        return "" if before.isspace() or after.isspace() else inner
    lead = inner[: len(inner) - len(inner.lstrip())]
    trail = inner[len(inner.rstrip()) :]
    splits_word = (not lead and before.isalnum()) or (not trail and after.isalnum())
    if not splits_word and "*" not in body[0] + body[-1] + before + after:
        body = f"{wrapper}{body}{wrapper}"
    return ("" if before.isspace() else lead) + body + ("" if after.isspace() else trail)


def is_wordless(text: str) -> bool:
    """Whether there is nothing but marks."""
    return not text or (text[0] in _MARK_SIGNS and not MARKS.sub("", text))


def unstyled(text: str) -> str:
    return _STYLES.sub("", text)


def cell(text: str) -> str:
    """Text for one cell of a pipe table."""
    return " ".join(text.split()).replace("|", "\\|")


def table(rows: Sequence[Sequence[str]]) -> str:
    """A pipe table whose first row is the header. Cells must have come through ``cell``."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return ""
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))]) + " |" for row in rows]
    lines.insert(1, "|" + " --- |" * width)
    return "\n".join(lines)


@dataclass(slots=True)
class Writer:
    """Collects blocks; ``blocks`` are their spans, ``pages`` the offsets of page marks by kind."""

    parts: list[str] = field(default_factory=list[str])
    length: int = 0
    blocks: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    pages: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    headings: int = 0
    _waiting: str = ""
    _last_was_item: bool = False

    def text(self) -> str:
        """All that was written. Marks that no block followed stand at the end."""
        self.pages.extend((self.length, mark) for mark in self._waiting)
        self._waiting = ""
        return "".join(self.parts)

    def heading(self, level: int, text: str) -> None:
        flat = " ".join(unstyled(text).split())
        if flat:
            self.headings += 1
            self.block("#" * min(max(level, 1), 6) + " " + flat)

    def paragraph(self, text: str, prefix: str = "", hang: str = "", *, item: bool = False) -> None:
        body = escape_line_starts(styled(text).strip())
        if body:
            self.block(body, prefix, hang, item=item)

    def code(self, text: str, language: str = "", prefix: str = "", hang: str = "") -> None:
        body = text.strip("\n").rstrip()
        if body:
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", body)), default=0))
            self.block(f"{fence}{language}\n{body}\n{fence}", prefix, hang)

    def table(self, rows: Sequence[Sequence[str]], prefix: str = "", hang: str = "") -> None:
        body = table(rows)
        if body:
            self.block(body, prefix, hang)

    def rule(self) -> None:
        if self.parts:
            self.block("---")

    def keep_marks(self, text: str) -> None:
        """Marks of a block without words wait for the next one."""
        if PAGE in text or SOFT_PAGE in text:
            self._waiting += "".join(MARKS.findall(text))

    def block(self, text: str, prefix: str = "", hang: str = "", *, item: bool = False) -> None:
        """Write one block: the first line after ``prefix``, the others after ``hang``."""
        if hang and "\n" in text:
            text = text.replace("\n", "\n" + hang)
        if self.parts:
            joint = "\n" if item and self._last_was_item else "\n\n"
            self.parts.append(joint)
            self.length += len(joint)
        self._last_was_item = item
        start = self.length
        if self._waiting:
            self.pages.extend((start, mark) for mark in self._waiting)
            self._waiting = ""
        whole = prefix + text
        if PAGE in whole or SOFT_PAGE in whole:
            whole = self._unmarked(whole, start)
        self.parts.append(whole)
        self.length += len(whole)
        self.blocks.append((start, self.length))

    def _unmarked(self, text: str, start: int) -> str:
        pieces = MARKS.split(text)
        at = start
        for index, piece in enumerate(pieces):
            if index % 2:
                self.pages.append((at, piece))
            else:
                at += len(piece)
        return "".join(pieces[::2])
