"""The words of markup that no parser will take, such as a hundred thousand nested tags."""

from __future__ import annotations

import html
import re

from towpath.providers.local.tags import BLOCKS

_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9]*")
_UNSEEN = {
    name: re.compile(f"</{name}", re.IGNORECASE)
    for name in ("script", "style", "title", "template", "noscript")
}


def without_tags(text: str) -> str:
    """The text between the tags; blank lines where a block began or ended."""
    pieces: list[str] = []
    at = 0
    while (opening := text.find("<", at)) >= 0:
        pieces.append(text[at:opening])
        comment = text.startswith("<!--", opening)
        closing = text.find("-->" if comment else ">", opening)
        if closing < 0:
            break
        ends = text.startswith("/", opening + 1)
        found = _NAME.match(text, opening + 1 + ends)
        name = found[0].lower() if found else ""
        at = closing + (3 if comment else 1)
        if name in _UNSEEN and not ends:
            end = _UNSEEN[name].search(text, at)
            if end is None:
                break
            at = end.start()
        if name in BLOCKS and pieces[-1:] != ["\n\n"]:
            pieces.append("\n\n")
    else:
        pieces.append(text[at:])
    return html.unescape("".join(pieces))
