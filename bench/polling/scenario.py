"""`python -m bench polling`: 500 clients that poll the status of 50 documents each, at the same time."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import tempfile
from collections.abc import Generator
from pathlib import Path

import numpy as np
from sqlalchemy import text

from bench.benchmarks_page import write_section
from bench.growth.ledger_rows import add_documents, document_id
from bench.machine import describe_machine
from bench.polling.clients import poll
from bench.postgres import private_postgres
from bench.search.figures import describe_load, table
from bench.small.server import ServerProcess, serve
from towpath import bootstrap
from towpath.config import Settings
from towpath.ledger import migrate

SUMMARY = "the status of many documents, asked for by many clients at the same time"
ENGINES = ("sqlite", "postgres")
#: Which documents the clients ask for, and whether these are being processed.
CASES = {"the same ended documents": (True, False), "own ended documents": (False, False)} | {
    "own documents in processing": (False, True)
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engine", choices=ENGINES, help="measure this engine only")
    parser.add_argument("--clients", type=int, default=500)
    parser.add_argument("--ids", type=int, default=50, help="documents for each client")
    parser.add_argument("--rounds", type=int, default=3, help="polls of each client")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds between two polls of a client")
    parser.add_argument("--write", action="store_true", help="write the documentation")


def run(arguments: argparse.Namespace) -> int:
    rows = [
        row for engine in ENGINES if arguments.engine in (None, engine) for row in _measure(engine, arguments)
    ]
    headings = ["engine, documents", "p50 s", "p95 s", "longest s", "CPU ms of the server, one poll"]
    section = (
        f"## Polling\n\n{arguments.clients} clients that begin at the same moment and poll the status of "
        f"{arguments.ids} documents each, {arguments.rounds} times with a pause of {arguments.pause:g} s; "
        f"a server with {arguments.clients * arguments.ids:,} documents. {describe_machine()} {describe_load()}\n\n"
        f"{table(headings, rows)}"
    )
    print(section)
    if arguments.write:
        write_section("polling", section)
    return 0


def _measure(engine: str, arguments: argparse.Namespace) -> list[list[str]]:
    with (
        tempfile.TemporaryDirectory(prefix="towpath-bench-polling-") as folder,
        _settings(engine, folder) as settings,
    ):
        _fill(settings, arguments.clients * arguments.ids)
        rows: list[list[str]] = []
        for name, (same, processing) in CASES.items():
            with serve(settings, with_worker=False) as server:
                if processing:
                    # After the start: the embedded server ends the runs of a process before it.
                    _start_again(settings)
                rows.append([f"{engine}, {name}", *_time(server, arguments, same)])
                print(rows[-1], flush=True)
        return rows


def _time(server: ServerProcess, arguments: argparse.Namespace, same: bool) -> list[str]:
    ids = [
        [document_id(number + (0 if same else client * arguments.ids)) for number in range(arguments.ids)]
        for client in range(arguments.clients)
    ]
    asyncio.run(poll(server.port, ids[:1], 2, 0.0))
    before = server.snapshot()
    times = asyncio.run(poll(server.port, ids, arguments.rounds, arguments.pause))
    after = server.snapshot()
    cpu = after["cpu total"] - before["cpu total"]
    figures = [*np.percentile(times, (50, 95)), max(times)]
    return [*(f"{figure:.2f}" for figure in figures), f"{1000 * cpu / len(times):.1f}"]


@contextlib.contextmanager
def _settings(engine: str, folder: str) -> Generator[Settings]:
    settings = Settings(data=Path(folder), embedder="fast")
    if engine == "sqlite":
        yield settings
        return
    with private_postgres() as server:
        yield Settings(data=Path(folder), embedder="fast", database=server.create_database("polling"))


def _fill(settings: Settings, count: int) -> None:
    database = bootstrap.open_database(settings)
    try:
        migrate.upgrade(database.engine)
        add_documents(database, 0, count)
        with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("analyze"))
    finally:
        database.close()


def _start_again(settings: Settings) -> None:
    """Let every run be in the stage `embed`, as if a worker were busy with all of them."""
    statements = (
        "update documents set status = 'PROCESSING'",
        "update processing_runs set state = 'RUNNING', ended_at = null",
        "delete from document_processing_jobs where stage in ('publish', 'connect')",
        "update document_processing_jobs set status = 'PROCESSING', completed_at = null where stage = 'embed'",
    )
    database = bootstrap.open_database(settings)
    try:
        for statement in statements:
            database.transact(lambda tx, statement=statement: tx.connection.execute(text(statement)))
    finally:
        database.close()
