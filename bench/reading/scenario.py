"""`python -m bench reading --data DIR`: reading quality on files with ground truth, beside other open tools."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from bench.machine import describe_machine
from bench.reading.bootstrap import estimate
from bench.reading.task import Counts, Sample, Task, Tool

SUMMARY = "quality of reading on files with ground truth, compared with other open tools"
TASKS = sorted(
    path.stem for path in (Path(__file__).parent / "tasks").glob("*.py") if path.stem != "__init__"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with the ground truth, see README.md"
    )
    parser.add_argument("--task", action="append", choices=TASKS, help="only this task; may be repeated")
    parser.add_argument("--tool", action="append", help="only tools whose name contains this text")
    parser.add_argument("--limit", type=int, help="at most this many files per task, for a trial")
    parser.add_argument("--details", type=Path, help="write the counts of every file as JSON lines")


def run(arguments: argparse.Namespace) -> int:
    lines = ["## Reading", "", describe_machine(), ""]
    details: list[str] = []
    for name in arguments.task or TASKS:
        task = cast(Task, importlib.import_module(f"bench.reading.tasks.{name}"))
        samples = task.load(arguments.data)[: arguments.limit]
        if not samples:
            print(f"{name}: no files under {arguments.data}", file=sys.stderr)
            continue
        tools = [
            tool
            for tool in task.tools()
            if not arguments.tool or any(part in tool.name for part in arguments.tool)
        ]
        lines += _heading(name, task, len(samples))
        for tool in tools:
            counts, seconds = _score_all(tool, samples)
            lines.append(_row(tool, task, counts, seconds))
            details += [
                json.dumps({"task": name, "tool": tool.name, "file": sample.name, **file_counts})
                for sample, file_counts in zip(samples, counts, strict=True)
            ]
        lines.append("")
    print("\n".join(lines))
    if arguments.details:
        arguments.details.write_text("\n".join(details) + "\n")
    return 0


def _score_all(tool: Tool, samples: Sequence[Sample]) -> tuple[list[Counts], float]:
    counts: list[Counts] = []
    started = time.perf_counter()
    for number, sample in enumerate(samples, start=1):
        if sys.stderr.isatty():
            print(f"\r{tool.name}: {number} of {len(samples)}   ", end="", file=sys.stderr, flush=True)
        counts.append(tool.score(sample))
    print(f"\r{tool.name}: {len(samples)} files", file=sys.stderr)
    return counts, time.perf_counter() - started


def _heading(name: str, task: Task, count: int) -> list[str]:
    names = [metric.name for metric in task.METRICS]
    return [
        f"### {name}: {task.SUMMARY} (n = {count}, 95 % bootstrap intervals)",
        "",
        f"| tool | {' | '.join(names)} | seconds |",
        f"|---|{'---|' * len(names)}---:|",
    ]


def _row(tool: Tool, task: Task, counts: Sequence[Counts], seconds: float) -> str:
    estimates = [estimate(counts, metric.compute) for metric in task.METRICS]
    cells = [f"{item.value:.3f} ({item.low:.3f} to {item.high:.3f})" for item in estimates]
    return f"| {tool.name} | {' | '.join(cells)} | {seconds:.0f} |"
