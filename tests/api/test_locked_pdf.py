"""A locked PDF is rejected, and read once its password is given; the password is stored nowhere in clear."""

from __future__ import annotations

import asyncio
import base64
import logging
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from click.testing import CliRunner, Result

from tests.crash.test_backup import towpath
from tests.support import pdfs
from tests.support.api_client import ApiClient, open_api_client
from tests.support.databases import PostgresServer
from tests.support.emulators import DocumentIntelligenceEmulator
from towpath.bootstrap.password_key import KEY_FILE
from towpath.cli.main import main

PASSWORD = "Rosebud-£7-lock"


@pytest.fixture
def locked(tmp_path: Path) -> bytes:
    plain = pdfs.plain(tmp_path / "plain.pdf", [["The sluice keeper opens the gate at seven."]])
    return pdfs.locked(tmp_path / "locked.pdf", plain, user=PASSWORD).read_bytes()


async def _reject(client: ApiClient, body: bytes) -> str:
    """Upload a locked file; its id."""
    document = await client.upload("locked.pdf", body)
    status = await client.wait_until_finished(document["id"])
    assert (status["run"]["failure_type"], status["run"]["rejection_code"]) == ("REJECTED", "encrypted")
    assert status["error"].startswith("This PDF is password-protected.")
    return document["id"]


async def _run(client: ApiClient, document_id: str, **body: Any) -> Any:
    await client.post(f"/documents/{document_id}/runs", json=body)
    return await client.wait_until_finished(document_id)


async def test_the_right_password_reads_the_file(client: ApiClient, locked: bytes) -> None:
    document_id = await _reject(client, locked)

    status = await _run(client, document_id, password=PASSWORD)

    assert (status["status"], status["run"]["rejection_code"]) == ("COMPLETED", None)
    (chunk,) = await client.get(f"/documents/{document_id}/chunks")
    assert "sluice keeper" in chunk["text"]
    assert chunk["anchor"]["page"] == 1
    # The stored file is the uploaded one, still locked.
    assert (await client.http.get(f"/documents/{document_id}/original")).content == locked


async def test_a_wrong_password_is_rejected_as_such(client: ApiClient, locked: bytes) -> None:
    document_id = await _reject(client, locked)

    status = await _run(client, document_id, password="Rosebud")

    assert (status["run"]["failure_type"], status["run"]["rejection_code"]) == ("REJECTED", "wrong_password")
    assert status["error"].startswith("Wrong password")
    assert (await _run(client, document_id, password=PASSWORD))["status"] == "COMPLETED"
    # The cached answer needs no password, but a wrong one is still wrong.
    assert (await _run(client, document_id, password="Rosebud"))["status"] == "FAILED"
    assert (await _run(client, document_id))["status"] == "COMPLETED"


async def test_a_file_that_opens_without_a_password_ignores_it(client: ApiClient, tmp_path: Path) -> None:
    plain = pdfs.plain(tmp_path / "plain.pdf", [["An open gate."]])
    owned = pdfs.locked(tmp_path / "owned.pdf", plain, user="", owner="owner").read_bytes()
    document = await client.upload("owned.pdf", owned)
    await client.wait_until_finished(document["id"])

    assert (await _run(client, document["id"], password="any"))["status"] == "COMPLETED"


async def test_a_child_process_opens_the_file(tmp_path: Path, locked: bytes) -> None:
    """In the sandbox, which lets a child write only the file that it was given."""
    async with open_api_client(tmp_path / "data") as client:
        document_id = await _reject(client, locked)
        assert (await _run(client, document_id, password="wrong"))["run"][
            "rejection_code"
        ] == "wrong_password"
        assert (await _run(client, document_id, password=PASSWORD))["status"] == "COMPLETED"
        assert not list((tmp_path / "data" / "incoming").rglob("unlocked*")), "a clear copy was left"


