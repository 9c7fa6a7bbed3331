"""Workers that are killed or stopped while a newer version of their document arrives never publish over it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.crash.crash_harness import CrashHarness
from tests.crash.version_stages import STAGE
from tests.support.factories import a_document
from tests.support.processes import WorkerProcess
from tests.support.servers import Client, Server
from tests.support.timeouts import LONG_LEASE_SECONDS, wait_until
from towpath.ledger.contract.ledger import RunPlan, Submission, Submitted
from towpath.ledger.tables import chunks, document_versions, documents

LONG_LEASE = ("--lease", str(LONG_LEASE_SECONDS), "--heartbeat", "1")
STAGES = ("--pipeline", "tests.crash.version_stages:pipelines", "--stages", STAGE)


def submit(harness: CrashHarness, text: str) -> Submitted:
    plan = RunPlan(STAGE, 1, (STAGE,), {"text": text})
    submission = Submission(replace(a_document(text), key="canal.md"), plan)
    return asyncio.run(harness.engine.ledger.submit(submission, datetime.now(UTC)))


def published(harness: CrashHarness) -> tuple[list[str], int]:
    """The published texts, and the version that the document shows."""
    texts = [str(row.text) for row in harness.rows(select(chunks.c.text))]
    return texts, harness.rows(select(documents.c.version))[0].version


def start(harness: CrashHarness, *arguments: str) -> WorkerProcess:
    return harness.start(*STAGES, *LONG_LEASE, *arguments)


def test_a_stopped_worker_of_an_older_version_publishes_nothing_when_it_continues(
    harness: CrashHarness,
) -> None:
    first = submit(harness, "one")
    zombie = start(harness, "--stop", "before:finish:1")
    wait_until(lambda: zombie.frozen, "the worker to stop before it publishes")
    second = submit(harness, "two")
    assert (second.document_id, second.version) == (first.document_id, 2)
    # The lease of the older version is revoked by the upload: nobody waits for its end.
    other = start(harness)
    harness.wait_until_all_ended()
    assert published(harness) == (["two"], 2)

    zombie.wake()
    wait_until(lambda: zombie.logged("the lease is lost"), "the stopped worker to learn of its lost lease")
    assert published(harness) == (["two"], 2)
    assert [harness.run_state(run.run_id) for run in (first, second)] == ["CANCELLED", "COMPLETED"]
    statuses = harness.rows(select(document_versions.c.chunks_added).order_by(document_versions.c.number))
    assert [row.chunks_added for row in statuses] == [None, 1]
    other.retire()
    zombie.retire()


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_newer_version_is_published_after_the_worker_of_an_older_one_was_killed(
    harness: CrashHarness, moment: str
) -> None:
    first = submit(harness, "one")
    if moment == "before":
        start(harness, "--kill", "before:finish:1").exit_code()
    else:
        victim = start(harness)
        # A starved machine may need a second settlement: the kill waits for the fact, not for the first one.
        wait_until(
            lambda: harness.run_state(first.run_id) == "COMPLETED", "the older version to be published"
        )
        victim.kill()
    second = submit(harness, "two")
    start(harness)
    harness.wait_until_all_ended()

    assert published(harness) == (["two"], 2)
    expected = "CANCELLED" if moment == "before" else "COMPLETED"
    assert [harness.run_state(run.run_id) for run in (first, second)] == [expected, "COMPLETED"]


def test_the_newer_version_survives_a_kill_of_its_own_worker(harness: CrashHarness) -> None:
    submit(harness, "one")
    zombie = start(harness, "--stop", "before:finish:1")
    wait_until(lambda: zombie.frozen, "the worker of the older version to stop")
    submit(harness, "two")
    victim = start(harness, "--kill", "before:finish:1")
    victim.exit_code()
    zombie.wake()
    wait_until(lambda: zombie.logged("the lease is lost"), "the stopped worker to learn of its lost lease")
    harness.expire_leases()
    harness.wait_until_all_ended()

    assert published(harness) == (["two"], 2)


def _upload(client: Client, body: bytes) -> Any:
    answer = client.http.post("/documents", files={"file": ("canal.md", body)}, data={"key": "canal.md"})
    return answer.raise_for_status().json()


def _text(number: int) -> bytes:
    chapters = (f"# Chapter {chapter}\n\nText {number} of the keeper.\n" for chapter in range(200))
    return "\n".join(chapters).encode()


def test_acknowledged_versions_survive_kills_of_the_embedded_server(tmp_path: Path) -> None:
    data, last = tmp_path / "data", 4
    ids: set[str] = set()
    for number in range(1, last + 1):
        server = Server(data).wait_until_ready()
        answer = _upload(Client(server.url), _text(number))
        server.kill()
        ids.add(answer["id"])
        assert answer["version"] == number
    (document_id,) = ids
    with Server(data) as server:
        client = Client(server.url)
        client.wait_until_finished(document_id)
        versions = client.get(f"/documents/{document_id}/versions")
        assert [version["number"] for version in versions] == [4, 3, 2, 1]
        assert (versions[0]["current"], versions[0]["status"]) == (True, "COMPLETED")
        assert "Text 4 of the keeper" in client.http.get(f"/documents/{document_id}/content").text
        for number in range(1, last + 1):
            original = client.http.get(f"/documents/{document_id}/original", params={"version": number})
            assert original.content == _text(number)
