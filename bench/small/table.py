"""The table of the small scenario: one column for each kind of document and engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bench.small.scenario import Measured

PARTS = ("event loop", "database writer", "database threads", "file threads", "other threads")


def table(rows: Sequence[Measured]) -> str:
    lines = [
        f"| | {' | '.join(f'{row.kind}, {row.engine}' for row in rows)} |",
        f"|---|{'---:|' * len(rows)}",
    ]
    for label, figure in _figures().items():
        values = [figure(row) for row in rows]
        lines.append(f"| {label} | {' | '.join('-' if v is None else _text(v) for v in values)} |")
    return "\n".join(lines)


def _text(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def _figures() -> dict[str, Callable[[Measured], float | None]]:
    figures: dict[str, Callable[[Measured], float | None]] = {
        "documents/s, upload to searchable": lambda row: row.documents / row.searchable_seconds,
        "seconds until the last one is connected": lambda row: row.connected_seconds,
        "transactions": lambda row: _each(row, "transactions"),
        "commits with fsync": lambda row: _each(row, "commits with fsync"),
        "SQL statements": lambda row: _each(row, "statements"),
        "fsyncs of files and, on SQLite, of commits": lambda row: _each(row, "fsyncs"),
        "blob writes": lambda row: _each(row, "blob writes"),
        "calls of child processes": _hops,
        "kB written": lambda row: _each(row, "bytes written") / 1000,
        "CPU ms of the server's process": lambda row: 1000 * _each(row, "cpu total"),
    }
    for part in PARTS:
        figures[f"of it: {part}"] = lambda row, part=part: 1000 * _each(row, f"cpu {part}")
    others: dict[str, Callable[[Measured], float | None]] = {
        "CPU ms of child processes (reading, chunking, embedding, words)": lambda row: (
            1000 * _each(row, "cpu child processes")
        ),
        "CPU ms of the database server": lambda row: 1000 * _each(row, "cpu database server"),
        "CPU ms to connect, all processes": _connect_cpu,
        "kB of disk: uploaded file": lambda row: row.disk and row.disk.originals / row.documents / 1000,
        "kB of disk: text and index": lambda row: row.disk and row.disk.index / row.documents / 1000,
        "kB of disk: other blobs": lambda row: row.disk and row.disk.artifacts / row.documents / 1000,
        "kB of disk: other tables": lambda row: row.disk and row.disk.tables / row.documents / 1000,
    }
    return figures | others


def _each(row: Measured, name: str) -> float:
    return row.counts.get(name, 0.0) / row.documents


def _hops(row: Measured) -> float:
    return sum(value for name, value in row.counts.items() if name.startswith("hop ")) / row.documents


def _connect_cpu(row: Measured) -> float:
    parts = ("cpu total", "cpu child processes", "cpu connect process", "cpu database server")
    during = row.counts.get("cpu connect process", 0.0)
    return 1000 * (during + sum(row.connect_counts.get(part, 0.0) for part in parts)) / row.documents


def statements(row: Measured) -> str:
    """The statements, with how often each was sent per document; the most frequent ones first."""
    found = {
        name.removeprefix("sql "): value for name, value in row.counts.items() if name.startswith("sql ")
    }
    return "\n".join(
        f"{value / row.documents:6.2f} {' '.join(text.split())[:150]}"
        for text, value in sorted(found.items(), key=lambda item: -item[1])
        if value / row.documents >= 0.1
    )
