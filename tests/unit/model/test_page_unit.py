"""What the pages of a file are called."""

from __future__ import annotations

from towpath.model.content import Page
from towpath.model.page_unit import unit_of_media_type, unit_of_pages, with_page_unit

EPUB = "application/epub+zip"
SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


def test_slides_sheets_and_chapters_are_no_pages() -> None:
    assert unit_of_media_type(SLIDES) == "slide"
    assert unit_of_media_type("text/csv") == "sheet"
    assert unit_of_media_type(EPUB) == "chapter"
    assert unit_of_media_type("application/pdf") == "page"


def test_a_book_has_pages_if_the_numbers_of_its_printed_pages_are_known() -> None:
    printed = [Page(1, 0, 5, "iv"), Page(2, 5, 9, None), Page(3, 9, 12, "12")]
    chapters = [Page(1, 0, 5, "The lock"), Page(2, 5, 9, "12")]
    assert unit_of_pages(EPUB, printed) == "page"
    assert unit_of_pages(EPUB, chapters) == "chapter"
    assert unit_of_pages(EPUB, []) == "chapter"


def test_an_anchor_names_its_unit_only_if_its_page_is_something_else() -> None:
    assert with_page_unit({"page": 3}, SLIDES) == {"page": 3, "unit": "slide"}
    assert with_page_unit({"page": 3}, "application/pdf") == {"page": 3}
    assert with_page_unit({"start": 0}, SLIDES) == {"start": 0}
