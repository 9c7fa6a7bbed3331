"""The primary PDF engine: liteparse, which detects headings, lists, code and tables by rules.

All workarounds for liteparse are in this module. ``liteparse_pages.py`` converts its pages to ours.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from towpath.readers.pdf.liteparse_pages import convert_page, ocr_reason
from towpath.readers.pdf.page_model import EngineError, PdfPage, boxes_as_shown

if TYPE_CHECKING:
    from liteparse.parser import LiteParse

# 25 pages per batch keep a 2,400-page book under 100 MB; 100 pages take twice that and are no faster.
_PAGES_PER_BATCH = 25


@dataclass(frozen=True, slots=True)
class OcrOptions:
    """OCR options of liteparse: language data, resolution, number of workers."""

    tessdata: Path
    language: str
    dpi: int
    workers: int


def make_parser(
    page_count: int,
    *,
    form: bool = False,
    tags: bool = False,
    ocr: OcrOptions | None = None,
    rotations: Sequence[tuple[int, int]] = (),
    pages: Sequence[int] = (),
) -> LiteParse:
    """A liteparse parser with safe options."""
    from liteparse.parser import LiteParse

    return LiteParse(
        quiet=True,
        output_format="json",
        max_pages=max(page_count, 1),  # the default of 1,000 truncates longer files silently
        extract_blocks=True,
        extract_vector_graphics=True,
        extract_links=False,
        extract_form_fields=form,
        extract_structure_tree=tags,
        extract_text_metadata=tags,
        continue_on_page_error=True,
        # liteparse's own rule sees one batch only; running_headers.py sees the whole document.
        keep_headers_footers=True,
        # OCR without a folder would download language data.
        ocr_enabled=ocr is not None,
        tessdata_path=str(ocr.tessdata) if ocr else None,
        ocr_language=ocr.language if ocr else None,
        dpi=float(ocr.dpi) if ocr else None,
        num_workers=ocr.workers if ocr else None,
        page_orientation_corrections=list(rotations) or None,
        target_pages=",".join(map(str, pages)) or None,
    )


class LiteparseEngine:
    """Reads a file in batches of pages, so that memory does not grow with its length."""

    name = "liteparse"

    def __init__(self, path: Path, page_count: int, *, form: bool = False, tags: bool = False) -> None:
        self._path = path
        self._page_count = page_count
        self._form = form
        self._tags = tags

    def pages(self) -> Iterator[PdfPage]:
        """All pages in order."""
        with translated_errors():
            parser = make_parser(self._page_count, form=self._form, tags=self._tags)
            for batch in parser.parse_batches(self._path, _PAGES_PER_BATCH):
                for page in batch.result.pages:
                    yield convert_page(page, self._page_count)

    def rotated_pages(self, rotations: Mapping[int, int]) -> Iterator[PdfPage]:
        """Re-read these pages, each rotated back by the given degrees; boxes refer to the page as shown."""
        numbers = sorted(rotations)
        for start in range(0, len(numbers), _PAGES_PER_BATCH):
            group = numbers[start : start + _PAGES_PER_BATCH]
            group_rotations = [(number, rotations[number]) for number in group]
            with translated_errors():
                parser = make_parser(
                    self._page_count, form=self._form, rotations=group_rotations, pages=group
                )
                for page in parser.parse(self._path).pages:
                    yield boxes_as_shown(
                        convert_page(page, self._page_count), rotations.get(page.page_num, 0)
                    )

    def ocr_reasons(self, pages: Sequence[PdfPage]) -> Iterator[tuple[PdfPage, str | None]]:
        """Why each page needs OCR; None if its text is usable. Takes 1 to 4 ms per page."""
        by_number = {page.number: page for page in pages}
        if not by_number:
            return
        with translated_errors():
            for stats in make_parser(self._page_count, pages=list(by_number)).is_complex(self._path):
                page = by_number[stats.page_number]
                yield page, ocr_reason(stats, page)


@contextmanager
def translated_errors() -> Generator[None]:
    """Translate errors of liteparse to ``EngineError``."""
    from liteparse.types import ParseError

    try:
        yield
    except (ParseError, RecursionError) as error:
        raise EngineError(str(error)) from error
    except BaseException as error:
        # A Rust panic is not an Exception and its class cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise EngineError(str(error)) from error
