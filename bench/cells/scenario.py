"""`python -m bench cells`: moves an organization between two cells while clients read and write through the router."""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from bench.benchmarks_page import write_section
from bench.cells.move import (
    Cell,
    Moved,
    copy_organization,
    delete_organization,
    reserve_range,
    unfinished_jobs,
)
from bench.cells.router import RETRY_SECONDS, LookupTable, running_router
from bench.machine import describe_machine
from bench.postgres import private_postgres
from bench.recovery.processes import ServerProcess
from bench.search.figures import describe_load
from towpath import bootstrap
from towpath.config import Settings
from towpath.ledger import migrate

SUMMARY = "an organization moves from one Postgres instance to another behind a router"
ORGANIZATIONS = ("wharf", "lock")
QUERIES = ("barrel", "keeper of lock 7", "who counted the barrels?")


@dataclass(slots=True)
class Clients:
    """Reads and writes of the moved organization, until ``stop``; the answers by status."""

    url: str
    secret: str
    stop: threading.Event = field(default_factory=threading.Event)
    reads: int = 0
    failed_reads: int = 0
    uploaded: list[str] = field(default_factory=list[str])
    refused: int = 0

    def read(self) -> None:
        with _client(self.url, self.secret) as http:
            while not self.stop.is_set():
                self.reads += 1
                self.failed_reads += http.get("/search", params={"q": QUERIES[0]}).status_code != 200

    def write(self) -> None:
        with _client(self.url, self.secret) as http:
            number = 1_000
            while not self.stop.is_set():
                answer = http.post("/documents", files={"file": (f"late-{number}.md", _note(number))})
                if answer.status_code == 503:
                    self.refused += 1
                    time.sleep(RETRY_SECONDS / 4)
                    continue
                self.uploaded.append(answer.raise_for_status().json()["id"])
                number += 1
                time.sleep(0.1)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--documents", type=int, default=200, help="documents of each organization")
    parser.add_argument("--write", action="store_true", help="write the documentation")


def run(arguments: argparse.Namespace) -> int:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="towpath-cells-")))
        cells = [stack.enter_context(_cell(folder / f"cell-{number}", number)) for number in (1, 2)]
        table = LookupTable()
        url = stack.enter_context(running_router(table))
        keys = {name: _create_key(cells[0], name, table) for name in ORGANIZATIONS}
        for name, (secret, org_id) in keys.items():
            _upload(url, secret, arguments.documents)
            _wait_until_idle(cells[0], org_id)
            print(f"{name}: {arguments.documents} documents", file=sys.stderr)
        figures = _move(table, url, cells, *keys[ORGANIZATIONS[0]])
    section = (
        f"## Moving an organization between cells\n\n{arguments.documents} documents in each of two organizations on "
        f"one Postgres instance; one organization is moved to a second instance while a client searches and another "
        f"uploads. {describe_machine()} {describe_load()}\n\n| | |\n|---|---:|\n"
        + "\n".join(f"| {name} | {value} |" for name, value in figures.items())
    )
    print(section)
    if arguments.write:
        write_section("cells", section)
    return 0


def _move(table: LookupTable, url: str, cells: list[Cell], secret: str, org_id: str) -> dict[str, object]:
    source, target = cells
    clients = Clients(url, secret)
    threads = [threading.Thread(target=work) for work in (clients.read, clients.write)]
    for thread in threads:
        thread.start()
    time.sleep(2)
    started = time.monotonic()
    table.moving.add(org_id)
    _wait_until_idle(source, org_id)
    drained = time.monotonic()
    moved: Moved = copy_organization(source, target, org_id)
    copied = time.monotonic()
    # Until the writes are let in again, both cells must give the same answers.
    before, after = _answers(source.url, secret), _answers(target.url, secret)
    table.cell_by_organization[org_id] = target.url
    table.moving.discard(org_id)
    time.sleep(2)
    clients.stop.set()
    for thread in threads:
        thread.join()
    _wait_until_idle(target, org_id)
    delete_organization(source, org_id)
    with _client(url, secret) as http:
        found = [http.get(f"/documents/{document}/status").json()["status"] for document in clients.uploaded]
    if before != after:
        raise RuntimeError(f"other answers after the move: {before} and {after}")
    if unfinished := [status for status in found if status != "COMPLETED"]:
        raise RuntimeError(f"acknowledged uploads did not complete: {unfinished}")
    if clients.failed_reads:
        raise RuntimeError(f"{clients.failed_reads} searches failed")
    return {
        "seconds until the organization's work was done": f"{drained - started:.1f}",
        "seconds to copy rows and blobs": f"{copied - drained:.1f}",
        "rows": f"{moved.rows:,}",
        "MB of blobs": f"{moved.megabytes:.1f}",
        "searches during the whole time, failed": f"{clients.reads}, {clients.failed_reads}",
        "uploads acknowledged during the whole time, completed": f"{len(found)}, {len(found)}",
        "uploads answered with 503 and sent again": clients.refused,
        "hits of three searches that differ between the cells": 0,
    }


@contextlib.contextmanager
def _cell(folder: Path, number: int) -> Generator[Cell]:
    """A Postgres instance with its own range of serial numbers, and a server with a worker."""
    folder.mkdir()
    with private_postgres() as postgres, contextlib.ExitStack() as stack:
        dsn = postgres.create_database("towpath")
        database = bootstrap.open_database(Settings(data=folder, database=dsn))
        migrate.upgrade(database.engine)
        database.close()
        reserve_range(dsn, number)
        server = ServerProcess(folder, folder / "server.log", "--database", dsn)
        stack.callback(server.kill)
        server.wait_until_ready()
        yield Cell(dsn, folder, server.url)


def _create_key(cell: Cell, organization: str, table: LookupTable) -> tuple[str, str]:
    """The secret of a new key and the id of its organization, both in the lookup table."""
    command = [sys.executable, "-m", "towpath", "keys", "create", "client", "--organization", organization]
    options = ["--database", cell.dsn, "--data", str(cell.data), "--json"]
    answer: dict[str, Any] = json.loads(subprocess.check_output([*command, *options]))
    table.add_key(answer["secret"], answer["org_id"])
    table.cell_by_organization[answer["org_id"]] = cell.url
    return answer["secret"], answer["org_id"]


def _client(url: str, secret: str) -> httpx.Client:
    return httpx.Client(base_url=url, headers={"Authorization": f"Bearer {secret}"}, timeout=60)


def _note(number: int) -> bytes:
    lines = [f"The keeper of lock {number} counted barrel {number * 100 + line}." for line in range(60)]
    return f"# Lock {number}\n\n{' '.join(lines)}\n".encode()


def _upload(url: str, secret: str, documents: int) -> None:
    with _client(url, secret) as http:
        for number in range(documents):
            http.post("/documents", files={"file": (f"note-{number}.md", _note(number))}).raise_for_status()


def _wait_until_idle(cell: Cell, org_id: str) -> None:
    while unfinished_jobs(cell.dsn, org_id):
        time.sleep(0.1)


def _answers(url: str, secret: str) -> list[list[tuple[str, str]]]:
    """The documents and chunks that answer each query, in their order."""
    with _client(url, secret) as http:
        found: list[list[tuple[str, str]]] = []
        for query in QUERIES:
            hits = http.get("/search", params={"q": query, "limit": 10}).raise_for_status().json()["hits"]
            found.append([(hit["document_id"], hit["chunk_id"]) for hit in hits])
        return found
