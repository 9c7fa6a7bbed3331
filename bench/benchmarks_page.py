"""Writes a scenario's section of `docs/reference/benchmarks.md`, leaving every other section as it is."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "benchmarks.md"

INTRODUCTION = """\
# Benchmarks

Every figure on this page was measured by `python -m bench <scenario>`, which rewrites its own section. All
rows of a section come from one run on one machine, so read the ratios: the absolute figures change with the
machine. `bench/README.md` describes how each scenario measures and how to add one.
"""


def write_section(name: str, text: str, page: Path = PAGE) -> None:
    """Replace the text between `<!-- bench:name -->` and `<!-- /bench:name -->`, or append it."""
    opening, closing = f"<!-- bench:{name} -->", f"<!-- /bench:{name} -->"
    section = f"{opening}\n{text}\n{closing}"
    current = page.read_text() if page.exists() else INTRODUCTION
    marked = re.compile(f"{re.escape(opening)}.*?{re.escape(closing)}", re.DOTALL)
    if marked.search(current):
        updated = marked.sub(lambda _: section, current, count=1)
    else:
        updated = f"{current.rstrip()}\n\n{section}\n"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(updated)
