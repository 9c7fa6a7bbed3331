"""Headings, paragraphs, code, running heads and false tables of manuals; the HTML of the same manual is the truth."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import cast

from bench.reading.manual_truth import (
    PARAGRAPH_BEGINNING,
    ManualTruth,
    compact,
    letters,
    read_truth,
    title_form,
    words,
)
from bench.reading.markdown_tables import find_tables
from bench.reading.markdown_text import plain_text
from bench.reading.task import Counts, Metric, Sample, Tool, ratio
from bench.reading.tools import peers, towpath

SUMMARY = "manuals as PDF, compared with their HTML"
METRICS = (
    Metric("headings P", ratio("right headings", "found headings")),
    Metric("headings R", ratio("right headings", "headings")),
    Metric("paragraphs begin", ratio("paragraphs begin", "paragraphs")),
    Metric("blocks begin inside a paragraph", ratio("begin inside", "text blocks")),
    Metric("code lines P", ratio("right code", "found code")),
    Metric("code lines R", ratio("code in blocks", "code")),
    Metric("running heads left", ratio("heads left", "heads")),
    Metric("false tables per 100 pages", ratio("false tables", "hundred pages")),
    Metric("tables found", ratio("tables found", "tables")),
)
_HEADING = re.compile(r"#{1,6}\s+(.*)")
_BLANK_LINES = re.compile(r"\n{2,}")
# Headings, tables, code and items.
_NO_TEXT = re.compile(r"\s*(?:#|\||```|~~~|[-*+] |\d{1,9}[.)] |>)")
_CONTENTS = {
    "contents",
    "tableofcontents",
    "index",
    "inhaltsverzeichnis",
    "tabledesmatières",
    "índicegeneral",
}
# Share of a table's words that must stand in one table of the HTML.
_SAME_TABLE = 0.6


def load(data: Path) -> list[Sample]:
    return [
        Sample(path.stem, path, read_truth(path, path.with_suffix(".truth")))
        for path in sorted((data / "manuals").glob("*.pdf"))
    ]


def tools() -> list[Tool]:
    available = [_tool("Towpath", towpath.markdown), _tool("liteparse", peers.liteparse_markdown)]
    if peers.is_installed("markitdown"):
        available.append(_tool("markitdown", peers.markitdown_markdown))
    return available


def _tool(name: str, read: Callable[[Path], str]) -> Tool:
    return Tool(name, lambda sample: score(cast(ManualTruth, sample.truth), read(sample.path)))


def score(truth: ManualTruth, markdown: str) -> Counts:
    """Counts of one manual."""
    code, text = _divide(markdown)
    found = Counter(
        form
        for line in text
        if (match := _HEADING.match(line)) and (form := title_form(plain_text(match[1]))) not in _CONTENTS
    )
    code_text, true_code = "".join(code), "".join(truth.code)
    false, true = _compare_tables(truth, markdown)
    return {
        "headings": truth.headings.total(),
        "found headings": found.total(),
        "right headings": (truth.headings & found).total(),
        **_compare_paragraphs(truth, markdown),
        "code": len(truth.code),
        "code in blocks": sum(line in code_text for line in truth.code),
        "found code": len(code),
        "right code": sum(line in true_code for line in code),
        "heads": truth.heads.total(),
        "heads left": _heads_left(truth, text),
        "hundred pages": truth.pages / 100,
        "tables": len(truth.tables),
        "tables found": true,
        "false tables": false,
    }


def _compare_paragraphs(truth: ManualTruth, markdown: str) -> dict[str, int]:
    """Paragraphs of the truth that begin a block, of those in the text; and blocks that begin inside of one."""
    forms = [
        compact(plain_text(block)) for block in _BLANK_LINES.split(markdown) if not _NO_TEXT.match(block)
    ]
    beginnings = {form[:PARAGRAPH_BEGINNING] for form in forms if len(form) >= PARAGRAPH_BEGINNING}
    whole = compact(plain_text(markdown))
    true = {form[:PARAGRAPH_BEGINNING] for form in truth.paragraphs}
    printed = {form for form in true if form in whole}
    others = [form for form in beginnings if form not in true]
    return {
        "paragraphs": len(printed),
        "paragraphs begin": len(printed & beginnings),
        "text blocks": len(beginnings),
        "begin inside": sum(any(form in paragraph for paragraph in truth.paragraphs) for form in others),
    }


def _divide(markdown: str) -> tuple[list[str], list[str]]:
    """The lines in code blocks, without blanks, and the other lines."""
    code: list[str] = []
    text: list[str] = []
    in_code = False
    for line in markdown.splitlines():
        if line.startswith(("```", "~~~")):
            in_code = not in_code
        elif in_code:
            if len(form := compact(line)) >= 3:
                code.append(form)
        else:
            text.append(line)
    return code, text


def _heads_left(truth: ManualTruth, lines: list[str]) -> int:
    """Running heads that are lines of the text. A title may stand once as a heading and once in the contents."""
    titles = {letters(form) for form in truth.headings}
    found = Counter(form for line in lines if (form := letters(plain_text(line))) in truth.heads)
    return sum(
        min(count, max(0, found[form] - (2 if _is_title(form, titles) else 0)))
        for form, count in truth.heads.items()
    )


def _is_title(form: str, titles: set[str]) -> bool:
    return form in titles or any(len(title) > 5 and form.endswith(title) for title in titles)


def _compare_tables(truth: ManualTruth, markdown: str) -> tuple[int, int]:
    """The number of tables without a counterpart, and of true tables that were found."""
    shown = [words(" ".join(cell for row in rows for cell in row)) for rows in find_tables(markdown)]
    false = sum(not any(_share(table, true) >= _SAME_TABLE for true in truth.tables) for table in shown)
    found = sum(any(_share(table, true) >= _SAME_TABLE for table in shown) for true in truth.tables)
    return false, found


def _share(part: frozenset[str], whole: frozenset[str]) -> float:
    return len(part & whole) / len(part) if part else 0.0
