"""Recognizes the scanned pages of a long file in batches: plans them, and reads the file with their results.

A file with few scanned pages is read in one pass. The scanned pages of a longer file are recognized batch by
batch, each in its own call of a child process; then the file is read once more with the recognized pages. Both ways
give the same extraction: the batches are the groups of pages that one pass would recognize together, in the same
order, and the state of `PageOcr` is passed from batch to batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from towpath.model.codec import decode, encode
from towpath.model.page_plan import PageBatch, PagePlan
from towpath.readers.ocr.page_ocr import PageOcr, groups_by_resolution
from towpath.readers.ocr.settings import OcrEngines
from towpath.readers.ocr.state import OcrState
from towpath.readers.pdf.page_model import PdfPage
from towpath.readers.pdf.pdfium import PdfiumFile

#: A file with at most this number of scanned pages is read in one pass. What one pass recognized is lost when the run
#: reaches its deadline: on a slow machine, four pages take up to a minute.
MAX_PAGES_IN_ONE_PASS = 4


class PageRecognizer(Protocol):
    """Returns the recognized text of pages."""

    @property
    def failure(self) -> str | None: ...

    @property
    def engines(self) -> tuple[str, ...]: ...

    def read_pages(self, file: PdfiumFile, numbers: Sequence[int]) -> Iterator[PdfPage]: ...


RecognizerFactory = Callable[[OcrEngines], PageRecognizer]


class BatchesNeeded(Exception):
    """The file has too many scanned pages for one pass; ``plan`` has their batches."""

    def __init__(self, plan: PagePlan) -> None:
        super().__init__(f"{plan.ocr_pages} pages need OCR")
        self.plan = plan


class PlanningOcr(PageOcr):
    """Recognizes the pages of a short file; raises `BatchesNeeded` for a longer one before it recognizes anything."""

    def read_pages(self, file: PdfiumFile, numbers: Sequence[int]) -> Iterator[PdfPage]:
        if len(numbers) > MAX_PAGES_IN_ONE_PASS:
            groups = groups_by_resolution(file, numbers, self.pages_per_group)
            batches = tuple(PageBatch(tuple(group), dpi) for dpi, group in groups)
            raise BatchesNeeded(PagePlan(file.page_count, batches))
        return super().read_pages(file, numbers)


@dataclass(frozen=True, slots=True)
class RecognizedBatch:
    """The pages of one batch, and the state of `PageOcr` after it."""

    pages: list[PdfPage]
    state: OcrState


def encode_batch(batch: RecognizedBatch) -> bytes:
    return encode(batch)


def decode_batch(body: bytes) -> RecognizedBatch:
    return decode(body, RecognizedBatch)


class RecognizedPages:
    """Returns pages that were recognized before, in batches."""

    def __init__(self, batches: Sequence[bytes]) -> None:
        decoded = [decode_batch(body) for body in batches]
        self._pages = {page.number: page for batch in decoded for page in batch.pages}
        self._state = decoded[-1].state if decoded else OcrState()

    @property
    def failure(self) -> str | None:
        return self._state.reported_failure

    @property
    def engines(self) -> tuple[str, ...]:
        return self._state.engines

    def read_pages(self, file: PdfiumFile, numbers: Sequence[int]) -> Iterator[PdfPage]:
        return (self._pages[number] for number in numbers)

    def in_order(self) -> list[PdfPage]:
        """All pages by number."""
        return [self._pages[number] for number in sorted(self._pages)]
