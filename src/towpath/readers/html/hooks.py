"""Hooks by which a format adds notes, printed pages and titles to the HTML conversion."""

from __future__ import annotations

from towpath.readers.common.safe_xml import Element


class MarkupHooks:
    """Defaults for web pages: no notes, no printed pages. EPUB books override them."""

    def page_label(self, element: Element) -> str | None:
        """The label of the printed page that begins at this element, or None."""
        return None

    def note_reference(self, link: Element) -> str | None:
        """The markdown reference for a link to a note, or None for other links."""
        return None

    def note_prefix(self, element: Element) -> str | None:
        """The markdown prefix of a note's text if the element is a note, else None."""
        return None

    def is_back_link(self, link: Element) -> bool:
        """True if the link leads from a note back to its reference."""
        return False

    def title_before(self, element: Element) -> tuple[int, str] | None:
        """Level and text of a heading to insert before this element, or None."""
        return None
