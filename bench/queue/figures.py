"""The figures of one run: a number for each library and column, or a text if there is no number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

Column = Literal[
    "submit_one",
    "submit_bulk",
    "drain_1",
    "drain_2",
    "latency_p50",
    "latency_p95",
    "latency_p99",
    "durable",
    "million",
    "idle",
    "kill",
]
COLUMNS: tuple[Column, ...] = get_args(Column)
Figure = float | str
Measured = dict[Column, Figure]


@dataclass(frozen=True, slots=True)
class Measurements:
    cells: dict[str, Measured] = field(default_factory=dict[str, Measured])

    def note(self, key: str, measured: Measured) -> None:
        self.cells.setdefault(key, {}).update(measured)

    def of(self, key: str, column: Column) -> Figure | None:
        return self.cells.get(key, {}).get(column)

    def ratio(self, key: str, reference: str, column: Column) -> float | None:
        """This figure divided by the reference's figure."""
        figure, base = self.of(key, column), self.of(reference, column)
        if isinstance(figure, str) or isinstance(base, str) or not figure or not base:
            return None
        return figure / base
