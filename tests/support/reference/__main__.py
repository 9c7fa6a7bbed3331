"""Writes every generated reference page: `python -m tests.support.reference`."""

from __future__ import annotations

from tests.support.reference import DOCS, PAGES

for name, make_page in PAGES.items():
    (DOCS / name).write_text(make_page(), "utf-8")
