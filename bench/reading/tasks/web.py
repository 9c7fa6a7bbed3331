"""Web pages: the text of the article, by the metric of scrapinghub's article extraction benchmark.

Tokens are compared in runs of four. Precision and recall are means over the pages, F1 is made of the two means.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from bench.reading.task import Counts, Metric, Sample, Tool
from bench.reading.tools import peers, web

SUMMARY = "text of web articles"

_TOKEN = re.compile(r"\w+")
_RUN = 4


def _precision(counts: Counts) -> float:
    return counts["precision"] / max(counts["pages"], 1)


def _recall(counts: Counts) -> float:
    return counts["recall"] / max(counts["pages"], 1)


def _f1(counts: Counts) -> float:
    precision, recall = _precision(counts), _recall(counts)
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


METRICS = (Metric("F1", _f1), Metric("precision", _precision), Metric("recall", _recall))


def load(data: Path) -> list[Sample]:
    folder = data / "article"
    listing = folder / "truth.json"
    if not listing.exists():
        return []
    expected: dict[str, dict[str, str]] = json.loads(listing.read_text())
    pages = ((folder / f"{name}.html", truth["articleBody"]) for name, truth in sorted(expected.items()))
    return [Sample(path.name, path, text) for path, text in pages if path.exists()]


def tools() -> list[Tool]:
    available = [_tool("Towpath", web.towpath_text), _tool("trafilatura", web.trafilatura_text)]
    if peers.is_installed("readability"):
        available.append(_tool("readability-lxml", web.readability_text))
    return available


def _tool(name: str, text_of: Callable[[Path], str]) -> Tool:
    return Tool(name, lambda sample: score(str(sample.truth), text_of(sample.path)))


def score(expected: str, text: str) -> Counts:
    """Precision and recall of one page."""
    true_runs, found_runs = _runs(expected), _runs(text)
    shared = (true_runs & found_runs).total()
    return {
        "pages": 1,
        "precision": shared / found_runs.total() if found_runs else 0.0,
        "recall": shared / true_runs.total() if true_runs else 0.0,
    }


def _runs(text: str) -> Counter[tuple[str, ...]]:
    tokens = _TOKEN.findall(text)
    starts = range(max(1, len(tokens) - _RUN + 1)) if tokens else ()
    return Counter(tuple(tokens[start : start + _RUN]) for start in starts)
