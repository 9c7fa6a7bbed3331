"""Data of earlier versions opens with this version, on both engines, and no provider call is paid again.

`tests/data/old/VERSION/` holds a data folder and a Postgres dump of that version, made by
`tests/data/old/make.py`; `expected.json` lists what they contain. Each version of the program adds a folder.
"""

from __future__ import annotations

import json
import lzma
import tarfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import text

from tests.support.databases import PostgresServer
from tests.support.emulators.process import EmulatorProcess, emulator_process, state
from tests.support.servers import Server
from tests.support.timeouts import wait_until
from towpath.config import RENAMED
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase

OLD = Path(__file__).parent.parent / "data" / "old"
VERSIONS = sorted(folder.name for folder in OLD.iterdir() if (folder / "expected.json").exists())
PACE = {"TOWPATH_TRANSCRIPT_FIRST_POLL_SECONDS": "0.1"}
#: Jobs that waited for a throttled provider still wait, however long ago the data was made.
STILL_THROTTLED = """
    update document_processing_jobs
    set available_at = now() + interval '1 year', waiting_until = now() + interval '1 year'
    where status = 'PENDING' and waiting_reason = 'provider_throttled'
"""


@dataclass(frozen=True, slots=True)
class OldData:
    """A server of this version on restored data, and what the data must contain."""

    expected: dict[str, Any]
    http: httpx.Client
    emulators: EmulatorProcess

    def headers(self, org_id: str) -> dict[str, str]:
        keys = (key for key in self.expected["api_keys"] if key["org_id"] == org_id and not key["revoked"])
        return {"Authorization": f"Bearer {next(keys)['secret']}"}

    def get(self, org_id: str, path: str, **parameters: Any) -> Any:
        response = self.http.get(path, params=parameters, headers=self.headers(org_id))
        assert response.status_code == 200, (path, response.text)
        return response.json()

    def billed(self, provider_url: str) -> int:
        return state(provider_url)["billed"]["operations"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_data_of_an_earlier_version_opens(
    version: str, engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with _opened(version, engine, tmp_path, request) as old:
        _check_documents(old)
        _check_connections(old)
        _check_revoked_key(old)
        assert old.billed(old.emulators.speechkit) <= 2, "only the two unfinished calls may be transcribed"
        _complete_unfinished_documents(old)
        _check_runs(old)
        _check_provider_calls(old)


@contextmanager
def _opened(version: str, engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> Generator[OldData]:
    folder, data = OLD / version, tmp_path / "data"
    expected = json.loads((folder / "expected.json").read_text("utf-8"))
    with tarfile.open(folder / ("sqlite.tar.xz" if engine == "sqlite" else "blobs.tar.xz")) as archive:
        archive.extractall(data, filter="data")
    settings = {**_current_names(expected["server_settings"]), **PACE}
    if engine == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres_server")
        settings["TOWPATH_DATABASE"] = _restored_postgres(server, folder / "postgres.sql.xz")
    with (
        emulator_process("--polls=0") as emulators,
        Server(data, settings={**settings, **emulators.settings}) as towpath,
        httpx.Client(base_url=towpath.url, timeout=60) as http,
    ):
        yield OldData(expected[engine], http, emulators)


def _current_names(settings: dict[str, str]) -> dict[str, str]:
    """The settings of an earlier version under their present names."""
    return {
        "TOWPATH_" + RENAMED.get(name, name).upper(): value
        for name, value in ((key.removeprefix("TOWPATH_").lower(), value) for key, value in settings.items())
    }


def _restored_postgres(server: PostgresServer, dump: Path) -> str:
    dsn = server.create()
    with psycopg.connect(dsn, autocommit=True) as connection, lzma.open(dump, "rt", encoding="utf-8") as file:
        connection.execute(file.read())  # pyright: ignore[reportArgumentType, reportCallIssue]  (a trusted file)
    database = PostgresDatabase(dsn)
    upgrade(database.engine)
    with database.engine.begin() as connection:
        connection.execute(text(STILL_THROTTLED))
    database.close()
    return dsn


def _check_documents(old: OldData) -> None:
    """Every document has its status and its chunk ids, and full-text search finds it and nothing else."""
    for document in old.expected["documents"]:
        org_id, document_id = document["org_id"], document["id"]
        if document["status"] != "PROCESSING":
            assert old.get(org_id, f"/documents/{document_id}")["status"] == document["status"], document
            chunks = old.get(org_id, f"/documents/{document_id}/chunks")
            assert [chunk["id"] for chunk in chunks] == document["chunk_ids"], document
        if document["search"]:
            hits = old.get(org_id, "/search", **document["search"])["hits"]
            assert {hit["document_id"] for hit in hits} == {document_id}, document


def _check_connections(old: OldData) -> None:
    shown = {
        connection["id"]: (connection["pinned"], connection["hidden"])
        for document in old.expected["documents"]
        for connection in old.get(document["org_id"], f"/documents/{document['id']}/connections")
    }
    for connection in old.expected["connections"]:
        assert shown[connection["id"]] == (connection["pinned"], connection["hidden"])


def _check_revoked_key(old: OldData) -> None:
    revoked = next(key["secret"] for key in old.expected["api_keys"] if key["revoked"])
    response = old.http.get("/documents", headers={"Authorization": f"Bearer {revoked}"})
    assert response.status_code == 401


def _complete_unfinished_documents(old: OldData) -> None:
    """One retry by hand ends the old throttle; then all unfinished documents complete and are searchable."""
    unfinished = [document for document in old.expected["documents"] if document["status"] == "PROCESSING"]
    throttled = next(document for document in unfinished if document["name"] == "throttled.txt")
    status = old.get(throttled["org_id"], f"/documents/{throttled['id']}/status")
    assert (status["waiting_reason"], status["waiting_provider"]) == ("provider_throttled", "openai")
    jobs = old.get(throttled["org_id"], "/jobs", status="PENDING", stage="embed")
    job = next(job for job in jobs if job["document_id"] == throttled["id"])
    response = old.http.post(f"/jobs/{job['id']}/retry", headers=old.headers(throttled["org_id"]))
    assert response.is_success, response.text

    def all_completed() -> bool:
        answers = [
            old.get(document["org_id"], f"/documents/{document['id']}/status") for document in unfinished
        ]
        for document, answer in zip(unfinished, answers, strict=True):
            assert answer["status"] in ("PROCESSING", "COMPLETED"), (document["name"], answer["error"])
        return all(answer["status"] == "COMPLETED" for answer in answers)

    wait_until(all_completed, "the unfinished documents to complete")
    for document in unfinished:
        if document["search_once_completed"]:
            hits = old.get(document["org_id"], "/search", **document["search_once_completed"])["hits"]
            assert hits[0]["document_id"] == document["id"], document


def _check_runs(old: OldData) -> None:
    """Every run of the old version is listed; those that had ended keep their state."""
    for run in old.expected["runs"]:
        org_id = next(
            document["org_id"]
            for document in old.expected["documents"]
            if document["id"] == run["document_id"]
        )
        listed = {item["id"]: item for item in old.get(org_id, f"/documents/{run['document_id']}/runs")}
        assert run["id"] in listed, run
        if run["state"] not in ("QUEUED", "RUNNING"):
            assert listed[run["id"]]["state"] == run["state"], run


def _check_provider_calls(old: OldData) -> None:
    """OpenAI embedded the five unfinished documents and no finished one; no answered call was repeated."""
    unfinished = [document for document in old.expected["documents"] if document["status"] == "PROCESSING"]
    assert old.billed(old.emulators.openai) == len(unfinished)
    for document in old.expected["documents"]:
        if document["status"] == "COMPLETED":
            costs = old.get(document["org_id"], f"/documents/{document['id']}/costs")
            assert costs["repeated"] == 0, document