async def test_the_password_is_in_no_file_log_event_or_answer(
    client: ApiClient, locked: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    document_id = await _reject(client, locked)
    await _run(client, document_id, password="Rosebud-wrong")
    await _run(client, document_id, password=PASSWORD)

    path = f"/documents/{document_id}"
    paths = [path, f"{path}/status", f"{path}/runs", "/jobs", "/runs", "/audit", "/events", "/operations"]
    answers = [(await client.http.get(path)).text for path in paths]
    answers.append(caplog.text)
    assert not [answer for answer in answers if "Rosebud" in answer]
    data = client.runtime.settings.data
    named = [path for path in data.rglob("*") if path.is_file() and b"Rosebud" in path.read_bytes()]
    assert not named, "the password is in these files"
    key = data / KEY_FILE
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def _sealed(data: Path) -> list[str]:
    """The sealed passwords in the database of a data folder."""
    with closing(sqlite3.connect(data / "towpath.db")) as database:
        query = "select sealed_password from document_processing_jobs where sealed_password is not null"
        return [row[0] for row in database.execute(query)]


async def _wait_with_password(data: Path, locked: bytes) -> str:
    """A document whose run with a password waits, because there is no worker; its id."""
    async with open_api_client(data, in_threads=True) as client:
        document_id = await _reject(client, locked)
    async with open_api_client(data, with_worker=False) as client:
        await client.post(f"/documents/{document_id}/runs", json={"password": PASSWORD})
    return document_id


async def test_the_password_waits_sealed_and_is_erased(tmp_path: Path, locked: bytes) -> None:
    data = tmp_path / "data"
    document_id = await _wait_with_password(data, locked)
    (waiting,) = _sealed(data)
    assert "Rosebud" not in waiting

    # A new process has the key of the data folder.
    async with open_api_client(data, in_threads=True) as client:
        assert (await client.wait_until_finished(document_id))["status"] == "COMPLETED"
    assert _sealed(data) == []


async def test_backup_export_and_import_have_no_password(
    tmp_path: Path, locked: bytes, postgres_server: PostgresServer
) -> None:
    data, backup, export = tmp_path / "data", tmp_path / "library.tar", tmp_path / "export"
    await _wait_with_password(data, locked)
    (waiting,) = _sealed(data)
    key = (data / KEY_FILE).read_bytes()
    dsn = postgres_server.create_migrated()

    towpath("backup", str(backup), "--data", str(data))
    towpath("export", str(export), "--data", str(data))
    towpath("import-sqlite", "--from", str(data), "--to", dsn)

    assert _sealed(data) == [waiting], "the copies change the library"
    copies = [backup, *(path for path in export.rglob("*") if path.is_file())]
    for secret in (waiting.encode(), key):
        assert not [path for path in copies if secret in path.read_bytes()]
    with psycopg.connect(dsn) as connection:
        query = (
            "select count(*), count(sealed_password) from document_processing_jobs where status = 'PENDING'"
        )
        assert connection.execute(query).fetchone() == (1, 0)
    postgres_server.drop(dsn)


async def test_postgres_needs_a_key_that_all_processes_share(
    tmp_path: Path, locked: bytes, postgres_server: PostgresServer
) -> None:
    dsn = postgres_server.create_migrated()
    async with open_api_client(tmp_path / "a", in_threads=True, database=dsn) as client:
        document_id = await _reject(client, locked)
        answer = await client.http.post(f"/documents/{document_id}/runs", json={"password": PASSWORD})
        assert (answer.status_code, answer.json()["type"]) == (503, "urn:towpath:misconfigured")
        assert "`password_key`" in answer.json()["detail"]

    shared: dict[str, Any] = {"database": dsn, "password_key": base64.b64encode(bytes(range(32))).decode()}
    blobs = tmp_path / "a"
    async with open_api_client(blobs, in_threads=True, **shared) as client:
        assert (await _run(client, document_id, password=PASSWORD))["status"] == "COMPLETED"
    assert not (blobs / KEY_FILE).exists()
    postgres_server.drop(dsn)


async def test_another_key_is_an_error_of_the_settings(tmp_path: Path, locked: bytes) -> None:
    document_id = await _wait_with_password(tmp_path / "data", locked)
    (tmp_path / "data" / KEY_FILE).unlink()
    async with open_api_client(tmp_path / "data", in_threads=True) as client:
        status = await client.wait_until_finished(document_id)
        assert status["run"]["failure_type"] == "STAGE_FAILED"
        assert "sealed with another key" in status["error"]


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"password": ""}, 422, "at least 1"),
        ({"password": "Rosebud" * 100}, 422, "at most 500"),
        ({"password": ["Rosebud"]}, 422, "valid string"),
        ({"password": PASSWORD, "from_stage": "chunk"}, 400, "`extract`"),
    ],
)
async def test_a_password_that_cannot_be_used_is_refused(
    client: ApiClient, locked: bytes, body: dict[str, object], status: int, said: str
) -> None:
    document_id = await _reject(client, locked)

    answer = await client.http.post(f"/documents/{document_id}/runs", json=body)

    assert answer.status_code == status
    assert said in answer.json()["detail"]
    assert "Rosebud" not in answer.text


