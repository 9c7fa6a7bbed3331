"""The plan for reading a long scan: batches of pages, each recognized by its own cached call."""

from __future__ import annotations

from dataclasses import dataclass

from towpath.model.codec import decode, encode

_PREFIX = b'{"page_plan":'


@dataclass(frozen=True, slots=True)
class PageBatch:
    """Pages (from 1) that are recognized together, and the resolution in dpi at which they are rendered."""

    pages: tuple[int, ...]
    dpi: int


@dataclass(frozen=True, slots=True)
class PagePlan:
    """The batches of a file that needs OCR, in the order in which they are recognized."""

    page_count: int
    batches: tuple[PageBatch, ...]

    @property
    def ocr_pages(self) -> int:
        """Number of pages that need OCR."""
        return sum(len(batch.pages) for batch in self.batches)


@dataclass(frozen=True, slots=True)
class _StoredPlan:
    page_plan: PagePlan


def encode_plan(plan: PagePlan) -> bytes:
    return encode(_StoredPlan(plan))


def decode_plan(body: bytes) -> PagePlan | None:
    """The plan; None if the body is an extraction, which a file without a plan has instead."""
    return decode(body, _StoredPlan).page_plan if body.startswith(_PREFIX) else None
