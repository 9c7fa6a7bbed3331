"""`python -m bench search`: fills both engines with a generated collection and times searches in it."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from bench.benchmarks_page import write_section
from bench.machine import describe_machine
from bench.search import against, embedded, postgres

SUMMARY = "search on SQLite, and on Postgres compared with plain pgvector queries"

Measure = Callable[[int, int], Awaitable[str]]
ENGINES: dict[str, tuple[Measure, int]] = {
    "sqlite": (embedded.measure, 100_000),
    "postgres": (postgres.measure, 200_000),
}

HOW = """\
The collection is generated: documents of 50 chunks, each of 14 sentences (about 230 words) about one of 20 subjects.
6,000 different sentences are embedded by the local model, and a chunk's vector is the mean of its sentences' vectors
with a little noise, so the vectors are clustered as those of real text. On SQLite the query is embedded by the local
model each time; half of the queries are questions, the others are sentences of the text, names, common words and
quoted phrases. Searches run one after the other, with 10 hits each, snippets and highlights included."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engine", choices=sorted(ENGINES), help="measure this engine only")
    parser.add_argument(
        "--chunks", type=int, help="another number of chunks; then the documentation is not written"
    )
    parser.add_argument("--searches", type=int, default=400, help="searches for each row of a table")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="CHECKOUT",
        help="time the same searches in this version and in a checkout of an older one, alternating",
    )
    parser.add_argument(
        "--write", action="store_true", help="write the documentation even after a partial run"
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.against is not None:
        for engine, (_, count) in ENGINES.items():
            if arguments.engine in (None, engine):
                checkout = arguments.against.resolve()
                print(
                    against.compare(checkout, engine, arguments.chunks or count, arguments.searches),
                    flush=True,
                )
        return 0
    tables: list[str] = []
    for engine, (measure, count) in ENGINES.items():
        if arguments.engine in (None, engine):
            print(f"{engine}: filling", file=sys.stderr, flush=True)
            tables.append(asyncio.run(_run(measure, arguments.chunks or count, arguments.searches)))
            print(f"\n{tables[-1]}\n", flush=True)
    whole = arguments.engine is None and arguments.chunks is None
    if whole or arguments.write:
        write_section("search", "\n\n".join(["## Search", f"{describe_machine()} {HOW}", *tables]))
    return 0


async def _run(measure: Measure, count: int, searches: int) -> str:
    return await measure(count, searches)
