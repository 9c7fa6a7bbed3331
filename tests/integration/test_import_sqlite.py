"""`towpath import-sqlite` copies a data folder to Postgres: same ids, one transaction, no repeated calls."""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import numpy as np
import psycopg
import pytest
from click.testing import CliRunner, Result
from psycopg import sql
from sqlalchemy import Table, select, text

from tests.support.api_client import ApiClient, open_api_client
from tests.support.books import CHAPTERS
from tests.support.databases import PostgresServer
from tests.support.emulators import DocumentIntelligenceEmulator, Fault, OpenAIEmulator
from tests.support.emulators.sample_sources import Text, pdf
from tests.support.fork_server import fork_server
from tests.support.timeouts import async_wait_until
from towpath.bootstrap.data_dir_lock import lock_data_dir
from towpath.cli.main import main
from towpath.clock import SystemClock
from towpath.drill.fault_injection import FaultPoint
from towpath.drill.worker import WorkerSpec, run_worker
from towpath.ledger.database import Database
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.postgres.row_level_security import APP_ROLE
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.tables import metadata, workers
from towpath.model.ids import DEFAULT_ORG_ID, new_id

LOCK, BEES = CHAPTERS[0], CHAPTERS[1]
NOTES = {
    "lock.md": LOCK.first,
    "lock-again.md": f"{LOCK.first} He told nobody.",
    "gates.md": LOCK.second,
    "bees.md": BEES.first,
}
LETTER = pdf([Text("A letter", size=20), Text("The invoice INV-2041 of 12 May 2024 is paid.", y=110)])
#: Columns that the import changes: unfinished jobs are requeued and deadlines are removed.
CHANGED_COLUMNS = {
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
    """A data folder without documents."""
    data = tmp_path / "data"
    data.mkdir()
    shutil.copyfile(migrated_sqlite_file, data / "towpath.db")
    return data


def import_sqlite(folder: Path, address: str, **environment: str) -> Result:
    """Run `towpath import-sqlite`."""
    return CliRunner().invoke(
        main, ["import-sqlite", "--from", str(folder), "--to", address], env=environment
    )


def execute_in_folder(folder: Path, statement: str) -> None:
    """Execute a statement in the folder's database."""
    database = SqliteDatabase(folder / "towpath.db")
    database.transact(lambda tx: tx.connection.execute(text(statement)))
    database.close()


def query_rows(dsn: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute(sql.SQL(query)).fetchall()  # pyright: ignore[reportArgumentType]


def all_rows(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    """Return all imported rows as values that can be compared between engines."""

    def rows(table: Table) -> list[tuple[Any, ...]]:
        columns = [
            column for column in table.columns if column.name not in CHANGED_COLUMNS.get(table.name, ())
        ]
        stored = database.transact(lambda tx: tx.connection.execute(select(*columns)).all(), read=True)
        return sorted((tuple(map(_comparable, row)) for row in stored), key=repr)

    try:
        return {table.name: rows(table) for table in metadata.sorted_tables if table is not workers}
    finally:
        database.close()


def _comparable(value: Any) -> Any:
    """A vector as a list of 32-bit floats; lists of words and other values as they are."""
    if isinstance(value, np.ndarray):
        return np.asarray(value, "<f4").tolist()
    if isinstance(value, list):
        items = cast("list[object]", value)
        is_vector = all(isinstance(item, int | float) for item in items)
        return np.asarray(items, "<f4").tolist() if is_vector else items
    return value


async def api_snapshot(client: ApiClient, documents: list[str]) -> dict[str, Any]:
    """Return the API's answers about these documents."""
    parts = ("", "/chunks", "/fields", "/connections", "/runs", "/status", "/costs")
    seen = {
        f"/documents/{document}{part}": await client.get(f"/documents/{document}{part}")
        for document in documents
        for part in parts
    }
    for query in ("straw hives in the orchard", "balance beam", "oak gates that leak"):
        hits = (await client.get("/search", q=query))["hits"]
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


async def process_documents(client: ApiClient) -> list[str]:
    """Process several documents: completed ones, one with a pinned connection, and a failed one."""
    files = {name: body.encode() for name, body in NOTES.items()} | {"torn.docx": b"PK\3\4 torn"}
    documents = [(await client.upload(name, body))["id"] for name, body in files.items()]
    statuses = [(await client.wait_until_finished(document))["status"] for document in documents]
    assert statuses == ["COMPLETED"] * len(NOTES) + ["FAILED"]
    (connection, *_) = await client.get(f"/documents/{documents[1]}/connections")
    marked = await client.http.patch(f"/connections/{connection['id']}", json={"pinned": True})
    assert marked.status_code == 200
    await client.runtime.services.keys.create("sister", "another key", SystemClock().now())
    return documents


async def leave_unfinished(
    client: ApiClient, reader: DocumentIntelligenceEmulator, folder: Path
) -> tuple[str, str]:
    """Leave two unfinished documents: one with a running provider operation, one whose worker was killed."""
    reader.faults.add(Fault("poll", "running", times=-1))
    fault_point = FaultPoint(signal.SIGKILL, "before", "finish", 1)
    spec = WorkerSpec(client.runtime.settings, folder, folder / "worker.log", (fault_point,))
    worker = fork_server.Process(target=run_worker, args=(spec,), daemon=True)
    worker.start()
    letter = (await client.upload("letter.pdf", LETTER))["id"]

    async def is_being_read() -> bool:
        return bool((await client.get(f"/documents/{letter}/status"))["waiting_reason"])

    await async_wait_until(is_being_read, "the letter to wait for the provider")
    note = (await client.upload("half.md", BEES.second.encode()))["id"]
    await asyncio.to_thread(worker.join, 60)
    assert worker.exitcode == -signal.SIGKILL, spec.log.read_text()
    return letter, note


async def test_all_rows_are_imported_and_unfinished_documents_complete_without_repeated_calls(
    dsn: str, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    async with providers() as (reader, embedder, settings):
        # Given a folder with finished and failed documents, and two unfinished ones past their deadline
        async with open_api_client(data, **settings) as client:
            documents = await process_documents(client)
            before = await api_snapshot(client, documents)
        async with open_api_client(data, with_worker=False, **settings) as client:
            unfinished = await leave_unfinished(client, reader, tmp_path)
        indexes = "select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1"
        index_definitions = query_rows(dsn, indexes)
        late = "update processing_runs set deadline_at = '2020-01-01T00:00:00.000000+00:00' where ended_at is null"
        execute_in_folder(data, late)
        execute_in_folder(data, "update run_events set detail = case id when 1 then 'null' end where id <= 2")
        # When it is imported
        answer = await asyncio.to_thread(import_sqlite, data, dsn)
        assert answer.exit_code == 0, answer.output
        assert "Imported 7 documents" in answer.output
        # Then every row is equal, JSON null and SQL null differ, sequences continue, and indexes exist
        assert all_rows(PostgresDatabase(dsn)) == all_rows(SqliteDatabase(data / "towpath.db"))
        nulls = "select detail is null, jsonb_typeof(detail) from run_events where id <= 2 order by id"
        assert query_rows(dsn, nulls) == [(False, "null"), (True, None)]
        assert query_rows(dsn, "select max(id) + 1 = nextval('run_events_id_seq') from run_events") == [
            (True,)
        ]
        assert query_rows(dsn, indexes) == index_definitions
        # And the API returns the same answers
        async with open_api_client(data, with_worker=False, database=dsn, **settings) as client:
            assert await api_snapshot(client, documents) == before
        # And a worker completes the rest: the letter's vectors and one query are the only new calls
        reader.faults.clear()
        embedding_calls = embedder.bill.operations
        async with open_api_client(data, database=dsn, **settings) as client:
            for document in unfinished:
                assert (await client.wait_until_finished(document))["status"] == "COMPLETED"
            (hit, *_) = (await client.get("/search", q="invoice INV-2041"))["hits"]
        assert hit["document_id"] == unfinished[0]
        assert (reader.bill.operations, embedder.bill.operations) == (1, embedding_calls + 2)
        assert query_rows(dsn, "select sum(repeated)::int from provider_calls") == [(0,)]
        assert query_rows(dsn, "select count(*) from processing_runs where state <> 'COMPLETED'") == [(1,)]


async def test_imported_organizations_are_separated_by_row_level_security(dsn: str, tmp_path: Path) -> None:
    async with open_api_client(tmp_path / "data", with_worker=False) as client:
        await client.upload("lock.md", LOCK.first.encode())
        key, _ = await client.runtime.services.keys.create("sister", "a key", SystemClock().now())

    assert (await asyncio.to_thread(import_sqlite, tmp_path / "data", dsn)).exit_code == 0

    seen: dict[str, tuple[int, int]] = {}
    for org in ("", DEFAULT_ORG_ID, key.org_id):
        with psycopg.connect(dsn) as connection:
            connection.execute(sql.SQL("set local role {}").format(sql.Identifier(APP_ROLE)))
            connection.execute("select set_config('towpath.org', %s, true)", (org,))
            stored = connection.execute(
                "select (select count(*) from documents), (select count(*) from api_keys)"
            )
            seen[org] = stored.fetchone() or (-1, -1)
    assert seen == {"": (0, 0), DEFAULT_ORG_ID: (1, 0), key.org_id: (0, 1)}
    assert query_rows(
        dsn,
        "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace"
        " and not (relrowsecurity and relforcerowsecurity)",
    ) == [("alembic_version",)]


async def test_files_are_copied_to_the_blob_storage_of_the_settings(
    dsn: str, azurite: str, tmp_path: Path
) -> None:
    data, container = tmp_path / "data", f"test-{new_id()}"
    async with open_api_client(data) as client:
        sent = await client.upload("lock.md", LOCK.first.encode())
        await client.wait_until_finished(sent["id"])
        content = (await client.http.get(f"/documents/{sent['id']}/content")).text
    storage = {"TOWPATH_BLOB_STORAGE": azurite, "TOWPATH_BLOB_CONTAINER": container}

    answer = await asyncio.to_thread(lambda: import_sqlite(data, dsn, **storage))

    assert answer.exit_code == 0, answer.output
    assert "not found" not in answer.output
    # The files are copied: the originals stay in the folder.
    assert any((data / "blobs").rglob("*.md"))
    shutil.rmtree(data / "blobs")
    storage_settings: dict[str, Any] = {"blob_storage": azurite, "blob_container": container}
    async with open_api_client(data, with_worker=False, database=dsn, **storage_settings) as client:
        assert (await client.http.get(f"/documents/{sent['id']}/original")).text == LOCK.first
        assert (await client.http.get(f"/documents/{sent['id']}/content")).text == content


def test_a_failed_import_stores_nothing_and_can_be_repeated(dsn: str, folder: Path) -> None:
    execute_in_folder(
        folder,
        f"insert into organizations values ('{new_id()}', 'sister', '2026-01-01T00:00:00.000000+00:00')",
    )
    when = "2026-01-01T00:00:00.000000+00:00"
    new_user = "insert into provider_users values ('openai', '{}', '2026-01-01T00:00:00.000000+00:00', '{}')"
    execute_in_folder(folder, new_user.format("no id at all", "2026-01-01T00:00:00.000000+00:00"))
    execute_in_folder(
        folder,
        "insert into workers (id, host, pid, slots, stages, started_at, seen_at)"
        f" values ('anna', 'quay', 7, 8, '[]', '{when}', '{when}')",
    )

    first = import_sqlite(folder, dsn)
    remaining = query_rows(dsn, "select id::text from organizations")
    execute_in_folder(folder, "delete from provider_users")
    second = import_sqlite(folder, dsn)

    assert first.exit_code != 0
    assert remaining == [(DEFAULT_ORG_ID,)]
    assert second.exit_code == 0, second.output
    assert query_rows(dsn, "select count(*) from organizations") == [(2,)]
    assert query_rows(dsn, "select count(*) from workers") == [(0,)], "workers of the folder are not imported"


def test_an_impossible_import_is_refused_with_a_sentence(
    dsn: str, folder: Path, tmp_path: Path, postgres_server: PostgresServer
) -> None:
    unmigrated = postgres_server.create()
    database = PostgresDatabase(dsn)
    upgrade(database.engine, worker_role="towpath_worker")
    database.close()

    def refusal(source: Path, target: str) -> str:
        answer = import_sqlite(source, target)
        assert answer.exit_code == 2, answer.output
        return answer.output

    with lock_data_dir(folder, "http://127.0.0.1:8000"):
        assert "in use by http://127.0.0.1:8000" in refusal(folder, dsn)
    assert "Nothing to import" in refusal(tmp_path / "elsewhere", dsn)
    assert not (tmp_path / "elsewhere").exists()
    assert "must be an address" in refusal(folder, "towpath.db")
    assert "Run `towpath migrate`" in refusal(folder, unmigrated)
    assert "does not answer" in refusal(folder, postgres_server.dsn("nowhere"))
    assert "ran `towpath migrate`" in refusal(folder, dsn.replace("postgres@", "towpath_worker@"))
    assert import_sqlite(folder, dsn).exit_code == 0
    execute_in_folder(
        folder,
        f"insert into organizations values ('{new_id()}', 'sister', '2026-01-01T00:00:00.000000+00:00')",
    )
    assert import_sqlite(folder, dsn).exit_code == 0
    assert "is not empty: there are rows in organizations" in refusal(folder, dsn)
    postgres_server.drop(unmigrated)
