"""Adds the parameter to a media type which says that the whole text of a web page is read."""

from __future__ import annotations

#: The whole text of a web page is read, not only its main content.
FULL_TEXT = "text=full"
#: Types whose reader chooses the main content.
WEB_PAGES = frozenset(("text/html", "application/x-mimearchive"))


def with_full_text(media_type: str) -> str:
    """The media type that makes the reader of web pages read the whole text; part of the key of cached answers."""
    return f"{media_type};{FULL_TEXT}" if media_type in WEB_PAGES else media_type
