"""Limits bold text at the beginning of a paragraph to its term.

liteparse marks a whole line as bold where it begins in bold: a term and the first words of its explanation.
"""

from __future__ import annotations

import re

# A bold beginning that the text continues.
_BEGINNING = re.compile(r"\*\*(?!\s)([^*\n]+?)\*\*(?=\s*[^\s*])")
_TERM_END = re.compile(r"[:.](?=\s)|\s[–—-](?=\s)")
# A longer beginning without an end of the term is a line, not a term.
_MAX_WORDS = 6


def limit_bold(text: str) -> str:
    """The text with its bold beginning cut behind the term; without bold if a whole line is marked."""
    match = _BEGINNING.match(text)
    if match is None:
        return text
    span = match[1]
    end = _TERM_END.search(span)
    if end is not None:
        return f"**{span[: end.end()].rstrip()}**{span[end.end() :]}{text[match.end() :]}"
    return f"{span}{text[match.end() :]}" if len(span.split()) > _MAX_WORDS else text
