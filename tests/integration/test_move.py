"""A data folder becomes a Postgres: the same ids, nothing lost, nothing paid for again, all of it or nothing."""

from __future__ import annotations

import asyncio
import multiprocessing
import shutil
import signal
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner, Result
from psycopg import sql
from sqlalchemy import Table, select, text

from bench.quality.texts import CHAPTERS
from tests.integration.workshop import until
from tests.support.databases import PostgresServer
from tests.support.desk import Desk, opened_desk
from tests.support.emulators import DocumentIntelligenceEmulator, Fault, OpenAIEmulator
from tests.support.emulators.material import Text, pdf
from towpath.cli.main import main
from towpath.clock import SystemClock
from towpath.drill.strikes import Strike
from towpath.drill.worker import Orders, work
from towpath.folder import owned
from towpath.ledger.database import Database
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.postgres.protection import APP_ROLE
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.tables import metadata, workers
from towpath.model.ids import HOME_ORG, new_id

LOCK, BEES = CHAPTERS[0], CHAPTERS[1]
NOTES = {
    "lock.md": LOCK.first,
    "lock-again.md": f"{LOCK.first} He told nobody.",
    "gates.md": LOCK.second,
    "bees.md": BEES.first,
}
LETTER = pdf([Text("A letter", size=20), Text("The invoice INV-2041 of 12 May 2024 is paid.", y=110)])
#: What becomes of the work that a process has left: it is due again, and in no hurry.
LET_GO = {
    "processing_runs": ("deadline_at",),
    "document_processing_jobs": (
        "status",
        "crashes",
        "lease_epoch",
        "lease_until",
        "available_at",
        "completed_at",
        "error_log",
        "updated_at",
    ),
}


@pytest.fixture
def dsn(postgres_server: PostgresServer) -> Iterator[str]:
    address = postgres_server.create_migrated()
    yield address
    postgres_server.drop(address)


@pytest.fixture
def folder(tmp_path: Path, migrated_sqlite_file: Path) -> Path:
    """A data folder in which nothing has happened yet."""
    data = tmp_path / "data"
    data.mkdir()
    shutil.copyfile(migrated_sqlite_file, data / "towpath.db")
    return data


def moved(folder: Path, address: str, **environment: str) -> Result:
    """`towpath move`, as a person would type it."""
    return CliRunner().invoke(main, ["move", "--from", str(folder), "--to", address], env=environment)


def change(folder: Path, statement: str) -> None:
    """Something that happened to the rows of the folder while nobody looked."""
    database = SqliteDatabase(folder / "towpath.db")
    database.transact(lambda tx: tx.connection.execute(text(statement)))
    database.close()


