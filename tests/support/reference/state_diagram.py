"""Draws docs/images/states.svg: the states of runs and jobs and the verbs between them, from the transition table.

Each chart has three columns: the state at the beginning, the state at work, and the states at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from towpath.lifecycle.transitions import JOB_TRANSITIONS, RUN_TRANSITIONS
from towpath.model.job import JobStatus
from towpath.model.run import RunState

WIDTH, BOX_WIDTH, BOX_HEIGHT, ROW = 1130, 150, 40, 64
COLUMNS = (20, 470, 890)
INK, PAPER = "#1f2937", "#ffffff"

_COLORS = {
    "QUEUED": "#e5e7eb",
    "PENDING": "#e5e7eb",
    "RUNNING": "#bfdbfe",
    "PROCESSING": "#bfdbfe",
    "COMPLETED": "#bbf7d0",
    "FAILED": "#fecaca",
    "TIMED_OUT": "#fed7aa",
    "CANCELLED": "#e9d5ff",
}

Edges = Mapping[tuple[str, str], Sequence[str]]


def state_diagram() -> str:
    run = _chart("Run", [str(state) for state in RunState], _edges(RUN_TRANSITIONS), 0)
    job_top = _height(len(RunState))
    job = _chart("Job", [str(state) for state in JobStatus], _edges(JOB_TRANSITIONS), job_top)
    height = job_top + _height(len(JobStatus))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
            ' font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="States of runs and jobs">',
            '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8"'
            ' markerHeight="8" orient="auto">'
            f'<path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>',
            f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>',
            *run,
            *job,
            "</svg>",
            "",
        ]
    )


def _edges(transitions: Mapping[Any, Mapping[Any, frozenset[Any]]]) -> Edges:
    """The verbs that lead from one state to another, in the order of the table."""
    edges: dict[tuple[str, str], list[str]] = {}
    for verb, steps in transitions.items():
        for before, after in steps.items():
            for state in sorted(after):
                edges.setdefault((str(before), str(state)), []).append(str(verb))
    return edges


def _height(states: int) -> int:
    return 70 + (states - 2) * ROW


def _chart(title: str, states: Sequence[str], edges: Edges, top: int) -> list[str]:
    first, working, *ends = states
    middle = top + 60 + (len(ends) - 1) * ROW // 2 - ROW // 2
    places = {first: (COLUMNS[0], middle), working: (COLUMNS[1], middle)}
    places |= {state: (COLUMNS[2], top + 50 + row * ROW) for row, state in enumerate(ends)}
    parts = [_text(20, top + 30, title, size=18, weight="bold")]
    for (before, after), verbs in edges.items():
        parts += _edge(places[before], places[after], ", ".join(verbs))
    return parts + [part for state, place in places.items() for part in _box(state, *place)]


def _edge(before: tuple[int, int], after: tuple[int, int], verbs: str) -> list[str]:
    (x, y), (to_x, to_y) = before, after
    right, center = x + BOX_WIDTH, y + BOX_HEIGHT // 2
    target = to_y + BOX_HEIGHT // 2
    if before == after:
        return _loop(x, y, verbs)
    if x == COLUMNS[0] and to_x == COLUMNS[1]:
        return [_line(f"M{right} {center - 8}H{to_x}"), _text(right + 10, center - 14, verbs)]
    if x == COLUMNS[1] and to_x == COLUMNS[0]:
        return [
            _line(f"M{x} {center + 8}H{to_x + BOX_WIDTH}"),
            _text(to_x + BOX_WIDTH + 10, center + 24, verbs),
        ]
    if x == COLUMNS[0]:
        left = x + BOX_WIDTH // 2
        return [_line(f"M{left} {y + BOX_HEIGHT}V{target + 8}H{to_x}"), _text(left + 10, target + 24, verbs)]
    bend = right + 40
    label = target - 6
    return [_line(f"M{right} {center}H{bend}V{target - 4}H{to_x}"), _text(bend + 10, label - 4, verbs)]


def _loop(x: int, y: int, verbs: str) -> list[str]:
    """A transition to the same state: an arc above the box, or beside it at the end."""
    if x == COLUMNS[2]:
        right, middle = x + BOX_WIDTH, y + BOX_HEIGHT // 2
        arc = f"M{right} {middle - 12}C{right + 26} {middle - 18} {right + 26} {middle + 18} {right} {middle + 12}"
        return [_line(arc), _text(right + 26, middle + 4, verbs)]
    center = x + BOX_WIDTH // 2
    arc = f"M{center - 24} {y}C{center - 30} {y - 26} {center + 30} {y - 26} {center + 24} {y}"
    lines: list[str] = [""]
    for verb in verbs.split(", "):
        if len(lines[-1]) + len(verb) > 32:
            lines.append("")
        lines[-1] += f"{', ' if lines[-1] else ''}{verb}"
    at = y - 24 - 16 * (len(lines) - 1)
    return [
        _line(arc),
        *(_text(center, at + 16 * row, line, anchor="middle") for row, line in enumerate(lines)),
    ]


def _box(state: str, x: int, y: int) -> list[str]:
    return [
        f'<rect x="{x}" y="{y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6"'
        f' fill="{_COLORS[state]}" stroke="{INK}"/>',
        _text(x + BOX_WIDTH // 2, y + 25, state, weight="bold", anchor="middle"),
    ]


def _line(path: str) -> str:
    return f'<path d="{path}" fill="none" stroke="{INK}" marker-end="url(#arrow)"/>'


def _text(x: int, y: int, text: str, *, size: int = 13, weight: str = "normal", anchor: str = "start") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" fill="{INK}">'
        f"{escape(text)}</text>"
    )
