"""Draws small plots side by side as one SVG file: one measured value each, over size or time."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

IMAGES = Path(__file__).parents[1] / "docs" / "images"

COLUMNS = 4
WIDTH, HEIGHT = 220, 140
#: Space around the lines of one plot, in pixels: for its title above, its values left and its scale below.
LEFT, TOP, RIGHT, BOTTOM = 46, 28, 12, 24


@dataclass(frozen=True, slots=True)
class Plot:
    """One line. With ``logarithmic`` scales, growth in proportion to the size is a rising diagonal."""

    title: str
    points: Sequence[tuple[float, float]]
    logarithmic: bool = False


def write_plots(path: Path, caption: str, plots: Sequence[Plot]) -> None:
    rows = math.ceil(len(plots) / COLUMNS)
    width, height = COLUMNS * WIDTH, 24 + rows * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="10">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        f'<text x="8" y="16" font-size="12">{html.escape(caption)}</text>',
    ]
    for number, plot in enumerate(plots):
        column, row = number % COLUMNS, number // COLUMNS
        parts.append(f'<g transform="translate({column * WIDTH} {24 + row * HEIGHT})">')
        parts += _draw(plot)
        parts.append("</g>")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([*parts, "</svg>"]) + "\n", "utf-8")


def _draw(plot: Plot) -> list[str]:
    xs = [x for x, _ in plot.points]
    ys = [y for _, y in plot.points]
    x_of = _scale(min(xs), max(xs), LEFT, WIDTH - RIGHT, plot.logarithmic)
    low, high = _limits(ys, plot.logarithmic)
    y_of = _scale(low, high, HEIGHT - BOTTOM, TOP, plot.logarithmic)
    line = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in plot.points)
    axes = f"M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"
    return [
        f'<text x="{LEFT}" y="18" font-weight="bold">{html.escape(plot.title)}</text>',
        f'<path d="{axes}" fill="none" stroke="#999"/>',
        f'<polyline points="{line}" fill="none" stroke="#1f5fbf" stroke-width="1.5"/>',
        *(
            f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="2" fill="#1f5fbf"/>'
            for x, y in plot.points[-1:]
        ),
        *(_label(LEFT - 4, y_of(value) + 3, value, "end") for value in dict.fromkeys((low, high))),
        *(_label(x_of(value), HEIGHT - 8, value, "middle") for value in dict.fromkeys((xs[0], xs[-1]))),
    ]


def _limits(values: Sequence[float], logarithmic: bool) -> tuple[float, float]:
    """The ends of the vertical scale: powers of ten around the values, or zero and a little more than the largest."""
    if not logarithmic:
        return 0.0, max(values) * 1.1 or 1.0
    smallest = max(min(values), 1e-3)
    return 10.0 ** math.floor(math.log10(smallest)), 10.0 ** math.ceil(
        math.log10(max(max(values), smallest * 1.01))
    )


def _scale(low: float, high: float, start: float, end: float, logarithmic: bool) -> Callable[[float], float]:
    """Maps values from ``low`` to ``high`` to pixels from ``start`` to ``end``."""

    def measure(value: float) -> float:
        return math.log10(max(value, 1e-9)) if logarithmic else value

    span = measure(high) - measure(low) or 1.0
    return lambda value: start + (measure(value) - measure(low)) / span * (end - start)


def _label(x: float, y: float, value: float, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#555">{_short(value)}</text>'


def _short(value: float) -> str:
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:g}{unit}"
    return f"{value:.3g}"
