"""Helpers for tests of readers: calling them, and looking at what came out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from towpath.errors import Rejected
from towpath.model.content import Extraction

Reader = Callable[[Path, Callable[[int, int], None]], Extraction]


def quiet(done: int, total: int) -> None:
    """For tests that do not care how far a reader is."""


def page_text(extraction: Extraction, number: int) -> str:
    page = next(page for page in extraction.pages if page.number == number)
    return extraction.markdown[page.start : page.end]


def refusal(reader: Reader, path: Path) -> Rejected:
    """The refusal with which a reader answers this file; its sentence must be one for people."""
    with pytest.raises(Rejected) as caught:
        reader(path, quiet)
    reason = caught.value.reason
    assert reason[0].isupper()
    assert reason.endswith(".")
    return caught.value


def assert_sound(extraction: Extraction) -> None:
    """What must hold for every reader: pages tile the text, spans lie within it, no unkeepable characters."""
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
    for found in extraction.fields:
        if found.start is not None and found.end is not None:
            assert 0 <= found.start < found.end <= len(text)
