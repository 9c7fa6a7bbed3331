"""`python -m bench soak`: steady mixed work on a server of each engine; its memory, files and latency over time."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psycopg

from bench.benchmarks_page import write_section
from bench.machine import describe_machine
from bench.postgres import private_postgres
from bench.recovery.processes import ServerProcess
from bench.search.figures import describe_load, table
from bench.small_plots import IMAGES, Plot, write_plots
from bench.soak.mixed_work import CLIENTS, LIBRARY, LOAD, MixedWork
from bench.soak.samples import MEGABYTE, Sample, files_and_threads, memory, p95, slope
from towpath import bootstrap
from towpath.config import Settings
from towpath.ledger import migrate

SUMMARY = "memory, files, database and latency over half an hour of steady mixed work"
ENGINES = ("sqlite", "postgres")
#: The bar, in MB per minute.
MOST_GROWTH = 1.0
COLUMNS = ("server_mb", "all_mb", "files", "threads", "database_mb", "search_p95_ms", "document_p95_s")
HEADINGS = (
    "minute",
    "server MB",
    "with children MB",
    "files",
    "threads",
    "database MB",
    "search p95 ms",
    "processed p95 s",
    "rounds",
)


@dataclass(frozen=True, slots=True)
class Soak:
    """How long, in minutes: the whole, the time that is not judged, the search for the maximum, between samples."""

    minutes: float = 30.0
    warm_up: float = 5.0
    maximum: float = 1.0
    every: float = 0.25


@dataclass(frozen=True, slots=True)
class Report:
    engine: str
    rate: float
    samples: list[Sample]
    failed: int
    slopes: dict[str, float]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engine", choices=ENGINES, help="measure this engine only")
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--warm-up", type=float, default=5.0, help="minutes that are not judged")
    parser.add_argument("--write", action="store_true", help="write the documentation")


def run(arguments: argparse.Namespace) -> int:
    plan = Soak(arguments.minutes, arguments.warm_up)
    reports = [soak(engine, plan) for engine in ENGINES if arguments.engine in (None, engine)]
    section = f"## Soak\n\n{_how(plan)}\n\n" + "\n\n".join(describe(report, plan) for report in reports)
    print(section)
    if arguments.write:
        write_section("soak", section)
        for report in reports:
            write_plots(IMAGES / f"soak-{report.engine}.svg", f"{report.engine}, by minute", _plots(report))
    grew = [report.engine for report in reports if report.slopes["all_mb"] >= MOST_GROWTH or report.failed]
    print("grew or failed: " + ", ".join(grew) if grew else "nothing grew", file=sys.stderr)
    return 1 if grew else 0


def soak(engine: str, plan: Soak) -> Report:
    with (
        tempfile.TemporaryDirectory(prefix="towpath-soak-") as name,
        _server(engine, Path(name)) as (server, size),
    ):
        server.wait_until_ready()
        work = MixedWork(server.url)
        started = time.monotonic()
        asyncio.run(work.run(plan.maximum * 60))
        rate = work.rounds / (plan.maximum * 60) * LOAD
        work.rate, work.seed = rate, 2
        samples: list[Sample] = []
        while (minute := (time.monotonic() - started) / 60) < plan.minutes:
            asyncio.run(work.run(min(plan.every, plan.minutes - minute) * 60))
            work.seed += 1
            samples.append(_sample(server.pid, (time.monotonic() - started) / 60, work, size))
            print(engine, samples[-1], file=sys.stderr, flush=True)
        return Report(
            engine, rate, samples, work.failed, {name: slope(samples, name, plan.warm_up) for name in COLUMNS}
        )


def describe(report: Report, plan: Soak) -> str:
    step = max(1, len(report.samples) // 8)
    rows = [
        [f"{each.minute:.0f}", *(f"{getattr(each, name):.1f}" for name in COLUMNS), f"{each.rounds}"]
        for each in report.samples[::step]
    ]
    rows.append(["slope per minute", *(f"{report.slopes[name]:+.2f}" for name in COLUMNS), ""])
    return (
        f"### {report.engine}, {report.rate:.1f} rounds/s, {report.failed} failed\n\n{table(HEADINGS, rows)}\n\n"
        f"The slope is that after minute {plan.warm_up:g}.\n\n"
        f"![Memory, files, database and latency over time on {report.engine}](../images/soak-{report.engine}.svg)"
    )


def _plots(report: Report) -> list[Plot]:
    return [
        Plot(heading, [(sample.minute, getattr(sample, name)) for sample in report.samples])
        for heading, name in zip(HEADINGS[1:-1], COLUMNS, strict=True)
    ]


def _how(plan: Soak) -> str:
    return (
        f"{plan.minutes:g} minutes on each engine. {CLIENTS} clients repeat: upload a note and wait until it is "
        f"processed, search, reprocess one document in ten, delete the oldest of more than {LIBRARY} documents; at "
        f"{LOAD:.0%} of the rate that they reached in the first {plan.maximum:g} minutes. {describe_machine()} "
        f"{describe_load()}"
    )


def _sample(pid: int, minute: float, work: MixedWork, database_mb: Callable[[], float]) -> Sample:
    server_mb, all_mb = memory(pid)
    files, threads = files_and_threads(pid)
    searches, documents = p95(work.searches) * 1000, p95(work.documents)
    return Sample(minute, server_mb, all_mb, files, threads, database_mb(), searches, documents, work.rounds)


@contextlib.contextmanager
def _server(engine: str, folder: Path) -> Generator[tuple[ServerProcess, Callable[[], float]]]:
    """A server with a worker, and how to measure the size of its database."""
    data, log = folder / "data", folder / "server.log"
    with contextlib.ExitStack() as stack:
        if engine == "sqlite":
            server = ServerProcess(data, log)
            size = partial(_sqlite_mb, data)
        else:
            dsn = stack.enter_context(private_postgres()).create_database("soak")
            database = bootstrap.open_database(Settings(data=data, database=dsn))
            migrate.upgrade(database.engine)
            database.close()
            server = ServerProcess(data, log, "--database", dsn)
            size = partial(_postgres_mb, dsn)
        stack.callback(server.kill)
        yield server, size


def _sqlite_mb(data: Path) -> float:
    return sum(file.stat().st_size for file in data.glob("towpath.db*")) / MEGABYTE


def _postgres_mb(dsn: str) -> float:
    with psycopg.connect(dsn) as connection:
        row = connection.execute("select pg_database_size(current_database())").fetchone()
    return int(row[0]) / MEGABYTE if row else 0.0
