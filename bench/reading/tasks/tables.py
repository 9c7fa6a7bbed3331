"""Tables of PDFs: F1 of cell adjacency relations on the files of the ICDAR 2013 table competition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast
from xml.etree import ElementTree

from bench.reading.markdown_tables import Cell, Relation, find_tables, grid_cells, relations
from bench.reading.task import RECALL_PRECISION_F1, Counts, Sample, Tool
from bench.reading.tools import peers, towpath

SUMMARY = "ICDAR 2013, relations of neighbouring cells"
METRICS = RECALL_PRECISION_F1


def load(data: Path) -> list[Sample]:
    return [
        Sample(path.stem, path, relations(_true_tables(truth)))
        for path in sorted((data / "icdar").glob("*.pdf"))
        if (truth := path.with_suffix(".truth.xml")).exists()
    ]


def _true_tables(path: Path) -> list[list[Cell]]:
    return [
        [_cell(cell, region) for region in table.iter("region") for cell in region.iter("cell")]
        for table in ElementTree.parse(path).iter("table")
    ]


def _cell(cell: ElementTree.Element, region: ElementTree.Element) -> Cell:
    rows, columns = int(region.get("row-increment", 0)), int(region.get("col-increment", 0))
    first_row, first_column = int(cell.get("start-row", 0)), int(cell.get("start-col", 0))
    last_row = int(cell.get("end-row") or first_row)
    last_column = int(cell.get("end-col") or first_column)
    return Cell(
        cell.findtext("content") or "",
        first_row + rows,
        first_column + columns,
        last_row + rows,
        last_column + columns,
    )


def tools() -> list[Tool]:
    available = [
        Tool("Towpath", lambda sample: _score(sample, _of_markdown(towpath.markdown, sample))),
        Tool("liteparse", lambda sample: _score(sample, _of_markdown(peers.liteparse_markdown, sample))),
    ]
    if peers.is_installed("pdfplumber"):
        available.append(
            Tool("pdfplumber", lambda sample: _score(sample, peers.pdfplumber_tables(sample.path)))
        )
    if peers.is_installed("markitdown"):
        available.append(
            Tool("markitdown", lambda sample: _score(sample, _of_markdown(peers.markitdown_markdown, sample)))
        )
    return available


def _of_markdown(read: Callable[[Path], str], sample: Sample) -> list[list[list[str]]]:
    return list(find_tables(read(sample.path)))


def _score(sample: Sample, tables: Sequence[Sequence[Sequence[str]]]) -> Counts:
    expected = cast("Counter[Relation]", sample.truth)
    found = relations(map(grid_cells, tables))
    return {"right": (expected & found).total(), "found": found.total(), "expected": expected.total()}