async def test_only_a_pdf_has_a_password(client: ApiClient) -> None:
    document = await client.upload("letter.txt", b"an open letter")

    answer = await client.http.post(f"/documents/{document['id']}/runs", json={"password": PASSWORD})

    assert (answer.status_code, answer.json()["type"]) == (400, "urn:towpath:bad-request")
    assert "Only a PDF" in answer.json()["detail"]


@pytest.mark.parametrize("option", ["--password", "--password-stdin"])
async def test_the_command_reads_the_password_from_its_input(
    tmp_path: Path, locked: bytes, option: str
) -> None:
    data = tmp_path / "data"
    async with open_api_client(data, in_threads=True) as client:
        document_id = await _reject(client, locked)

    def rerun(*options: str, text: str) -> Result:
        arguments = ["rerun", "locked.pdf", "--data", str(data), *options]
        return CliRunner().invoke(main, arguments, input=text)

    both = await asyncio.to_thread(rerun, "--password", "--password-stdin", text=f"{PASSWORD}\n")
    nothing = await asyncio.to_thread(rerun, "--password-stdin", text="")
    queued = await asyncio.to_thread(rerun, option, text=f"{PASSWORD}\n")

    assert (both.exit_code, nothing.exit_code) == (2, 2)
    assert queued.exit_code == 0, queued.output
    assert "Rosebud" not in both.output + nothing.output + queued.output
    async with open_api_client(data, in_threads=True) as client:
        assert (await client.wait_until_finished(document_id))["status"] == "COMPLETED"


async def test_a_cloud_reader_gets_the_file_without_its_password(tmp_path: Path, locked: bytes) -> None:
    """The service says only that it cannot open the file; the page needs to know that a password is missing."""
    async with DocumentIntelligenceEmulator(polls=0, retry_after=0) as service:
        settings: dict[str, Any] = {
            "document_intelligence_endpoint": service.url,
            "document_intelligence_key": service.key,
        }
        async with open_api_client(tmp_path / "data", in_threads=True, reader="azure", **settings) as client:
            document_id = await _reject(client, locked)
            wrong = await _run(client, document_id, password="Rosebud")
            assert wrong["run"]["rejection_code"] == "wrong_password"

            status = await _run(client, document_id, password=PASSWORD)

            assert status["status"] == "COMPLETED", status["error"]
            (chunk,) = await client.get(f"/documents/{document_id}/chunks")
            assert "sluice keeper" in chunk["text"]
        sent = [operation.content for operation in service.operations.values()]
        assert [b"/Encrypt" in document for document in sent] == [True, False]
