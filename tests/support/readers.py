"""Helpers for tests of readers: a silent progress callback, page texts, expected rejections, checks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from towpath.errors import Rejected
from towpath.model.content import Extraction

Reader = Callable[[Path, Callable[[int, int], None]], Extraction]


def quiet(done: int, total: int) -> None:
    """A progress callback that ignores progress."""


def page_text(extraction: Extraction, number: int) -> str:
    """The text of the page with this number."""
    page = next(page for page in extraction.pages if page.number == number)
    return extraction.markdown[page.start : page.end]


def rejection(reader: Reader, path: Path) -> Rejected:
    """The error with which a reader rejects this file; its reason must be a sentence."""
    with pytest.raises(Rejected) as caught:
        reader(path, quiet)
    reason = caught.value.reason
    assert reason[0].isupper()
    assert reason.endswith(".")
    return caught.value


def assert_sound(extraction: Extraction) -> None:
    """Invariants of every extraction: pages tile the text, spans are inside it, no unstorable characters."""
    text = extraction.markdown
    assert text.strip()
    assert "\0" not in text
    text.encode("utf-8")
    last = 0
    for number, page in enumerate(extraction.pages, start=1):
        assert page.number == number
        assert last <= page.start <= page.end <= len(text)
        assert not text[last : page.start].strip()
        last = page.end
    if extraction.pages:
        assert not text[last:].strip()
    for block in extraction.blocks:
        page = extraction.pages[block.page - 1]
        assert page.start <= block.start < block.end <= len(text)
        assert text[block.start : block.end].strip()
    for field in extraction.fields:
        if field.start is not None and field.end is not None:
            assert 0 <= field.start < field.end <= len(text)
