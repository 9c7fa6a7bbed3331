"""Every table is covered by export, import, backup, import into Postgres, row-level security and deletion.

A new table must be added to one of the lists below: then its author has thought of all of these.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.crash.test_backup import towpath
from tests.support.api_client import open_api_client
from towpath.ledger.postgres.row_level_security import COMMON
from towpath.ledger.tables import metadata

#: Rows that are deleted with their document, by a foreign key or in the same transaction.
OF_A_DOCUMENT = {
    "artifacts",
    "chunk_profiles",
    "chunks",
    "connection_marks",
    "connections",
    "document_children",
    "document_fields",
    "document_metadata",
    "document_processing_jobs",
    "document_tags",
    "document_versions",
    "documents",
    "field_edits",
    "idempotency_keys",
    "next_vectors",
    "processing_runs",
    "run_events",
    "webhook_deliveries",
}
#: Rows of an organization that stay: answers are kept by `keep_answers_days`, segments are replaced when they merge.
OF_AN_ORGANIZATION = {
    "api_keys",
    "audit",
    "field_schemas",
    "library_models",
    "organizations",
    "provider_calls",
    "webhook_endpoints",
    "word_pages",
    "word_segments",
}


def rows_by_table(file: Path) -> dict[str, list[str]]:
    with closing(sqlite3.connect(file)) as database:
        return {
            table: sorted(
                repr([_parsed(value) for value in row]) for row in database.execute(f"select * from {table}")
            )
            for table in metadata.tables
            if table != "workers"
        }


def _parsed(value: Any) -> Any:
    """JSON as its value: an import writes it with other blanks."""
    return json.loads(value) if isinstance(value, str) and value.startswith(("{", "[")) else value


def test_every_table_is_in_exactly_one_list() -> None:
    lists = (OF_A_DOCUMENT, OF_AN_ORGANIZATION, COMMON)
    assert set().union(*lists) == set(metadata.tables)
    assert sum(map(len, lists)) == len(metadata.tables)


@pytest.mark.parametrize("table", sorted(OF_A_DOCUMENT | OF_AN_ORGANIZATION - {"organizations"}))
def test_row_level_security_can_bind_the_table(table: str) -> None:
    assert "org_id" in metadata.tables[table].c


async def _labelled_library(data: Path) -> None:
    async with open_api_client(data) as client:
        for number in (1, 2):
            form = {"collection": "In", "tags": ["a", "b"], "metadata": json.dumps({"number": number})}
            file = (
                f"{number}.md",
                b"# Note %d\n\nInvoice No: TP-%d\n\nTimber for the gate." % (number, number),
            )
            document = await client.post("/documents", files={"file": file}, data=form)
            await client.wait_until_finished(document["id"])
            newer = (f"{number}.md", file[1] + b" And paint.")
            await client.post(f"/documents/{document['id']}/versions", files={"file": newer})
            await client.wait_until_finished(document["id"])
            path = f"/documents/{document['id']}"
            (await client.http.patch(path, json={"title": "Timber"})).raise_for_status()
            edits = [{"name": "title", "value": "Wood"}, {"name": "note", "value": "paid"}]
            (await client.http.patch(f"{path}/fields", json={"edits": edits})).raise_for_status()


async def test_labels_and_edits_are_exported_imported_backed_up_restored_and_deleted(tmp_path: Path) -> None:
    data, imported, restored = tmp_path / "data", tmp_path / "imported", tmp_path / "restored"
    await _labelled_library(data)
    before = rows_by_table(data / "towpath.db")
    for table in ("document_tags", "document_metadata", "document_versions", "field_edits"):
        assert before[table], table

    towpath("export", str(tmp_path / "export"), "--data", str(data))
    towpath("import", str(tmp_path / "export"), "--data", str(imported))
    towpath("backup", str(tmp_path / "library.tar"), "--data", str(data))
    towpath("restore", str(tmp_path / "library.tar"), "--data", str(restored))

    assert rows_by_table(imported / "towpath.db") == before
    assert rows_by_table(restored / "towpath.db") == before
    async with open_api_client(restored) as client:
        answer = await client.post("/documents/bulk", json={"action": "delete", "filter": {"tags": ["a"]}})
        assert answer["changed"] == 2
    after = rows_by_table(restored / "towpath.db")
    assert {table for table in OF_A_DOCUMENT if after[table]} == set()
