"""A backup taken while documents are processed restores elsewhere: nothing acknowledged is lost, all of it finishes."""

from __future__ import annotations

import json
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.forked_command import run_towpath
from tests.support.servers import Client, Server
from tests.support.timeouts import wait_until


def towpath(*arguments: str, expect: int = 0) -> str:
    completed = run_towpath(*arguments)
    assert completed.returncode == expect, completed.stdout + completed.stderr
    return completed.stdout + completed.stderr


def note(number: int) -> bytes:
    lines = [
        f"The keeper of lock {number} counted barrel {barrel}."
        for barrel in range(number * 7, number * 7 + 400)
    ]
    return f"# Lock {number}\n\n{' '.join(lines)}\n".encode()


def unfinished_runs(backup: Path, folder: Path) -> int:
    """The number of unfinished runs in the database of a backup."""
    with tarfile.open(backup) as tar:
        tar.extract("towpath.db", folder, filter="data")
    with closing(sqlite3.connect(folder / "towpath.db")) as database:
        query = "select count(*) from processing_runs where state in ('QUEUED', 'RUNNING')"
        return int(database.execute(query).fetchone()[0])


def check(data: Path) -> dict[str, Any]:
    return json.loads(towpath("check", "--json", "--data", str(data)))["storage"]


@pytest.mark.parametrize(("name", "documents"), [("library.tar", 50), ("library.tar.gz", 10)])
def test_a_backup_of_a_busy_server_restores_elsewhere(name: str, documents: int, tmp_path: Path) -> None:
    file, data, elsewhere = tmp_path / name, tmp_path / "data", tmp_path / "elsewhere"
    # One job at a time: the backup begins long before the last document is processed.
    with Server(data, settings={"TOWPATH_WORKER_CONCURRENCY": "1"}) as server:
        client = Client(server.url)
        ids = [client.upload(f"lock-{number}.md", note(number))["id"] for number in range(documents)]
        printed = towpath("backup", str(file), "--data", str(data))
        # A document that is deleted after the backup is in the backup.
        client.http.delete(f"/documents/{ids[0]}").raise_for_status()
        server.kill()

    assert f"{documents} documents and " in printed
    assert "restored in" in towpath("restore", str(file), "--data", str(elsewhere))
    with Server(elsewhere) as server:
        client = Client(server.url)
        statuses = client.wait_until_finished(*ids)
        [hit, *_] = client.get("/search", q="keeper of lock 7", mode="text")["hits"]

    assert unfinished_runs(file, tmp_path) > 0, "the backup was taken while documents were processed"
    assert [status["status"] for status in statuses] == ["COMPLETED"] * documents
    assert hit["document_id"] in ids
    storage = check(elsewhere)
    assert storage["orphans"] == []
    assert storage["missing"] == []
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")], (
        "temporary files are removed"
    )


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The data folder of a small library, and its backup."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "note.md").write_bytes(note(1))
    towpath("submit", str(folder / "note.md"), "--wait", "--create", "--data", str(folder / "data"))
    towpath("backup", str(folder / "backup.tar"), "--data", str(folder / "data"))
    return folder / "data", folder / "backup.tar"


def test_neither_a_backup_nor_a_library_is_overwritten(library: tuple[Path, Path]) -> None:
    data, file = library

    assert "exists. Name a new file." in towpath("backup", str(file), "--data", str(data), expect=2)
    assert "has a library already" in towpath("restore", str(file), "--data", str(data), expect=2)


@pytest.mark.parametrize("damage", ["cut", "changed", "other"])
def test_a_damaged_backup_restores_nothing(damage: str, library: tuple[Path, Path], tmp_path: Path) -> None:
    body = bytearray(library[1].read_bytes())
    if damage == "cut":
        del body[len(body) // 2 :]
    elif damage == "changed":
        with tarfile.open(library[1]) as tar:
            database = tar.getmember("towpath.db")
        body[database.offset_data + 5000] ^= 1
    else:
        body = bytearray(b"not a backup")
    file = tmp_path / "damaged.tar"
    file.write_bytes(body)

    output = towpath("restore", str(file), "--data", str(tmp_path / "data"), expect=2)

    assert (
        "damaged" in output
        if damage == "changed"
        else "is not a backup of Towpath, or it is incomplete" in output
    )
    assert not (tmp_path / "data" / "towpath.db").exists()


def test_an_export_is_imported_with_the_same_ids_and_search_results(tmp_path: Path) -> None:
    data, folder, elsewhere = tmp_path / "data", tmp_path / "export", tmp_path / "elsewhere"

    def facts(client: Client) -> dict[str, Any]:
        documents = client.get("/documents", limit=100)["documents"]
        return {
            "documents": documents,
            "statuses": client.get(
                "/documents/status", ids=",".join(document["id"] for document in documents)
            ),
            "chunks": [client.get(f"/documents/{document['id']}/chunks") for document in documents],
            "fields": [client.get(f"/documents/{document['id']}/fields") for document in documents],
            "connections": [client.get(f"/documents/{document['id']}/connections") for document in documents],
            "runs": [client.get(f"/documents/{document['id']}/runs") for document in documents],
            "schema": client.get("/schemas/lease"),
            "search": [
                client.get("/search", q="the keeper counted barrel 21", mode=mode)["hits"]
                for mode in ("text", "vector", "hybrid")
            ],
        }

    with Server(data) as server:
        client = Client(server.url)
        ids = [client.upload(f"lock-{number}.md", note(number))["id"] for number in range(4)]
        client.wait_until_finished(*ids)
        wait_until(
            lambda: client.get("/jobs", status="PENDING") == client.get("/jobs", status="PROCESSING") == [],
            "the connections to be computed",
        )
        lease = {"type": "object", "properties": {"rent": {"type": "number"}}}
        assert client.http.put("/schemas/lease", json=lease).status_code == 201
        before = facts(client)
        printed = towpath("export", str(folder), "--data", str(data))
    towpath("import", str(folder), "--data", str(elsewhere))
    with Server(elsewhere) as server:
        after = facts(Client(server.url))

    assert printed.startswith("4 documents (")
    assert before["search"][0]
    assert after == before
    originals = sorted(folder.glob("documents/*/original.md"))
    assert [path.read_bytes() for path in originals] == [note(number) for number in range(4)]
    assert len((folder / "tables" / "chunks.jsonl").read_text().splitlines()) == sum(
        map(len, before["chunks"])
    )
    storage = check(elsewhere)
    assert storage["orphans"] == storage["missing"] == []
    assert "has a library already" in towpath("import", str(folder), "--data", str(data), expect=2)


@pytest.mark.parametrize("damage", ["manifest", "file", "rows"])
def test_a_changed_export_is_refused(damage: str, library: tuple[Path, Path], tmp_path: Path) -> None:
    folder = tmp_path / "export"
    towpath("export", str(folder), "--data", str(library[0]))
    if damage == "manifest":
        (folder / "towpath-export.json").unlink()
    elif damage == "file":
        next(folder.glob("documents/*/original.md")).write_text("Other bytes.")
    else:
        (folder / "tables" / "chunks.jsonl").write_text("")

    output = towpath("import", str(folder), "--data", str(tmp_path / "data"), expect=2)

    expected = {
        "manifest": "it has no towpath-export.json",
        "file": "its sha256 differs",
        "rows": "0 rows instead of",
    }
    assert expected[damage] in output
    assert not (tmp_path / "data" / "towpath.db").exists()
