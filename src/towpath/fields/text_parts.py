"""Cuts a long text into parts at the ends of paragraphs, so that each part fits one request to a chat model."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Where a text may be cut, the best places first.
_BREAKS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"\s"))
#: A part is cut in its last half, so that there are few of them.
_MIN_FILL = 0.5

Span = tuple[int, int]


def cut_parts(text: str, max_characters: int, start: int = 0, end: int | None = None) -> list[Span]:
    """Start and end of each part, without parts that are blank."""
    return [
        span
        for span in _cut(text, max_characters, start, len(text) if end is None else end)
        if _has_text(text, span)
    ]


def halves(text: str, part: Span) -> list[Span]:
    """The part in two, cut near its middle; fewer if it cannot be divided."""
    start, end = part
    return cut_parts(text, max(1, (end - start + 1) // 2 + (end - start) // 10), start, end)


def _cut(text: str, max_characters: int, start: int, end: int) -> Iterator[Span]:
    while end - start > max_characters:
        cut = _last_break(text, start, start + max_characters)
        yield start, cut
        start = cut
    yield start, end


def _last_break(text: str, start: int, limit: int) -> int:
    earliest = start + max(1, int((limit - start) * _MIN_FILL))
    for pattern in _BREAKS:
        cut = max((match.end() for match in pattern.finditer(text, earliest, limit)), default=None)
        if cut is not None:
            return cut
    return limit


def _has_text(text: str, span: Span) -> bool:
    return bool(text[span[0] : span[1]].strip())