def ask(dsn: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute(sql.SQL(query)).fetchall()  # pyright: ignore[reportArgumentType]


def everything(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """All rows that move, as values that can be compared whichever engine they come from."""

    def rows(table: Table) -> list[tuple[Any, ...]]:
        columns = [column for column in table.columns if column.name not in LET_GO.get(table.name, ())]
        found = database.transact(lambda tx: tx.connection.execute(select(*columns)).all(), read=True)
        return sorted((tuple(map(_comparable, row)) for row in found), key=repr)

    try:
        return {table.name: rows(table) for table in metadata.sorted_tables if table is not workers}
    finally:
        database.close()


def _comparable(value: Any) -> Any:
    return np.asarray(value, "<f4").tolist() if isinstance(value, list | np.ndarray) else value


async def picture(desk: Desk, documents: list[str]) -> dict[str, Any]:
    """All that a user sees of these documents."""
    parts = ("", "/chunks", "/fields", "/connections", "/runs", "/status", "/costs")
    seen = {
        f"/documents/{document}{part}": await desk.get(f"/documents/{document}{part}")
        for document in documents
        for part in parts
    }
    for query in ("straw hives in the orchard", "balance beam", "oak gates that leak"):
        hits = (await desk.get("/search", q=query))["hits"]
        seen[query] = (hits[0]["document_id"], {hit["chunk_id"] for hit in hits})
    return seen


@asynccontextmanager
async def providers() -> AsyncGenerator[tuple[DocumentIntelligenceEmulator, OpenAIEmulator, dict[str, Any]]]:
    async with DocumentIntelligenceEmulator(polls=0, retry_after=1) as reader, OpenAIEmulator() as embedder:
        yield (
            reader,
            embedder,
            {
                "reader": "azure",
                "embedder": "openai",
                "document_intelligence_endpoint": reader.url,
                "document_intelligence_key": reader.key,
                "openai_base_url": embedder.base_url,
                "openai_api_key": embedder.key,
                "poll_seconds": 0.1,
            },
        )


async def work_through(desk: Desk) -> list[str]:
    """Documents that are done, one with a connection that somebody pinned, and one that failed."""
    files = {name: body.encode() for name, body in NOTES.items()} | {"torn.docx": b"PK\3\4 torn"}
    documents = [(await desk.upload(name, body))["id"] for name, body in files.items()]
    ends = [(await desk.finished(document))["status"] for document in documents]
    assert ends == ["COMPLETED"] * len(NOTES) + ["FAILED"]
    (connection, *_) = await desk.get(f"/documents/{documents[1]}/connections")
    marked = await desk.http.patch(f"/connections/{connection['id']}", json={"pinned": True})
    assert marked.status_code == 200
    await desk.towpath.services.keys.create("sister", "the sister's key", SystemClock().now())
    return documents


async def leave_half_done(desk: Desk, reader: DocumentIntelligenceEmulator, folder: Path) -> tuple[str, str]:
    """A letter whose reading is paid for and not yet there, and a note on whose last stage the process died."""
    reader.faults.add(Fault("poll", "running", times=-1))
    strike = Strike(signal.SIGKILL, "before", "finish", 1)
    orders = Orders(desk.towpath.settings, folder, folder / "worker.log", (strike,))
    worker = multiprocessing.get_context("forkserver").Process(target=work, args=(orders,), daemon=True)
    worker.start()
    letter = (await desk.upload("letter.pdf", LETTER))["id"]

    async def is_being_read() -> bool:
        return bool((await desk.get(f"/documents/{letter}/status"))["waiting_for"])

    await until(is_being_read, "the letter to be read elsewhere", 60)
    note = (await desk.upload("half.md", BEES.second.encode()))["id"]
    await asyncio.to_thread(worker.join, 60)
    assert worker.exitcode == -signal.SIGKILL, orders.log.read_text()
    return letter, note


async def test_everything_is_there_again_and_what_was_half_done_is_finished_without_paying_again(
    dsn: str, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    async with providers() as (reader, embedder, settings):
        # Given a folder with finished and failed documents, and two that are half done and late
        async with opened_desk(data, **settings) as desk:
            documents = await work_through(desk)
            before = await picture(desk, documents)
        async with opened_desk(data, work=False, **settings) as desk:
            halves = await leave_half_done(desk, reader, tmp_path)
        indexes = "select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1"
        indexed = ask(dsn, indexes)
        late = "update processing_runs set deadline_at = '2020-01-01T00:00:00.000000+00:00' where ended_at is null"
        change(data, late)
        change(data, "update run_events set detail = case id when 1 then 'null' end where id <= 2")
        # When it is moved
        answer = await asyncio.to_thread(moved, data, dsn)
        assert answer.exit_code == 0, answer.output
        assert "Moved 7 documents" in answer.output
        # Then every row is the same, json's null is not the absence of json, numbers go on, indexes are there
        assert everything(PostgresDatabase(dsn)) == everything(SqliteDatabase(data / "towpath.db"))
        nulls = "select detail is null, jsonb_typeof(detail) from run_events where id <= 2 order by id"
        assert ask(dsn, nulls) == [(False, "null"), (True, None)]
        assert ask(dsn, "select max(id) + 1 = nextval('run_events_id_seq') from run_events") == [(True,)]
        assert ask(dsn, indexes) == indexed
        # And users see what they saw
        async with opened_desk(data, work=False, database=dsn, **settings) as desk:
            assert await picture(desk, documents) == before
        # And a worker finishes the rest: it pays for the letter's vectors, we for a question, nobody twice
        reader.faults.clear()
        embedded = embedder.bill.operations
        async with opened_desk(data, database=dsn, **settings) as desk:
            for document in halves:
                assert (await desk.finished(document))["status"] == "COMPLETED"
            (hit, *_) = (await desk.get("/search", q="invoice INV-2041"))["hits"]
        assert hit["document_id"] == halves[0]
        assert (reader.bill.operations, embedder.bill.operations) == (1, embedded + 2)
        assert ask(dsn, "select sum(reopened)::int from provider_calls") == [(0,)]
        assert ask(dsn, "select count(*) from processing_runs where state <> 'COMPLETED'") == [(1,)]


async def test_organizations_are_kept_apart_where_they_came_to(dsn: str, tmp_path: Path) -> None:
    async with opened_desk(tmp_path / "data", work=False) as desk:
        await desk.upload("lock.md", LOCK.first.encode())
        key, _ = await desk.towpath.services.keys.create("sister", "a key", SystemClock().now())

    assert (await asyncio.to_thread(moved, tmp_path / "data", dsn)).exit_code == 0

    seen: dict[str, tuple[int, int]] = {}
    for org in ("", HOME_ORG, key.org_id):
        with psycopg.connect(dsn) as connection:
            connection.execute(sql.SQL("set local role {}").format(sql.Identifier(APP_ROLE)))
            connection.execute("select set_config('towpath.org', %s, true)", (org,))
            found = connection.execute(
                "select (select count(*) from documents), (select count(*) from api_keys)"
            )
            seen[org] = found.fetchone() or (-1, -1)
    assert seen == {"": (0, 0), HOME_ORG: (1, 0), key.org_id: (0, 1)}
    assert ask(
        dsn,
        "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace"
        " and not (relrowsecurity and relforcerowsecurity)",
    ) == [("alembic_version",)]


async def test_files_go_to_the_blob_storage_that_the_settings_name(
    dsn: str, azurite: str, tmp_path: Path
) -> None:
    data, container = tmp_path / "data", f"test-{new_id()}"
    async with opened_desk(data) as desk:
        sent = await desk.upload("lock.md", LOCK.first.encode())
        await desk.finished(sent["id"])
        content = (await desk.http.get(f"/documents/{sent['id']}/content")).text
    storage = {"TOWPATH_BLOB_STORAGE": azurite, "TOWPATH_BLOB_CONTAINER": container}

    answer = await asyncio.to_thread(lambda: moved(data, dsn, **storage))

    assert answer.exit_code == 0, answer.output
    assert "not found" not in answer.output
    # Copied: what is in the folder stays there until its owner throws it away.
    assert any((data / "blobs").rglob("*.md"))
    shutil.rmtree(data / "blobs")
    place = {"blob_storage": azurite, "blob_container": container}
    async with opened_desk(data, work=False, database=dsn, **place) as desk:
        assert (await desk.http.get(f"/documents/{sent['id']}/original")).text == LOCK.first
        assert (await desk.http.get(f"/documents/{sent['id']}/content")).text == content


def test_a_move_that_breaks_down_has_moved_nothing_and_can_be_tried_again(dsn: str, folder: Path) -> None:
    change(
        folder,
        f"insert into organizations values ('{new_id()}', 'sister', '2026-01-01T00:00:00.000000+00:00')",
    )
    when = "2026-01-01T00:00:00.000000+00:00"
    mark = "insert into provider_users values ('openai', '{}', '2026-01-01T00:00:00.000000+00:00', '{}')"
    change(folder, mark.format("no id at all", "2026-01-01T00:00:00.000000+00:00"))
    change(folder, f"insert into workers values ('anna', 'quay', 7, 8, '[]', '{when}', '{when}')")

    broken = moved(folder, dsn)
    left = ask(dsn, "select id::text from organizations")
    change(folder, "delete from provider_users")
    mended = moved(folder, dsn)

    assert broken.exit_code != 0
    assert left == [(HOME_ORG,)]
    assert mended.exit_code == 0, mended.output
    assert ask(dsn, "select count(*) from organizations") == [(2,)]
    assert ask(dsn, "select count(*) from workers") == [(0,)], "who worked for the folder does not come along"


def test_what_cannot_be_moved_is_refused_with_a_sentence(
    dsn: str, folder: Path, tmp_path: Path, postgres_server: PostgresServer
) -> None:
    bare = postgres_server.create()
    database = PostgresDatabase(dsn)
    upgrade(database.engine, worker_role="towpath_worker")
    database.close()

    def refusal(source: Path, target: str) -> str:
        answer = moved(source, target)
        assert answer.exit_code == 2, answer.output
        return answer.output

    with owned(folder, "http://127.0.0.1:8000"):
        assert "in use by http://127.0.0.1:8000" in refusal(folder, dsn)
    assert "nothing to move" in refusal(tmp_path / "elsewhere", dsn)
    assert not (tmp_path / "elsewhere").exists()
    assert "must be an address" in refusal(folder, "towpath.db")
    assert "Run `towpath migrate`" in refusal(folder, bare)
    assert "does not answer" in refusal(folder, postgres_server.dsn("nowhere"))
    assert "ran `towpath migrate`" in refusal(folder, dsn.replace("postgres@", "towpath_worker@"))
    assert moved(folder, dsn).exit_code == 0
    change(
        folder,
        f"insert into organizations values ('{new_id()}', 'sister', '2026-01-01T00:00:00.000000+00:00')",
    )
    assert moved(folder, dsn).exit_code == 0
    assert "is not empty: there are rows in organizations" in refusal(folder, dsn)
    postgres_server.drop(bare)
