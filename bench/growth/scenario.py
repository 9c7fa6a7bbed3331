"""`python -m bench growth`: the time of each operation against the number of documents, on both engines."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from statistics import median

import httpx
from sqlalchemy import text

from bench.benchmarks_page import write_section
from bench.growth.ledger_rows import add_documents
from bench.growth.operations import Operations
from bench.machine import describe_machine
from bench.postgres import private_postgres
from bench.search.figures import describe_load, table
from bench.small_plots import IMAGES, Plot, write_plots
from towpath import bootstrap
from towpath.config import Settings
from towpath.ledger import migrate
from towpath.ledger.database import Database
from towpath.server.app import create_app

SUMMARY = "the time of each operation against the number of documents"
ENGINES = ("sqlite", "postgres")
SIZES = (10_000, 100_000, 1_000_000)
REPETITIONS = 15
#: Slopes above this are marked. Twice the time at ten times the size is a slope of 0.3.
STEEP = 0.3
#: Milliseconds: below them, differences are those of the machine.
SHORT = 5.0

Times = dict[str, list[float]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engine", choices=ENGINES, help="measure this engine only")
    parser.add_argument(
        "--sizes", type=_sizes, default=SIZES, help="numbers of documents, such as 10000,100000"
    )
    parser.add_argument("--write", action="store_true", help="write the documentation")


def run(arguments: argparse.Namespace) -> int:
    sizes: Sequence[int] = arguments.sizes
    measured = {
        engine: asyncio.run(_measure(engine, sizes))
        for engine in ENGINES
        if arguments.engine in (None, engine)
    }
    parts = [_describe(engine, sizes, times) for engine, times in measured.items()]
    section = "\n\n".join(
        [
            f"## Growth\n\nMilliseconds of each operation, the median of {REPETITIONS}, against the number of "
            "documents, each with a run, six jobs and five events that SQL inserted. The slope is that of the "
            "logarithms from the smallest to the largest size: 0 does not grow, 1 grows like the library; **bold** "
            f"above {STEEP} and {SHORT:g} ms. {describe_machine()} {describe_load()}",
            *parts,
        ]
    )
    print(section)
    if arguments.write:
        write_section("growth", section)
        for engine, times in measured.items():
            plots = [
                Plot(name, list(zip(sizes, values, strict=True)), logarithmic=True)
                for name, values in times.items()
            ]
            caption = f"{engine}: milliseconds against the number of documents, both logarithmic"
            write_plots(IMAGES / f"growth-{engine}.svg", caption, plots)
    return 0


def _sizes(value: str) -> tuple[int, ...]:
    return tuple(sorted(int(part) for part in value.split(",")))


def _describe(engine: str, sizes: Sequence[int], times: Times) -> str:
    rows: list[list[str]] = []
    for name, values in times.items():
        slope = 0.0
        if len(values) > 1:
            slope = math.log(values[-1] / values[0]) / math.log(sizes[-1] / sizes[0])
        steep = slope > STEEP and values[-1] > SHORT
        rows.append(
            [name, *(f"{value:.1f}" for value in values), f"**{slope:.2f}**" if steep else f"{slope:.2f}"]
        )
    picture = f"![Milliseconds against the number of documents on {engine}](../images/growth-{engine}.svg)"
    return f"### {engine}\n\n{table(['', *(f'{size:,}' for size in sizes), 'slope'], rows)}\n\n{picture}"


async def _measure(engine: str, sizes: Sequence[int]) -> Times:
    times: Times = {}
    with (
        tempfile.TemporaryDirectory(prefix="towpath-bench-growth-") as name,
        _settings(engine, name) as settings,
    ):
        database = bootstrap.open_database(settings)
        migrate.upgrade(database.engine)
        present = 0
        try:
            for size in sizes:
                started = time.monotonic()
                add_documents(database, present, size)
                _analyze(database)
                print(
                    f"{engine}: {size:,} documents after {time.monotonic() - started:.0f} s", file=sys.stderr
                )
                present = size
                for operation, milliseconds in (await _time_all(settings, size)).items():
                    times.setdefault(operation, []).append(milliseconds)
        finally:
            database.close()
    return times


async def _time_all(settings: Settings, count: int) -> dict[str, float]:
    async with bootstrap.open_runtime(settings, with_worker=False) as runtime:
        transport = httpx.ASGITransport(create_app(runtime.services, None))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=600) as http:
            found: dict[str, float] = {}
            for name, operation in Operations(runtime, http, count).all().items():
                samples: list[float] = []
                # The first one prepares statements and fills caches.
                for repetition in range(REPETITIONS + 1):
                    started = time.perf_counter()
                    await operation(repetition)
                    samples.append((time.perf_counter() - started) * 1000)
                found[name] = median(samples[1:])
                print(f"  {name}: {found[name]:.1f} ms", file=sys.stderr, flush=True)
            return found


@contextlib.contextmanager
def _settings(engine: str, folder: str) -> Generator[Settings]:
    settings = Settings(data=Path(folder), embedder="fast")
    if engine == "sqlite":
        yield settings
        return
    with private_postgres() as server:
        yield Settings(data=Path(folder), embedder="fast", database=server.create_database("growth"))


def _analyze(database: Database) -> None:
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("vacuum analyze" if database.dialect == "postgres" else "analyze"))
