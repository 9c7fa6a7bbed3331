"""What a walk over markup cannot know by itself: notes, printed pages, titles from a table of contents."""

from __future__ import annotations

from towpath.providers.local.xml import Element


class Guide:
    """Answers for plain web pages: no notes, no printed pages. Books have a guide of their own."""

    def page_label(self, element: Element) -> str | None:
        """The label of the page that begins at this element, or None when none does."""
        return None

    def note_reference(self, link: Element) -> str | None:
        """What to write for a link that leads to a note."""
        return None

    def note(self, element: Element) -> str | None:
        """The opening of a note's text, when the element is one."""
        return None

    def leads_back(self, link: Element) -> bool:
        """Whether the link only leads from a note back to its place in the text."""
        return False

    def title_at(self, element: Element) -> tuple[int, str] | None:
        """Level and words of a heading known from elsewhere for what begins at this element."""
        return None
