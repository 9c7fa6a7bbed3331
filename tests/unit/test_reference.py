"""The generated reference pages are current."""

from __future__ import annotations

import pytest

from tests.support.reference import DOCS, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_what_the_code_generates(name: str) -> None:
    assert (DOCS / name).read_text("utf-8") == PAGES[name](), "run `python -m tests.support.reference`"
