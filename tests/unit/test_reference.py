"""Reference pages that are made of code are current."""

from __future__ import annotations

import pytest

from tests.support.reference import PAGES, ROOT


@pytest.mark.parametrize("name", PAGES)
def test_the_page_says_what_the_code_says(name: str) -> None:
    assert (ROOT / name).read_text("utf-8") == PAGES[name](), "run `python -m tests.support.reference`"
