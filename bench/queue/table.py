"""Renders the figures as Markdown: for each engine a table of figures, one of ratios, and all settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.libraries.contract import Engine, Measure, QueueLibrary
from bench.queue.figures import COLUMNS, Column, Figure, Measurements

TITLES: dict[Column, str] = {
    "submit_one": "submit/s",
    "submit_bulk": "bulk submit/s",
    "drain_1": "drain/s, 1 worker",
    "drain_2": "drain/s, 2 workers",
    "latency_p50": "pick-up p50 ms",
    "latency_p95": "p95 ms",
    "latency_p99": "p99 ms",
    "durable": "durable runs/s",
    "million": "drain/s, long history",
    "idle": "idle queries/min",
    "kill": "kill -9 to rework s",
}
ENGINES: dict[Engine, str] = {"postgres": "Postgres", "redis": "BullMQ on Redis", "sqlite": "SQLite"}
REFERENCES: dict[Engine, str] = {"postgres": "raw_postgres", "redis": "bullmq", "sqlite": "huey"}
NONE = "-"


def render(libraries: Sequence[QueueLibrary], figures: Measurements) -> str:
    """Render a section for each engine that was measured."""
    sections: list[str] = []
    for engine, title in ENGINES.items():
        rows = [row for row in libraries if row.engine == engine and row.key in figures.cells]
        if rows:
            sections.append(_section(title, REFERENCES[engine], rows, figures))
    return "\n\n".join(sections)


def _section(title: str, reference: str, rows: Sequence[QueueLibrary], figures: Measurements) -> str:
    columns: list[Column] = [
        column for column in COLUMNS if any(figures.of(row.key, column) is not None for row in rows)
    ]
    parts = [f"### {title}", _table(rows, columns, lambda key, column: _figure(figures.of(key, column)))]
    labels = [row.label for row in rows if row.key == reference]
    if labels:
        parts += [
            f'Ratios, "{labels[0]}" = 1 (more is better for rates, less for times and queries):',
            _table(rows, columns, lambda key, column: _ratio(figures.ratio(key, reference, column))),
        ]
    parts.append("\n".join(_notes(row) for row in rows))
    return "\n\n".join(parts)


def _table(
    rows: Sequence[QueueLibrary], columns: Sequence[Column], cell: Callable[[str, Column], str]
) -> str:
    lines = [["", *(TITLES[column] for column in columns)]]
    lines += [[row.label, *(cell(row.key, column) for column in columns)] for row in rows]
    widths = [max(len(line[column_index]) for line in lines) for column_index in range(len(lines[0]))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(_line(line, widths) for line in [lines[0], rule, *lines[1:]])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    label = cells[0].ljust(widths[0])
    figures = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
    return f"| {' | '.join([label, *figures])} |"


def _notes(row: QueueLibrary) -> str:
    """The row's settings and the reasons for missing figures, each reason once."""
    reasons: dict[str, list[Measure]] = {}
    for measure, reason in row.absent.items():
        reasons.setdefault(reason, []).append(measure)
    absent = "".join(f"; no {' or '.join(measures)}: {reason}" for reason, measures in reasons.items())
    return f"- **{row.label}**: {row.settings}{absent}."


def _figure(figure: Figure | None) -> str:
    if figure is None:
        return NONE
    if isinstance(figure, str):
        return figure
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.1f}"


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return NONE
    return f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.1f}×" if ratio >= 10 else f"{ratio:.2f}×"
