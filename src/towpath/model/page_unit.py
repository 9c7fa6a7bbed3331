"""What a page of a file is called, by media type: page, slide, sheet, chapter or minute."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from towpath.model.content import Page

PageUnit = Literal["page", "slide", "sheet", "chapter", "minute"]

_OFFICE = "application/vnd.openxmlformats-officedocument"
_UNITS: Mapping[str, PageUnit] = {
    f"{_OFFICE}.presentationml.presentation": "slide",
    "application/vnd.oasis.opendocument.presentation": "slide",
    "application/vnd.ms-powerpoint": "slide",
    f"{_OFFICE}.spreadsheetml.sheet": "sheet",
    "application/vnd.oasis.opendocument.spreadsheet": "sheet",
    "application/vnd.ms-excel": "sheet",
    "text/csv": "sheet",
    "text/tab-separated-values": "sheet",
    "application/epub+zip": "chapter",
    "application/x-fictionbook+xml": "chapter",
    "application/x-subrip": "minute",
    "text/vtt": "minute",
}
_PRINTED_NUMBER = re.compile(r"\d{1,5}|[ivxlcdm]{1,9}", re.IGNORECASE)


def unit_of_media_type(media_type: str) -> PageUnit:
    return _UNITS.get(media_type, "page")


def unit_of_pages(media_type: str, pages: Sequence[Page]) -> PageUnit:
    """The unit of these pages: a book with the numbers of its printed pages has pages, another one chapters."""
    return unit_of_count(media_type, printed_numbers=have_printed_numbers(pages))


def unit_of_count(media_type: str, *, printed_numbers: bool) -> PageUnit:
    """The same, if it is known whether the pages have printed numbers."""
    unit = unit_of_media_type(media_type)
    return "page" if unit == "chapter" and printed_numbers else unit


def have_printed_numbers(pages: Sequence[Page]) -> bool:
    """Whether the labels are numbers of printed pages, not names of chapters."""
    labels = [page.label for page in pages if page.label]
    return bool(labels) and all(_PRINTED_NUMBER.fullmatch(label.strip()) for label in labels)


def with_page_unit(anchor: Mapping[str, object], media_type: str) -> Mapping[str, object]:
    """The anchor with `unit`, if it has a page that is not a page of paper."""
    unit = unit_of_media_type(media_type)
    return anchor if unit == "page" or "page" not in anchor else {**anchor, "unit": unit}
