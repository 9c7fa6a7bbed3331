"""Plots of benchmarks: one SVG file, larger values higher, titles escaped."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from bench.small_plots import Plot, write_plots

SVG = "{http://www.w3.org/2000/svg}"


def heights(line: ElementTree.Element) -> list[float]:
    return [float(y) for y in re.findall(r",([\d.]+)", line.attrib["points"])]


def test_larger_values_are_drawn_higher(tmp_path: Path) -> None:
    plots = [
        Plot("claim & submit", [(1e4, 1.0), (1e5, 3.0), (1e6, 9.0)], logarithmic=True),
        Plot("memory", [(0.0, 200.0), (30.0, 100.0)]),
    ]
    write_plots(tmp_path / "images" / "growth.svg", "ms < documents", plots)
    root = ElementTree.parse(tmp_path / "images" / "growth.svg").getroot()
    growing, falling = (heights(line) for line in root.iter(f"{SVG}polyline"))
    # A pixel further down has a larger y.
    assert growing == sorted(growing, reverse=True)
    assert abs((growing[0] - growing[1]) - (growing[1] - growing[2])) < 0.2, "equal factors, equal distances"
    assert falling == sorted(falling)
    texts = [text.text for text in root.iter(f"{SVG}text")]
    assert {"ms < documents", "claim & submit", "memory", "10k", "1M"} <= set(texts)


def test_a_value_that_never_changes_has_a_line(tmp_path: Path) -> None:
    write_plots(tmp_path / "soak.svg", "soak", [Plot("files", [(0.0, 0.0), (1.0, 0.0)])])
    assert "polyline" in (tmp_path / "soak.svg").read_text()
