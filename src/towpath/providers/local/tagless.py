"""The words of markup that no parser will take, such as a hundred thousand nested tags. Linear in its length."""

from __future__ import annotations

import html
import re

from towpath.providers.local.tags import BLOCKS

_NAME = re.compile(r"[a-z][a-z0-9]*")
_UNSEEN = ("script", "style", "title", "template", "noscript")


def without_tags(text: str) -> str:
    """The text between the tags; blank lines where a block began or ended."""
    lowered = text.lower()
    pieces: list[str] = []
    at = 0
    while (opening := text.find("<", at)) >= 0:
        pieces.append(text[at:opening])
        comment = text.startswith("<!--", opening)
        closing = text.find("-->" if comment else ">", opening)
        if closing < 0:
            break
        found = _NAME.match(lowered, opening + 1 + text.startswith("/", opening + 1))
        name = found[0] if found else ""
        at = closing + (3 if comment else 1)
        if name in _UNSEEN and not text.startswith("/", opening + 1):
            at = lowered.find(f"</{name}", at)
            if at < 0:
                break
        if name in BLOCKS and pieces[-1:] != ["\n\n"]:
            pieces.append("\n\n")
    else:
        pieces.append(text[at:])
    return html.unescape("".join(pieces))
