"""The worker registry: idle and busy workers, and removal of dead ones."""

from __future__ import annotations

from typing import Any

from tests.contract.ledger_driver import LedgerDriver
from towpath.ledger.contract.ledger import WorkerInfo
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import Progress, ProgressUnit
from towpath.queries.documents import SqlDocumentQueries


async def _register(driver: LedgerDriver, name: str, stages: tuple[str, ...] = ()) -> None:
    await driver.ledger.register_worker(WorkerInfo(name, "quay", 7, 8, stages, driver.now), driver.now)


async def _workers(driver: LedgerDriver) -> list[dict[str, Any]]:
    seen = await SqlDocumentQueries(driver.database, {}).overview(DEFAULT_ORG_ID, driver.now)
    return [dict(worker) for worker in seen.workers]


async def test_an_idle_worker_is_listed(driver: LedgerDriver) -> None:
    registered_at = driver.now
    await _register(driver, "anna", ("embed", "connect"))
    driver.clock.advance(30)
    await _register(driver, "anna", ("embed", "connect"))
    assert await _workers(driver) == [
        {
            "worker": "anna",
            "host": "quay",
            "pid": 7,
            "slots": 8,
            "stages": ["embed", "connect"],
            "settings": {},
            "started_at": registered_at,
            "seen_at": driver.now,
            "jobs": [],
        }
    ]


async def test_a_busy_worker_is_listed_with_job_start_and_progress(driver: LedgerDriver) -> None:
    await _register(driver, "anna")
    await _register(driver, "boris")
    sent = await driver.submit("A bill.")
    job = await driver.claim_one("anna")
    claimed_at = driver.now
    driver.clock.advance(12)
    await driver.ledger.progress(job.lease, Progress(3, 20, ProgressUnit.PAGE), driver.now)
    anna, boris = await _workers(driver)
    assert (anna["worker"], anna["seen_at"]) == ("anna", driver.now), "progress updates seen_at"
    (held,) = anna["jobs"]
    assert held.pop("document_name")
    assert held == {
        "document_id": sent.document_id,
        "stage": job.stage,
        "since": claimed_at,
        "progress": {"done": 3, "total": 20, "unit": "page"},
    }
    assert boris["jobs"] == []


async def test_a_worker_unseen_for_two_minutes_is_removed(driver: LedgerDriver) -> None:
    await _register(driver, "anna")
    driver.clock.advance(119)
    assert len(await _workers(driver)) == 1
    driver.clock.advance(2)
    assert await _workers(driver) == []
    await _register(driver, "boris")
    assert [row.id for row in driver.sql("select id from workers")] == ["boris"]


async def test_a_deregistered_worker_is_removed_at_once(driver: LedgerDriver) -> None:
    await _register(driver, "anna")
    await _register(driver, "boris")
    await driver.ledger.deregister_worker("anna")
    assert [worker["worker"] for worker in await _workers(driver)] == ["boris"]


async def test_an_unregistered_worker_with_a_job_is_listed(driver: LedgerDriver) -> None:
    await driver.submit()
    await driver.claim_one("carl")
    (carl,) = await _workers(driver)
    assert (carl["worker"], carl["seen_at"], len(carl["jobs"])) == ("carl", driver.now, 1)


async def test_recovery_removes_the_workers_of_the_crashed_server(
    driver: LedgerDriver,
) -> None:
    await _register(driver, "anna")
    await driver.ledger.recover(driver.now)
    assert await _workers(driver) == []
