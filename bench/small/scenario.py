"""`python -m bench small`: what small documents cost from upload to searchable, and until they are connected."""

from __future__ import annotations

import argparse
import http.client
import os
import tempfile
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from bench.benchmarks_page import write_section
from bench.machine import describe_machine
from bench.postgres import Postgres, private_postgres
from bench.small.disk import Disk, measure_disk
from bench.small.document_watch import DocumentWatch
from bench.small.files import KINDS
from bench.small.postgres_counts import postgres_counts
from bench.small.server import ServerProcess, serve
from bench.small.table import statements, table
from towpath.config import Settings

SUMMARY = (
    "notes, one-page PDFs and mails from upload to searchable: rate, statements, fsyncs, CPU and disk of each"
)
#: Documents processed before the measurement, so that the child processes have loaded everything.
WARM = 16

Counts = dict[str, float]


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one kind of document on one engine."""

    engine: str
    kind: str
    documents: int
    #: Seconds from the first upload to the last document being searchable, and from then until all are connected.
    searchable_seconds: float
    connected_seconds: float
    #: What was counted from the first upload to the last document being searchable, and from then on.
    counts: Counts
    connect_counts: Counts
    disk: Disk | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=2_000, help="documents of each kind (2000)")
    parser.add_argument("--kind", choices=tuple(KINDS), action="append", help="only this kind")
    parser.add_argument("--engine", choices=("sqlite", "postgres"), action="append", help="only this engine")
    parser.add_argument("--embedder", choices=("fast", "english", "multilingual"), default="fast")
    parser.add_argument("--clients", type=int, default=8, help="uploads at the same time (8)")
    parser.add_argument("--statements", action="store_true", help="list the statements of a document")
    parser.add_argument(
        "--write", action="store_true", help="write the documentation after a partial run too"
    )


def run(arguments: argparse.Namespace) -> int:
    kinds, engines = arguments.kind or list(KINDS), arguments.engine or ["sqlite", "postgres"]
    rows: list[Measured] = []
    with ExitStack() as stack:
        server = stack.enter_context(private_postgres()) if "postgres" in engines else None
        for kind in kinds:
            files = [KINDS[kind](number) for number in range(WARM + arguments.documents)]
            for engine in engines:
                postgres = server if engine == "postgres" else None
                rows.append(_measure(engine, kind, files, arguments, postgres))
                print(table(rows[-1:]), flush=True)
                if arguments.statements:
                    print(statements(rows[-1]), flush=True)
    text = (
        "## Small documents, upload to searchable\n\n"
        f"{arguments.documents:,} documents of each kind, about 350 words in each, {arguments.clients} clients that "
        f"upload at the same time, embedder `{arguments.embedder}`. All figures but the first two are per document. "
        f"{describe_machine()} {_describe_load()}\n\n{table(rows)}"
    )
    print(text)
    if arguments.write or not (arguments.kind or arguments.engine or arguments.documents < 2_000):
        write_section("small", text)
    return 0


def _describe_load() -> str:
    """Rates and, less so, CPU times depend on what else the machine does; counts and disk do not."""
    load = os.getloadavg()[2]
    return f"Load average of the last 15 minutes: {load:.0f}; with more than 2, read the counts and not the rates."


def _measure(
    engine: str,
    kind: str,
    files: Sequence[tuple[str, bytes]],
    arguments: argparse.Namespace,
    postgres: Postgres | None,
) -> Measured:
    with tempfile.TemporaryDirectory(prefix="bench-small-") as name:
        data = Path(name)
        dsn = postgres.create_database(f"small_{kind}") if postgres else None
        settings = replace(
            Settings(data=data),
            embedder=arguments.embedder,
            database=dsn,
            run_deadline_seconds=None,
            disk_reserve_mb=0,
        )
        with serve(settings) as server:
            watch = DocumentWatch(settings)
            _upload(server, files[:WARM], 4)
            watch.wait_until_connected()

            def snapshot() -> Counts:
                database = postgres_counts(postgres, f"small_{kind}") if postgres else {}
                return server.snapshot() | database

            before, started = snapshot(), time.monotonic()
            _upload(server, files[WARM:], arguments.clients)
            watch.wait_until_searchable()
            searchable, middle = time.monotonic(), snapshot()
            watch.wait_until_connected()
            connected, after = time.monotonic(), snapshot()
        disk = None if postgres else measure_disk(settings)
    return Measured(
        engine,
        kind,
        arguments.documents,
        searchable - started,
        connected - searchable,
        _difference(before, middle),
        _difference(middle, after),
        disk,
    )


def _difference(before: Counts, after: Counts) -> Counts:
    return {key: value - before.get(key, 0) for key, value in after.items()}


def _upload(server: ServerProcess, files: Sequence[tuple[str, bytes]], clients: int) -> None:
    with ThreadPoolExecutor(clients) as pool:
        list(
            pool.map(
                _upload_some, [server.port] * clients, [files[start::clients] for start in range(clients)]
            )
        )


def _upload_some(port: int, files: Sequence[tuple[str, bytes]]) -> None:
    """Upload one file after the other over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    boundary = uuid.uuid4().hex
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    for name, body in files:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        connection.request(
            "POST", "/documents", head.encode() + body + f"\r\n--{boundary}--\r\n".encode(), headers
        )
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200, text
    connection.close()
