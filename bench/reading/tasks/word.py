"""Word documents: words, headings and list items, compared with pandoc's own reading in its tests.

``pandoc_docx/NAME.docx`` with ``NAME.truth.native``: the tests of pandoc's reader for Word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.reading.haskell_value import Node, Value, parse
from bench.reading.markdown_text import plain_text
from bench.reading.task import Counts, Metric, Sample, Tool, ratio
from bench.reading.tools import peers, towpath

SUMMARY = "words, headings and list items of Word documents, compared with pandoc's reading"
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
_MARKER = re.compile(r"^[ \t>]*(?:[-*+]|\d+[.)]) +(?:\[[ x]\] +)?", re.MULTILINE)
_ITEM = re.compile(r"^[ \t>]*(?:[-*+]|\d+[.)]) +(?:\[[ x]\] +)?(.+)$", re.MULTILINE)


def _f1(name: str) -> Callable[[Counts], float]:
    def compute(counts: Counts) -> float:
        total = counts[f"{name}_found"] + counts[f"{name}_expected"]
        return 2 * counts[f"{name}_right"] / total if total else 0.0

    return compute


METRICS = (
    Metric("words F1", _f1("words")),
    Metric("headings precision", ratio("headings_right", "headings_found")),
    Metric("headings recall", ratio("headings_right", "headings_expected")),
    Metric("list items recall", ratio("items_right", "items_expected")),
    Metric("list items F1", _f1("items")),
)


@dataclass(slots=True)
class Structure:
    words: Counter[str]
    headings: Counter[str]
    items: Counter[str]


def load(data: Path) -> list[Sample]:
    return [
        Sample(
            path.name.removesuffix(".truth.native"),
            path.with_name(path.name.replace(".truth.native", ".docx")),
            _truth(path),
        )
        for path in sorted((data / "pandoc_docx").glob("*.truth.native"))
    ]


def _truth(path: Path) -> Structure:
    document = parse(path.read_text("utf-8"))
    # With its metadata a document is `Pandoc Meta [blocks]`.
    blocks = document.arguments[-1] if isinstance(document, Node) else document
    nodes = list(_nodes(blocks))
    texts = (_compared(_text(node.arguments[-1])) for node in nodes if node.name == "Header")
    headings = Counter(text for text in texts if text)
    items: Counter[str] = Counter()
    for node in nodes:
        if node.name in ("BulletList", "OrderedList"):
            entries = node.arguments[-1]
            assert isinstance(entries, list)
            items.update(_compared(_text(entry[0])) for entry in entries if isinstance(entry, list) and entry)
    return Structure(_words(_text(blocks)), headings, Counter(item for item in items.elements() if item))


def _nodes(value: Value) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
        for argument in value.arguments:
            yield from _nodes(argument)
    elif isinstance(value, list):
        for item in value:
            yield from _nodes(item)


def _text(value: Value) -> str:
    """The words of a value; names of styles, addresses and other attributes are left out."""
    if isinstance(value, list):
        return "".join(_text(item) for item in value)
    if isinstance(value, str):
        return ""
    if value.name in ("Str", "Code", "Math", "CodeBlock"):
        return "".join(argument for argument in value.arguments if isinstance(argument, str))
    if value.name in ("Space", "SoftBreak", "LineBreak"):
        return " "
    if value.name == "Image":
        return ""
    text = _text(value.arguments)
    is_block = value.name in ("Para", "Plain", "Header", "Cell", "LineBlock")
    return f" {text} " if is_block else text


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))


def _compared(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _score(read: Callable[[Path], str], sample: Sample) -> Counts:
    truth = sample.truth
    assert isinstance(truth, Structure)
    markdown = read(sample.path)
    found = Structure(
        _words(plain_text(_MARKER.sub("", markdown))),
        Counter(_compared(plain_text(text)) for text in _HEADING.findall(markdown)),
        Counter(_compared(plain_text(text)) for text in _ITEM.findall(markdown)),
    )
    counts: dict[str, float] = {}
    for name in ("words", "headings", "items"):
        expected: Counter[str] = getattr(truth, name)
        given: Counter[str] = getattr(found, name)
        counts[f"{name}_right"] = (expected & given).total()
        counts[f"{name}_found"] = given.total()
        counts[f"{name}_expected"] = expected.total()
    return counts


def tools() -> list[Tool]:
    available = [Tool("Towpath", partial(_score, towpath.markdown))]
    if peers.is_installed("markitdown") and peers.is_installed("mammoth"):
        available.append(Tool("markitdown", partial(_score, peers.markitdown_markdown)))
    return available
