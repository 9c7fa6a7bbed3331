"""Workers in Node serve a stage of the document pipeline beside the workers of this program, over HTTP and BullMQ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.databases import PostgresServer
from tests.support.node_worker import install, node_worker
from tests.support.redis_server import RedisServer
from tests.support.servers import Client, Server

STAGE = "save_markdown"
#: Short, so that the job of a killed or stopped worker is rescued during the test.
LEASE = {"LEASE_SECONDS": "2"}
#: A sweep finds expired leases at least every `lease_seconds` of the server.
SWEEP = {"TOWPATH_LEASE_SECONDS": "3", "TOWPATH_HEARTBEAT_SECONDS": "1"}
#: Longer than any test: the job is in progress when its worker is killed.
PAUSE = {"PAUSE_SECONDS": "600"}


@pytest.fixture(scope="module")
def example() -> Path:
    return install()


@pytest.fixture(params=["sqlite", "postgres"])
def server(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_server: PostgresServer
) -> Iterator[Server]:
    settings = {"TOWPATH_EXTERNAL_STAGES": STAGE, "TOWPATH_EMBEDDER": "fast", **SWEEP}
    if request.param == "postgres":
        settings["TOWPATH_DATABASE"] = postgres_server.create_migrated()
    with Server(tmp_path / "data", settings=settings) as running:
        yield running


def _letter(number: int) -> bytes:
    return f"# Letter {number}\n\nThe boat of day {number} left at noon.\n".encode()


def _completed(client: Client, *document_ids: str) -> None:
    for status in client.wait_until_finished(*document_ids):
        assert status["status"] == "COMPLETED", status


def test_a_node_worker_serves_a_stage_and_a_killed_one_is_replaced(
    server: Server, example: Path, tmp_path: Path
) -> None:
    client = Client(server.url)
    url = {"TOWPATH_URL": server.url}
    with node_worker(example / "worker.ts", tmp_path / "a.log", **url, **LEASE, **PAUSE) as killed:
        first = client.upload("letter-1.md", _letter(1))["id"]
        killed.wait_for("claimed")
        killed.kill()
    with node_worker(example / "worker.ts", tmp_path / "b.log", **url, **LEASE) as worker:
        more = [client.upload(f"letter-{number}.md", _letter(number))["id"] for number in range(2, 5)]
        _completed(client, first, *more)
        worker.wait_for("epoch 3: done")
    hits = client.get("/search", q="boat of day 1")["hits"]
    assert first in {hit["document_id"] for hit in hits}
    (job,) = [job for job in client.get("/jobs", stage=STAGE) if job["document_id"] == first]
    assert (job["status"], job["attempts"]) == ("COMPLETED", 0)


def test_a_node_worker_that_wakes_after_its_lease_is_refused(
    server: Server, example: Path, tmp_path: Path
) -> None:
    client = Client(server.url)
    url = {"TOWPATH_URL": server.url}
    slow = {"PAUSE_SECONDS": "1"}
    with node_worker(example / "worker.ts", tmp_path / "a.log", **url, **LEASE, **slow) as late:
        document = client.upload("letter-1.md", _letter(1))["id"]
        late.wait_for("claimed")
        late.freeze()
        with node_worker(example / "worker.ts", tmp_path / "b.log", **url, **LEASE):
            _completed(client, document)
            late.wake()
            late.wait_for("epoch 1: lease lost")
    events = [job["error_log"] for job in client.get("/jobs", stage=STAGE)]
    assert "stopped responding" in str(events[0])


def test_a_bullmq_worker_in_node_serves_the_same_stage(
    postgres_server: PostgresServer, own_redis: RedisServer, example: Path, tmp_path: Path
) -> None:
    settings = {
        "TOWPATH_EXTERNAL_STAGES": STAGE,
        "TOWPATH_EMBEDDER": "fast",
        **SWEEP,
        "TOWPATH_DATABASE": postgres_server.create_migrated(),
        "TOWPATH_QUEUE": "bullmq",
        "TOWPATH_REDIS_URL": own_redis.url,
    }
    script = example / "bullmq-worker.ts"
    with Server(tmp_path / "data", settings=settings) as server:
        client = Client(server.url)
        node = {"TOWPATH_URL": server.url, "TOWPATH_REDIS_URL": own_redis.url, **LEASE}
        with node_worker(script, tmp_path / "a.log", **node, **PAUSE) as killed:
            first = client.upload("letter-1.md", _letter(1))["id"]
            killed.wait_for("claimed")
            killed.kill()
        with node_worker(script, tmp_path / "b.log", **node) as worker:
            more = [client.upload(f"letter-{number}.md", _letter(number))["id"] for number in range(2, 5)]
            _completed(client, first, *more)
            worker.wait_for("epoch 3: done")
        assert own_redis.events(STAGE)["completed"] >= 3
