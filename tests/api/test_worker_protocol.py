"""The protocol for workers over HTTP, on both engines: a stage of a real pipeline is served by requests only."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import ApiClient, open_api_client
from tests.support.databases import PostgresServer
from tests.support.timeouts import async_wait_until
from towpath.access.contract import NewKey, Scope
from towpath.clock import SystemClock

LETTER = b"# A letter\n\nThe invoice of the bakery is due on 4 May.\n"
STAGE = "save_markdown"


@pytest.fixture(params=["sqlite", "postgres"])
async def client(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_server: PostgresServer
) -> AsyncIterator[ApiClient]:
    # A sweep finds expired leases at least every `lease_seconds`.
    settings: dict[str, Any] = {"lease_seconds": 2.0, "heartbeat_seconds": 0.5}
    if request.param == "postgres":
        settings["database"] = postgres_server.create_migrated()
    async with open_api_client(
        tmp_path / "data", in_threads=True, external_stages=(STAGE,), max_attempts=2, **settings
    ) as client:
        yield client


async def _claim(client: ApiClient, *, headers: Any = None, **body: Any) -> list[Any]:
    given = {"worker": "node-1", "stages": [STAGE], "lease_seconds": 600, **body}
    return await client.post("/worker/claim", json=given, headers=headers)


async def _claimed(client: ApiClient, **body: Any) -> Any:
    """Upload a letter and claim its job."""
    await client.upload("letter.md", LETTER)

    async def due() -> list[Any]:
        return await _claim(client, **body)

    return (await async_wait_until(due, "the job to be due"))[0]


async def _save(client: ApiClient, job: Any) -> Any:
    """Do what the stage save_markdown does: store the text that `extract` found as content.md."""
    lease = {"epoch": job["epoch"]}
    text = await client.http.get(
        f"/worker/{job['job']}/artifacts", params={**lease, "key": job["results"]["extract"]["markdown"]}
    )
    assert text.status_code == 200, text.text
    stored = await client.post(
        f"/worker/{job['job']}/artifacts",
        params={**lease, "kind": "content", "suffix": "md", "media_type": "text/markdown"},
        content=text.content,
    )
    return await client.post(
        f"/worker/{job['job']}/settle",
        json={
            **lease,
            "outcome": "done",
            "result": {"markdown": stored["key"], "bytes": stored["size"]},
        },
    )


def _is_lost(answer: Any) -> bool:
    return answer.status_code == 409 and answer.json()["type"] == "urn:towpath:lease-lost"


async def test_a_stage_of_the_document_pipeline_is_served_over_http(client: ApiClient) -> None:
    job = await _claimed(client)
    assert (job["stage"], job["payload"]["stage"], job["epoch"]) == (STAGE, STAGE, 1)
    assert job["document"]["name"] == "letter.md"
    original = await client.http.get(
        f"/worker/{job['job']}/artifacts", params={"epoch": 1, "key": job["document"]["key"]}
    )
    assert original.content == LETTER
    beat = await client.post(f"/worker/{job['job']}/heartbeat", json={"epoch": 1, "lease_seconds": 900})
    assert beat["lease_until"] > job["lease_until"]
    progress = {"epoch": 1, "done": 1, "total": 2, "unit": "page"}
    assert (await client.http.post(f"/worker/{job['job']}/progress", json=progress)).status_code == 204
    assert await _save(client, job) == {"job": job["job"], "status": "COMPLETED"}
    status = await client.wait_until_finished(job["payload"]["document"])
    assert status["status"] == "COMPLETED"
    found = await client.get("/search", q="bakery")
    assert found["hits"][0]["document_id"] == job["payload"]["document"]


async def test_a_settlement_is_acknowledged_again_and_a_different_one_is_refused(client: ApiClient) -> None:
    job = await _claimed(client)
    first = await _save(client, job)
    body: dict[str, Any] = {"epoch": job["epoch"], "outcome": "done", "result": {}}
    assert await client.post(f"/worker/{job['job']}/settle", json=body) == first
    other = {"epoch": job["epoch"], "outcome": "release"}
    assert _is_lost(await client.http.post(f"/worker/{job['job']}/settle", json=other))


async def test_a_late_worker_gets_lease_lost_for_every_request_and_changes_nothing(client: ApiClient) -> None:
    old = await _claimed(client, lease_seconds=1)

    async def rescued() -> list[Any]:
        return await _claim(client, worker="node-2")

    (new,) = await async_wait_until(rescued, "the job to be rescued")
    assert (new["job"], new["epoch"]) == (old["job"], old["epoch"] + 2)
    path, lease = f"/worker/{old['job']}", {"epoch": old["epoch"]}
    call = {"action": "begin", "provider": "acme", "model": "m", "input_hash": "x"}
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("heartbeat", {}),
        ("progress", {"done": 1, "total": 2, "unit": "page"}),
        ("calls", call),
        ("calls", {"action": "answer", "key": "0" * 64, "body": ""}),
        ("calls", {"action": "operation", "key": "0" * 64, "operation_id": "x"}),
        *(
            ("settle", body)
            for body in (
                {"outcome": "done", "result": {"markdown": "wrong"}},
                {"outcome": "release"},
                {"outcome": "fail", "error": "wrong"},
                {"outcome": "reject", "reason": "wrong"},
                {"outcome": "suspend", "seconds": 600, "reason": "storage"},
            )
        ),
    ]
    for name, body in bodies:
        answer = await client.http.post(f"{path}/{name}", json={**lease, **body})
        assert _is_lost(answer), (name, body, answer.text)
    written = await client.http.post(
        f"{path}/artifacts", params={**lease, "kind": "content", "suffix": "md"}, content=b"late"
    )
    assert _is_lost(written)
    read = await client.http.get(
        f"{path}/artifacts", params={**lease, "key": old["results"]["extract"]["markdown"]}
    )
    assert _is_lost(read)
    await _save(client, new)
    status = await client.wait_until_finished(new["payload"]["document"])
    assert status["status"] == "COMPLETED"
    content = await client.http.get(f"/documents/{new['payload']['document']}/content")
    assert "bakery" in content.text


async def test_a_paid_call_is_made_once_over_lost_workers_and_documents(client: ApiClient) -> None:
    begin = {
        "action": "begin",
        "provider": "acme",
        "model": "m-1",
        "input_hash": "abc",
        "parameters": {"t": "0"},
    }
    job = await _claimed(client, lease_seconds=1)

    async def calls(held: Any, **body: Any) -> Any:
        return await client.post(f"/worker/{held['job']}/calls", json={"epoch": held["epoch"], **body})

    made = await calls(job, **begin)
    assert (made["state"], made["repeated"]) == ("make", False)
    await calls(job, action="operation", key=made["key"], operation_id="op-7")

    async def rescued() -> list[Any]:
        return await _claim(client, worker="node-2")

    (job,) = await async_wait_until(rescued, "the job to be rescued")
    running = await calls(job, **begin)
    assert (running["state"], running["operation_id"], running["key"]) == ("running", "op-7", made["key"])
    body = base64.b64encode(b"a paid answer").decode()
    saved = await calls(job, action="answer", key=made["key"], body=body, units={"pages": 2}, cost=0.5)
    assert saved["state"] == "saved"
    await _save(client, job)
    await client.wait_until_finished(job["payload"]["document"])
    costs = await client.get(f"/documents/{job['payload']['document']}/costs")
    assert costs["cost"] == 0.5

    await client.upload("other.md", LETTER + b"Another one.\n")

    async def due() -> list[Any]:
        return await _claim(client)

    (other,) = await async_wait_until(due, "the other job to be due")
    cached = await calls(other, **begin)
    assert (cached["state"], base64.b64decode(cached["body"])) == ("answered", b"a paid answer")


async def test_a_throttled_provider_is_not_called_by_other_workers(client: ApiClient) -> None:
    job = await _claimed(client)
    path, lease = f"/worker/{job['job']}", {"epoch": job["epoch"]}
    begin = {**lease, "action": "begin", "provider": "acme", "model": "m", "input_hash": "1"}
    made = await client.post(f"{path}/calls", json=begin)
    failed = {
        **lease,
        "action": "failed",
        "key": made["key"],
        "error": "429 Too Many Requests",
        "provider": "acme",
        "throttled": True,
        "retry_after": 600,
    }
    waits = await client.post(f"{path}/calls", json=failed)
    assert (waits["state"], waits["reason"]) == ("wait", "provider_throttled")
    again = await client.post(f"{path}/calls", json={**begin, "input_hash": "2"})
    assert (again["state"], again["reason"]) == ("wait", "provider_throttled")
    suspend = {
        **lease,
        "outcome": "suspend",
        "seconds": 600,
        "reason": "provider_throttled",
        "provider": "acme",
        "arguments": {"page": 3},
    }
    assert (await client.post(f"{path}/settle", json=suspend))["status"] == "PENDING"
    status = await client.get(f"/documents/{job['payload']['document']}/status")
    assert (status["waiting_reason"], status["waiting_provider"]) == ("provider_throttled", "acme")
    (stored,) = [item for item in await client.get("/jobs", stage=STAGE) if item["id"] == job["job"]]
    assert (stored["attempts"], stored["payload"]["arguments"]["page"]) == (0, 3)


async def test_a_worker_cannot_throttle_a_provider_for_days(client: ApiClient) -> None:
    """All organizations wait for a throttled provider."""
    job = await _claimed(client)
    path, lease = f"/worker/{job['job']}", {"epoch": job["epoch"]}
    begin = {**lease, "action": "begin", "provider": "acme", "model": "m", "input_hash": "1"}
    made = await client.post(f"{path}/calls", json=begin)
    week = {"error": "429", "provider": "acme", "throttled": True, "retry_after": 7 * 86_400}
    waits = await client.post(f"{path}/calls", json={**lease, "action": "failed", "key": made["key"], **week})
    assert datetime.fromisoformat(waits["until"]) <= SystemClock().now() + timedelta(minutes=10)


async def test_failed_attempts_are_retried_and_then_fail_the_run(client: ApiClient) -> None:
    job = await _claimed(client)
    fail = {"epoch": job["epoch"], "outcome": "fail", "error": "the parser broke"}
    assert (await client.post(f"/worker/{job['job']}/settle", json=fail))["status"] == "PENDING"

    async def due() -> list[Any]:
        return await _claim(client)

    (again,) = await async_wait_until(due, "the second attempt")
    assert again["attempts"] == 1
    last = await client.post(f"/worker/{again['job']}/settle", json={**fail, "epoch": again["epoch"]})
    assert last["status"] == "FAILED"
    status = await client.wait_until_finished(job["payload"]["document"])
    assert status["status"] == "FAILED"
    assert "the parser broke" in status["error"]


async def test_a_job_that_ends_its_workers_again_and_again_is_quarantined(client: ApiClient) -> None:
    job = await _claimed(client, lease_seconds=1)
    document = job["payload"]["document"]

    async def ended() -> Any:
        await _claim(client, lease_seconds=1)
        status = await client.get(f"/documents/{document}/status")
        return status if status["status"] == "FAILED" else None

    status = await async_wait_until(ended, "the run to fail")
    assert status["run"]["failure_type"] == "QUARANTINED"
    assert "stopped responding 5 times" in status["error"]


async def test_a_key_is_limited_to_its_stages_and_organization(client: ApiClient) -> None:
    async def headers(organization: str, *scopes: Scope, stages: frozenset[str] | None) -> dict[str, str]:
        key = NewKey("worker", scopes, stages=stages)
        _, secret = await client.runtime.services.keys.create(organization, key, SystemClock().now())
        return {"Authorization": f"Bearer {secret}"}

    job = await _claimed(client)
    other = await headers("other", Scope.WORKER, stages=None)
    assert await _claim(client, headers=other) == []
    assert await _claim(client, headers=other, job_ids=[job["job"]]) == []
    settle = {"epoch": job["epoch"], "outcome": "release"}
    path = f"/worker/{job['job']}"
    assert (await client.http.post(f"{path}/settle", json=settle, headers=other)).status_code == 404
    wrong_stage = await headers("home", Scope.WORKER, stages=frozenset({"extract"}))
    claim = {"worker": "w", "stages": [STAGE]}
    refused = await client.http.post("/worker/claim", json=claim, headers=wrong_stage)
    assert (refused.status_code, refused.json()["type"]) == (403, "urn:towpath:stage-forbidden")
    assert (await client.http.post("/worker/claim", json=claim, headers=other)).status_code == 200
    reader = await headers("home", Scope.READ, Scope.WRITE, stages=None)
    assert (await client.http.post("/worker/claim", json=claim, headers=reader)).status_code == 403
    publish = await client.http.post("/worker/claim", json={"worker": "w", "stages": ["publish"]})
    assert publish.json()["type"] == "urn:towpath:stage-forbidden"


async def test_only_inputs_of_the_job_are_readable(client: ApiClient) -> None:
    first = await _claimed(client)
    await client.upload("other.md", LETTER + b"Another one.\n")

    async def due() -> list[Any]:
        return await _claim(client)

    (second,) = await async_wait_until(due, "the other job to be due")
    for key in (second["document"]["key"], second["results"]["extract"]["markdown"], "../towpath.db"):
        answer = await client.http.get(
            f"/worker/{first['job']}/artifacts", params={"epoch": first["epoch"], "key": key}
        )
        assert answer.status_code == 404, key


async def test_a_result_names_no_blob_of_another_document_or_organization(client: ApiClient) -> None:
    """Later stages read the blobs that a result names, so it would show them to the organization of the worker."""
    job = await _claimed(client)
    await client.upload("other.md", LETTER + b"Another one.\n")

    async def due() -> list[Any]:
        return await _claim(client)

    (other,) = await async_wait_until(due, "the other job to be due")
    original, text = other["document"]["key"], other["results"]["extract"]["markdown"]
    organization = text.split("/")[1]
    foreign = text.replace(organization, "01a1eafd-bd40-7749-a6e8-a3499756e3af")
    for key in (original, text, foreign):
        for named in ({"markdown": key}, {"towpath": {"markdown": key}}, {"parts": [{"x": key}]}):
            for outcome in (
                {"outcome": "done", "result": named},
                {"outcome": "suspend", "seconds": 1, "reason": "provider_operation", "arguments": named},
            ):
                answer = await client.http.post(
                    f"/worker/{job['job']}/settle", json={"epoch": job["epoch"], **outcome}
                )
                assert answer.status_code == 404, (key, outcome, answer.text)
    # Keys of the job itself, and other texts, are allowed.
    assert (await _save(client, job))["status"] == "COMPLETED"


@pytest.mark.parametrize(
    "result", ['{"x": NaN}', '{"x": "\\u0000"}', '{"x": "\\ud800"}', '{"x": "%s"}' % ("a" * 70_000)]
)
async def test_a_result_that_cannot_be_stored_is_refused(client: ApiClient, result: str) -> None:
    job = await _claimed(client)
    body = f'{{"epoch": {job["epoch"]}, "outcome": "done", "result": {result}}}'
    answer = await client.http.post(
        f"/worker/{job['job']}/settle", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422, answer.text
    assert (await _save(client, job))["status"] == "COMPLETED"
