"""`python -m bench queue`: measures all libraries, prints the tables and writes them into the docs."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Awaitable, Callable, Sequence

import uvloop

from bench.benchmarks_page import write_section
from bench.disk import DiskWatch
from bench.libraries.contract import MEASURES, Measure, QueueLibrary
from bench.libraries.registry import find_libraries
from bench.machine import describe_machine
from bench.queue import idle, latency, throughput
from bench.queue.databases import open_databases
from bench.queue.figures import Measured, Measurements
from bench.queue.plan import FULL, QUICK, Plan
from bench.queue.table import ENGINES, render
from bench.queue.template_databases import TemplateDatabases

STARTED = time.monotonic()
SUMMARY = "compare the database queue with other libraries and with bare SQL"

ACTIVE: dict[Measure, Callable[[QueueLibrary, TemplateDatabases], Awaitable[Measured]]] = {
    "submit_one": throughput.submit_one,
    "submit_bulk": throughput.submit_bulk,
    "drain_1": lambda library, templates: throughput.drain(library, templates, workers=1),
    "drain_2": lambda library, templates: throughput.drain(library, templates, workers=2),
    "latency": latency.latency,
    "durable": throughput.durable,
    "million": throughput.drain_with_history,
}
PASSIVE: dict[
    Measure, Callable[[Sequence[QueueLibrary], TemplateDatabases, Measurements], Awaitable[None]]
] = {
    "idle": idle.idle,
    "kill": idle.kill,
}

# Takes half a minute until leases expire; a quick run omits it unless it is requested by name.
LONG_WAITS: frozenset[Measure] = frozenset({"kill"})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--quick", action="store_true", help="small numbers, about 2 minutes; for trying only"
    )
    parser.add_argument("--only", type=_names, default=(), help="libraries, e.g. towpath,pgqueuer")
    parser.add_argument(
        "--measure", type=_names, default=(), help=f"of {', '.join(MEASURES)}; prefixes are enough"
    )
    parser.add_argument("--write", action="store_true", help="write the documentation after any run")


def run(arguments: argparse.Namespace) -> int:
    registry = find_libraries(frozenset(arguments.only))
    for missing in registry.missing:
        _log(f"skipped, cannot be imported: {missing}")
    if not registry.libraries:
        _log(f"no library is called {', '.join(arguments.only)}")
        return 2
    plan = QUICK if arguments.quick else FULL
    measures = _selected(arguments.measure) - (
        LONG_WAITS if arguments.quick and not arguments.measure else set()
    )
    figures, disk = Measurements(), DiskWatch()
    uvloop.run(_measure_all(registry.libraries, measures, plan, figures, disk))
    tables = render(registry.libraries, figures)
    print(f"\n{tables}\n\n{disk.describe()}")
    whole = not (arguments.quick or arguments.only or arguments.measure)
    if not disk.steady:
        _log("the disk was busy with other work, so these figures are unreliable: measure again")
    if arguments.write or (whole and disk.steady):
        facts = f"{describe_machine()}\n{disk.describe()}\n{_explain(plan)}"
        write_section("queue", f"## Queue\n\n{facts}\n\n{tables}")
    return 0


async def _measure_all(
    libraries: Sequence[QueueLibrary],
    measures: frozenset[Measure],
    plan: Plan,
    figures: Measurements,
    disk: DiskWatch,
) -> None:
    for engine in ENGINES:
        rows = [row for row in libraries if row.engine == engine]
        if not rows:
            continue
        with open_databases(engine) as databases:
            templates = TemplateDatabases(databases, plan)
            for measure in MEASURES:
                taking_part = [row for row in rows if measure in measures and measure not in row.absent]
                if taking_part:
                    await _measure(measure, taking_part, templates, figures, disk)
            _log(f"{ENGINES[engine]} is done")


async def _measure(
    measure: Measure,
    rows: Sequence[QueueLibrary],
    templates: TemplateDatabases,
    figures: Measurements,
    disk: DiskWatch,
) -> None:
    """Measure all rows; if a library fails, only its own figure is missing."""
    if measure in PASSIVE:
        disk.sample()
        _log(f"{measure}: {', '.join(row.key for row in rows)}")
        try:
            await PASSIVE[measure](rows, templates, figures)
        except Exception:  # as below; these measures have all their figures or none
            traceback.print_exc()
        return
    for row in rows:
        disk.sample()
        try:
            measured = await ACTIVE[measure](row, templates)
        except Exception:  # any library may fail in any way
            traceback.print_exc()
            measured: Measured = {}
        figures.note(row.key, measured)
        _log(f"{measure} {row.key}: {', '.join(f'{name} {value:,.1f}' for name, value in measured.items())}")
    if measure == "million":
        templates.forget("million")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _selected(prefixes: Sequence[str]) -> frozenset[Measure]:
    """Select measures by prefix: `drain` selects `drain_1` and `drain_2`; no prefix selects all."""
    unknown = [start for start in prefixes if not any(measure.startswith(start) for measure in MEASURES)]
    if unknown:
        raise SystemExit(f"no measure is called {', '.join(unknown)}; there are {', '.join(MEASURES)}")
    return frozenset(
        measure
        for measure in MEASURES
        if not prefixes or any(measure.startswith(start) for start in prefixes)
    )


def _explain(plan: Plan) -> str:
    return f"""\
Every commit reaches the disk (Postgres: fsync and synchronous_commit on; SQLite: synchronous=FULL).
Drains take {plan.drain_jobs:,} no-op jobs, or as many as {plan.drain_limit:.0f} s allow.
The long history is {plan.finished_jobs:,} finished jobs. Durable runs have five checkpointed steps.
Pick-up latency is that of {plan.latency_samples} jobs submitted to one idle worker, one every 25 ms.
Kill -9 is measured with the library's defaults, for {plan.kill_limit:.0f} s at most."""


def _log(text: str) -> None:
    print(f"{time.monotonic() - STARTED:6.0f} s  {text}", file=sys.stderr, flush=True)
