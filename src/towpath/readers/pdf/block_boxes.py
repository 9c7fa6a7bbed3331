"""Converts positions on a PDF page to shares of the page's width and height."""

from __future__ import annotations

from typing import TYPE_CHECKING

from towpath.model.content import Box
from towpath.readers.pdf.page_layout import Rectangle
from towpath.readers.pdf.page_model import page_fraction

if TYPE_CHECKING:
    from liteparse.types import AnnotationRect, ParsedPage


def rect_box(rect: AnnotationRect | None, page: ParsedPage) -> Box | None:
    if rect is None or page.width <= 0 or page.height <= 0:
        return None
    return Box(
        page_fraction(rect.x / page.width),
        page_fraction(rect.y / page.height),
        page_fraction((rect.x + rect.width) / page.width),
        page_fraction((rect.y + rect.height) / page.height),
    )


def rectangle(rect: AnnotationRect) -> Rectangle:
    return (rect.x, rect.y, rect.x + rect.width, rect.y + rect.height)


def rectangle_box(rectangle: Rectangle, page: ParsedPage) -> Box:
    x0, y0, x1, y1 = rectangle
    width, height = page.width or 1.0, page.height or 1.0
    return Box(*map(page_fraction, (x0 / width, y0 / height, x1 / width, y1 / height)))
