"""`python -m bench queue`: measures all contestants, prints the tables and writes them into the docs."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Sequence

import uvloop

from bench.contestants.contract import MEASURES, Contestant, Measure
from bench.contestants.roster import find_contestants
from bench.disk import DiskWatch
from bench.machine import describe_machine
from bench.page import write_section
from bench.queue import latency, throughput, waiting
from bench.queue.arena import open_arena
from bench.queue.figures import Figures, Measured
from bench.queue.plan import FULL, QUICK, Plan
from bench.queue.stage import Stage
from bench.queue.table import ENGINES, render

BEGUN = time.monotonic()
SUMMARY = "the database queue against its peers and against bare SQL"

BUSY: dict[Measure, Callable[[Contestant, Stage], Awaitable[Measured]]] = {
    "submit_one": throughput.submit_one,
    "submit_bulk": throughput.submit_bulk,
    "drain_1": lambda contestant, stage: throughput.drain(contestant, stage, workers=1),
    "drain_2": lambda contestant, stage: throughput.drain(contestant, stage, workers=2),
    "latency": latency.latency,
    "durable": throughput.durable,
    "million": throughput.drain_before_history,
}
WAITING: dict[Measure, Callable[[Sequence[Contestant], Stage, Figures], Awaitable[None]]] = {
    "idle": waiting.idle,
    "kill": waiting.kill,
}

# Half a minute of leases running out; a quick run does without, unless it is asked for by name.
LONG_WAITS: frozenset[Measure] = frozenset({"kill"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--quick", action="store_true", help="small numbers, about 2 minutes; for trying only"
    )
    parser.add_argument("--only", type=_names, default=(), help="contestants, e.g. towpath,pgqueuer")
    parser.add_argument(
        "--measure", type=_names, default=(), help=f"of {', '.join(MEASURES)}; beginnings suffice"
    )
    parser.add_argument("--write", action="store_true", help="write the documentation after any run")


def run(arguments: argparse.Namespace) -> int:
    roster = find_contestants(frozenset(arguments.only))
    for missing in roster.missing:
        _say(f"left out, cannot be imported: {missing}")
    if not roster.contestants:
        _say(f"no contestant is called {', '.join(arguments.only)}")
        return 2
    plan = QUICK if arguments.quick else FULL
    measures = _selected(arguments.measure) - (
        LONG_WAITS if arguments.quick and not arguments.measure else set()
    )
    figures, disk = Figures(), DiskWatch()
    uvloop.run(_measure_all(roster.contestants, measures, plan, figures, disk))
    tables = render(roster.contestants, figures)
    print(f"\n{tables}\n\n{disk.describe()}")
    whole = not (arguments.quick or arguments.only or arguments.measure)
    if not disk.steady:
        _say("the disk was busy with other work: measure again before believing this")
    if arguments.write or (whole and disk.steady):
        facts = f"{describe_machine()}\n{disk.describe()}\n{_explain(plan)}"
        write_section("queue", f"## Queue\n\n{facts}\n\n{tables}")
    return 0


async def _measure_all(
    contestants: Sequence[Contestant],
    measures: frozenset[Measure],
    plan: Plan,
    figures: Figures,
    disk: DiskWatch,
) -> None:
    for engine in ENGINES:
        rows = [row for row in contestants if row.engine == engine]
        if not rows:
            continue
        with open_arena(engine) as arena:
            stage = Stage(arena, plan)
            for measure in MEASURES:
                taking_part = [row for row in rows if measure in measures and measure not in row.absent]
                if taking_part:
                    await _measure(measure, taking_part, stage, figures, disk)
            _say(f"{ENGINES[engine]} is done")


async def _measure(
    measure: Measure, rows: Sequence[Contestant], stage: Stage, figures: Figures, disk: DiskWatch
) -> None:
    """One measure for all rows; a contestant that fails loses its figure, not the run."""
    if measure in WAITING:
        disk.sample()
        _say(f"{measure}: {', '.join(row.key for row in rows)}")
        try:
            await WAITING[measure](rows, stage, figures)
        except Exception:  # as below; these measures have their figures together or not at all
            traceback.print_exc()
        return
    for row in rows:
        disk.sample()
        try:
            measured = await BUSY[measure](row, stage)
        except Exception:  # any library may fail in any way
            traceback.print_exc()
            measured: Measured = {}
        figures.note(row.key, measured)
        _say(f"{measure} {row.key}: {', '.join(f'{name} {value:,.1f}' for name, value in measured.items())}")
    if measure == "million":
        stage.forget("million")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _selected(beginnings: Sequence[str]) -> frozenset[Measure]:
    """`drain` selects `drain_1` and `drain_2`; nothing given selects all."""
    unknown = [start for start in beginnings if not any(measure.startswith(start) for measure in MEASURES)]
    if unknown:
        raise SystemExit(f"no measure is called {', '.join(unknown)}; there are {', '.join(MEASURES)}")
    return frozenset(
        measure
        for measure in MEASURES
        if not beginnings or any(measure.startswith(start) for start in beginnings)
    )


def _explain(plan: Plan) -> str:
    return f"""\
Every commit reaches the disk (Postgres: fsync and synchronous_commit on; SQLite: synchronous=FULL).
Drains take {plan.drain_jobs:,} no-op jobs, or as many as {plan.drain_limit:.0f} s allow.
The long history is {plan.finished_jobs:,} finished jobs. Durable runs have five checkpointed steps.
Pick-up latency is that of {plan.latency_samples} jobs submitted to one idle worker, one every 25 ms.
Kill -9 is measured with the library's defaults, for {plan.kill_limit:.0f} s at most."""


def _say(text: str) -> None:
    print(f"{time.monotonic() - BEGUN:6.0f} s  {text}", file=sys.stderr, flush=True)
