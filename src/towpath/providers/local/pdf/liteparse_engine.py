"""The first engine: liteparse, which finds headings, lists, code and tables by rules.

It is young and has its traps; all of them are known here, and nowhere else. What it gives is made
into our pages in ``liteparse_pages.py``.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from towpath.providers.local.pdf.liteparse_pages import page_read, reason_for_ocr
from towpath.providers.local.pdf.pages import EngineFailed, PageRead, as_shown

if TYPE_CHECKING:
    from liteparse.parser import LiteParse

# 25 pages keep a 2,400-page book under 100 MB; 100 pages take twice that and gain nothing.
_BATCH = 25


@dataclass(frozen=True, slots=True)
class Recognition:
    """How pages without a text layer are read: where the language data lies, and how fine to draw."""

    tessdata: Path
    language: str
    dpi: int
    workers: int


def liteparse(
    total: int,
    *,
    form: bool = False,
    tags: bool = False,
    recognition: Recognition | None = None,
    turns: Sequence[tuple[int, int]] = (),
    pages: Sequence[int] = (),
) -> LiteParse:
    """liteparse with its traps disarmed."""
    from liteparse.parser import LiteParse

    return LiteParse(
        quiet=True,
        output_format="json",
        max_pages=max(total, 1),  # the default of 1,000 cuts longer files without a word
        extract_blocks=True,
        extract_links=False,
        extract_form_fields=form,
        extract_structure_tree=tags,
        extract_text_metadata=tags,
        continue_on_page_error=True,
        # Its own rule sees one batch only; the one in running.py sees the whole document.
        keep_headers_footers=True,
        # On without a folder, it would fetch language data from the network.
        ocr_enabled=recognition is not None,
        tessdata_path=str(recognition.tessdata) if recognition else None,
        ocr_language=recognition.language if recognition else None,
        dpi=float(recognition.dpi) if recognition else None,
        num_workers=recognition.workers if recognition else None,
        page_orientation_corrections=list(turns) or None,
        target_pages=",".join(map(str, pages)) or None,
    )


class LiteparseEngine:
    """Reads a file page by page in batches, so that memory does not grow with its length."""

    name = "liteparse"

    def __init__(self, path: Path, total: int, *, form: bool = False, tags: bool = False) -> None:
        self._path = path
        self._total = total
        self._form = form
        self._tags = tags

    def pages(self) -> Iterator[PageRead]:
        with failures_told():
            parser = liteparse(self._total, form=self._form, tags=self._tags)
            for batch in parser.parse_batches(self._path, _BATCH):
                for page in batch.result.pages:
                    yield page_read(page, self._total)

    def turned_pages(self, turns: Mapping[int, int]) -> Iterator[PageRead]:
        """Read these pages again, each turned back by so many degrees; boxes are as shown."""
        numbers = sorted(turns)
        for at in range(0, len(numbers), _BATCH):
            group = numbers[at : at + _BATCH]
            turn = [(number, turns[number]) for number in group]
            with failures_told():
                parser = liteparse(self._total, form=self._form, turns=turn, pages=group)
                for page in parser.parse(self._path).pages:
                    yield as_shown(page_read(page, self._total), turns.get(page.page_num, 0))

    def reasons_for_ocr(self, pages: Sequence[PageRead]) -> Iterator[tuple[PageRead, str | None]]:
        """Why the text of these pages cannot be used; None where it can. Takes 1 to 4 ms for each page."""
        by_number = {page.number: page for page in pages}
        if not by_number:
            return
        with failures_told():
            for stats in liteparse(self._total, pages=list(by_number)).is_complex(self._path):
                page = by_number[stats.page_number]
                yield page, reason_for_ocr(stats, page)


@contextmanager
def failures_told() -> Generator[None]:
    """Whatever liteparse fails with becomes ``EngineFailed``."""
    from liteparse.types import ParseError

    try:
        yield
    except (ParseError, RecursionError) as error:
        raise EngineFailed(str(error)) from error
    except BaseException as error:
        # A panic in Rust is no Exception and has no class that could be imported.
        if type(error).__name__ != "PanicException":
            raise
        raise EngineFailed(str(error)) from error
