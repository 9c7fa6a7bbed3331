"""Strips tags from markup that no parser accepts, such as a hundred thousand nested tags."""

from __future__ import annotations

import html
import re

from towpath.readers.html.tags import BLOCKS

_TAG_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9]*")
_INVISIBLE_END = {
    name: re.compile(f"</{name}", re.IGNORECASE)
    for name in ("script", "style", "title", "template", "noscript")
}


def strip_tags(text: str) -> str:
    """The text between the tags, with blank lines where blocks begin or end."""
    parts: list[str] = []
    offset = 0
    while (opening := text.find("<", offset)) >= 0:
        parts.append(text[offset:opening])
        is_comment = text.startswith("<!--", opening)
        closing = text.find("-->" if is_comment else ">", opening)
        if closing < 0:
            break
        is_end_tag = text.startswith("/", opening + 1)
        match = _TAG_NAME.match(text, opening + 1 + is_end_tag)
        name = match[0].lower() if match else ""
        offset = closing + (3 if is_comment else 1)
        if name in _INVISIBLE_END and not is_end_tag:
            end = _INVISIBLE_END[name].search(text, offset)
            if end is None:
                break
            offset = end.start()
        if name in BLOCKS and parts[-1:] != ["\n\n"]:
            parts.append("\n\n")
    else:
        parts.append(text[offset:])
    return html.unescape("".join(parts))
