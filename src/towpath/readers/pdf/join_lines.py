"""Joins the lines of a paragraph. A word that is divided at the end of a line is joined without its hyphen.

``line_end_hyphens.py`` restores the hyphens that belong to the word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_HYPHENATED = re.compile(r"[^\W\d_][-\u00ad\u2010]$")


def join_lines(lines: Sequence[str]) -> str:
    """One text of several lines."""
    text = ""
    for line in map(str.strip, lines):
        if not text or not line:
            text = text or line
        elif _HYPHENATED.search(text) and line[:1].islower():
            text = text[:-1] + line
        elif text.endswith("-") and text[-2:-1].isalnum():
            text += line
        else:
            text += f" {line}"
    return text
