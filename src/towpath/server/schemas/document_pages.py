"""Response models for the pages of a document."""

from __future__ import annotations

from pydantic import Field

from towpath.model.content import Page
from towpath.model.page_unit import PageUnit, unit_of_pages
from towpath.server.schemas.base import View


class PageView(View):
    number: int
    start: int = Field(description="First character of the page in the markdown")
    end: int
    label: str | None = Field(description="The printed page number, or the name of a slide, sheet or chapter")


class PagesView(View):
    unit: PageUnit = Field(description="What the pages are; `chapter` for books without printed pages")
    pages: list[PageView] = Field(description="In the order of the text; empty for files without pages")


def pages_view(media_type: str, pages: tuple[Page, ...]) -> PagesView:
    return PagesView(
        unit=unit_of_pages(media_type, pages),
        pages=[
            PageView(number=page.number, start=page.start, end=page.end, label=page.label) for page in pages
        ],
    )
