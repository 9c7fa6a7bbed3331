"""Real servers on a disk that is full, read-only or loses files: nothing is lost, and work continues by itself."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from tests.support.forked_command import run_towpath
from tests.support.servers import Client, Server
from tests.support.small_disk import SmallDisk, small_disk
from tests.support.timeouts import wait_until

SETTINGS = {
    "TOWPATH_DISK_RESERVE_MB": "4",
    "TOWPATH_EMBEDDER": "fast",
    # On a busy machine a note may take longer than the default deadline.
    "TOWPATH_RUN_DEADLINE_SECONDS": "none",
}
NOTE = b"# Lock keeper\n\nThe keeper of the lock opens the paddles twice a day.\n"


@pytest.fixture
def disk(tmp_path: Path) -> Generator[SmallDisk]:
    with small_disk(tmp_path / "disk", 64) as disk:
        yield disk


def note(number: int) -> bytes:
    lines = [f"Line {number}-{line}: barge {number * 1000 + line} passed at noon." for line in range(60)]
    return "\n\n".join([f"# Log {number}", *lines]).encode()


def data_folder(disk: SmallDisk) -> Path:
    """The mount point itself: the log of the server is beside it, on another disk."""
    return disk.folder


def wait_for_reserve(disk: SmallDisk) -> None:
    wait_until((data_folder(disk) / "reserve").exists, "the reserve of disk space")


def is_healthy(server: Server) -> bool:
    try:
        return httpx.get(f"{server.url}/health", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def ready_status(client: Client) -> int:
    return client.http.get("/ready").status_code


def test_a_full_disk_refuses_uploads_and_deleting_makes_room(disk: SmallDisk) -> None:
    with Server(data_folder(disk), settings=SETTINGS) as server:
        client = Client(server.url)
        first = client.upload("first.md", NOTE)["id"]
        large = client.upload("large.txt", b"".join(note(number) for number in range(200)))["id"]
        client.wait_until_finished(first, large)
        wait_for_reserve(disk)
        disk.fill()

        refused = client.http.post("/documents", files={"file": ("second.md", NOTE + b"more")})
        again = client.http.post(f"/documents/{first}/runs")

        assert (refused.status_code, refused.json()["type"]) == (507, "urn:towpath:storage-full")
        assert "Delete documents" in refused.json()["detail"]
        assert (again.status_code, again.json()["type"]) == (507, "urn:towpath:storage-full")
        assert ready_status(client) == 503
        assert client.get("/search", q="paddles")["hits"][0]["document_id"] == first

        assert client.http.delete(f"/documents/{large}").status_code == 204
        disk.free()
        wait_until(lambda: ready_status(client) == 200, "the server to be ready again")
        second = client.upload("second.md", NOTE + b"more")["id"]
        assert client.wait_until_finished(second)[0]["status"] == "COMPLETED"


def test_after_a_restart_on_a_full_disk_jobs_wait_and_use_no_attempt(
    disk: SmallDisk, request: pytest.FixtureRequest
) -> None:
    # A server without a worker for documents: all of them are unfinished when the disk is full.
    idle = {**SETTINGS, "TOWPATH_WORKER_STAGES": "transcribe_poll"}
    server = Server(data_folder(disk), settings=idle).wait_until_ready()
    client = Client(server.url)
    wait_for_reserve(disk)
    ids = [client.upload(f"{number}.md", note(number))["id"] for number in range(40)]
    server.kill()
    disk.fill()

    # The start of the server frees the space of the write-ahead log, enough for all documents.
    with disk.kept_full():
        server = Server(data_folder(disk), settings=SETTINGS)
        request.addfinalizer(server.kill)
        wait_until(lambda: is_healthy(server), "the server to answer on a full disk")
    client = Client(server.url)

    seen_waiting: set[str] = set()

    def waiting() -> bool:
        """Every unfinished document was seen waiting; it is claimed again from time to time."""
        disk.fill()
        statuses = client.get("/documents/status", ids=",".join(ids))
        unfinished = {status["document_id"] for status in statuses if status["status"] != "COMPLETED"}
        assert {status["status"] for status in statuses} <= {"COMPLETED", "PROCESSING"}, statuses
        assert len(statuses) == len(ids)
        seen_waiting.update(
            status["document_id"] for status in statuses if status["waiting_reason"] == "storage"
        )
        return bool(unfinished) and unfinished <= seen_waiting

    wait_until(waiting, "every unfinished document to wait for the storage")
    assert ready_status(client) == 503

    disk.free()
    finished = client.wait_until_finished(*ids)
    assert {status["status"] for status in finished} == {"COMPLETED"}
    jobs = client.get("/jobs", limit=200)
    assert {job["attempts"] for job in jobs} == {0}
    assert server.stop() == 0


def test_a_read_only_folder_is_refused_with_a_sentence_and_opens_when_it_is_writable(disk: SmallDisk) -> None:
    with Server(data_folder(disk), settings=SETTINGS) as server:
        document = Client(server.url).upload("first.md", NOTE)["id"]
        Client(server.url).wait_until_finished(document)
    disk.set_read_only(True)

    refused = Server(data_folder(disk), settings=SETTINGS)
    assert (
        wait_until(lambda: refused.process.poll() is not None and refused.process.returncode, "the end") == 2
    )
    assert "The data folder cannot be written" in refused.log_tail()
    assert "Traceback" not in refused.log_tail()

    disk.set_read_only(False)
    with Server(data_folder(disk), settings=SETTINGS) as server:
        assert Client(server.url).get("/search", q="paddles")["hits"][0]["document_id"] == document


def stored_original(data: Path) -> Path:
    (original,) = (data / "blobs").rglob("originals/*")
    return original


def test_a_missing_original_is_reported_and_the_same_upload_restores_it(tmp_path: Path) -> None:
    with Server(tmp_path / "data", settings=SETTINGS) as server:
        client = Client(server.url)
        document = client.upload("note.md", NOTE)["id"]
        client.wait_until_finished(document)
        stored_original(tmp_path / "data").unlink()

        missing = client.http.get(f"/documents/{document}/original")
        assert (missing.status_code, missing.json()["type"]) == (410, "urn:towpath:file-missing")

        assert client.upload("note.md", NOTE)["duplicate"]
        assert client.http.get(f"/documents/{document}/original").content == NOTE


def test_an_original_with_other_bytes_fails_the_run_and_a_new_upload_completes_it(tmp_path: Path) -> None:
    with Server(tmp_path / "data", settings=SETTINGS) as server:
        client = Client(server.url)
        document = client.upload("note.md", NOTE)["id"]
        client.wait_until_finished(document)
        stored_original(tmp_path / "data").write_bytes(NOTE.replace(b"twice", b"never"))

        client.http.post(f"/documents/{document}/runs", json={"fresh": True}).raise_for_status()
        runs = wait_until(
            lambda: [run for run in client.get(f"/documents/{document}/runs") if run["state"] == "FAILED"],
            "the run to fail",
        )
        assert "was changed after its upload" in runs[-1]["error"]
        assert client.get("/search", q="paddles")["hits"][0]["document_id"] == document

        client.upload("note.md", NOTE)
        wait_until(
            lambda: client.get(f"/documents/{document}/runs")[-1]["state"] == "COMPLETED",
            "the new run to complete",
        )
        assert client.http.get(f"/documents/{document}/original").content == NOTE


def test_a_truncated_database_is_refused_with_a_sentence_and_opens_when_it_is_whole(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Server(data, settings=SETTINGS) as server:
        document = Client(server.url).upload("note.md", NOTE)["id"]
        Client(server.url).wait_until_finished(document)
    whole = tmp_path / "whole.db"
    shutil.copyfile(data / "towpath.db", whole)
    with (data / "towpath.db").open("r+b") as file:
        file.truncate(whole.stat().st_size // 2)

    refused = Server(data, settings=SETTINGS)
    assert (
        wait_until(lambda: refused.process.poll() is not None and refused.process.returncode, "the end") == 2
    )
    assert "is truncated. Restore a backup with `towpath restore`" in refused.log_tail()
    assert "Traceback" not in refused.log_tail()

    shutil.copyfile(whole, data / "towpath.db")
    with Server(data, settings=SETTINGS) as server:
        assert Client(server.url).get("/search", q="paddles")["hits"][0]["document_id"] == document


def test_a_lost_database_is_not_replaced_by_an_empty_one(tmp_path: Path) -> None:
    """An empty library would know none of the stored files, and `check --repair` would delete them."""
    data = tmp_path / "data"
    with Server(data, settings=SETTINGS) as server:
        document = Client(server.url).upload("note.md", NOTE)["id"]
        Client(server.url).wait_until_finished(document)
    whole = tmp_path / "whole.db"
    shutil.move(data / "towpath.db", whole)
    stored = {path for path in (data / "blobs").rglob("*") if path.is_file()}
    assert stored

    for state in ("missing", "empty"):
        if state == "empty":
            (data / "towpath.db").touch()
        refused = Server(data, settings=SETTINGS)
        wait_until(lambda server=refused: server.process.poll() is not None, "the end")
        assert refused.process.returncode == 2
        assert f"towpath.db is {state}, but there are stored files in" in refused.log_tail()
    checked = run_towpath("check", "--repair", "--data", str(data))
    assert checked.returncode == 2
    assert "towpath.db is empty" in checked.stderr
    assert stored == {path for path in (data / "blobs").rglob("*") if path.is_file()}

    shutil.move(whole, data / "towpath.db")
    with Server(data, settings=SETTINGS) as server:
        assert Client(server.url).get("/search", q="paddles")["hits"][0]["document_id"] == document
