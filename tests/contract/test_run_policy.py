"""I13: the policy of a run is fixed at its creation; the settings of a worker do not change it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.contract.ledger_driver import LedgerDriver
from tests.support.factories import a_plan
from towpath.ledger.contract.ledger import RunPlan, WorkerInfo
from towpath.model.job import JobStatus
from towpath.model.run import FailureType, RunState
from towpath.model.run_policy import RunPolicy, read_policy
from towpath.queries.documents import SqlDocumentQueries
from towpath.queries.setting_differences import setting_differences
from towpath.worker.executor import RetryPolicy


def _plan(policy: RunPolicy) -> RunPlan:
    return replace(a_plan(), policy=policy.to_json())


async def test_every_claim_brings_the_policy_of_the_run(driver: LedgerDriver) -> None:
    policy = RunPolicy(max_attempts=2, backoff="fixed", patience_by_provider={"openai": 60.0})
    submitted = await driver.submit("letter", plan=_plan(policy))
    job = await driver.claim_one()
    assert read_policy(job.policy, RunPolicy()) == policy

    # A reprocess reads the settings again; a retry keeps the stored policy.
    await driver.fail(job.lease, final=True)
    assert submitted.run_id is not None
    failed = await driver.last_job(submitted.run_id)
    await driver.ledger.retry(failed.id, driver.now, org_id=job.org_id)
    retried = await driver.claim_one()
    assert (retried.run_id != job.run_id, retried.policy) == (True, job.policy)
    await driver.finish(retried.lease)
    await driver.reprocess(submitted.document_id, _plan(RunPolicy(max_attempts=7)))
    assert (await driver.claim_one()).policy["max_attempts"] == 7


def test_a_worker_applies_the_policy_of_the_run() -> None:
    own = RetryPolicy(max_attempts=9, backoff_scale=0.5)
    run_policy = RunPolicy(max_attempts=2, backoff="fixed", provider_patience_seconds=60.0)
    applied = own.of_run(run_policy.to_json())
    assert (applied.max_attempts, applied.fixed_backoff, applied.backoff_scale) == (2, True, 1.0)
    assert applied.patience.of("openai") == 60.0
    assert own.of_run({}) is own


@pytest.mark.parametrize("recovery", ["resume", "fail"])
async def test_recovery_of_the_run_decides_after_a_lost_worker(driver: LedgerDriver, recovery: str) -> None:
    run_id = await driver.submitted_run("letter", plan=_plan(RunPolicy(recovery=recovery)))
    job = await driver.claim_one()
    await driver.rescue()

    run, [stored] = await driver.run(run_id), await driver.jobs(run_id)
    if recovery == "resume":
        assert (run.state, stored.status) == (RunState.RUNNING, JobStatus.PENDING)
        return
    assert (run.state, run.failure_type) == (RunState.FAILED, FailureType.PROCESS_TERMINATED)
    assert (stored.status, stored.lease_epoch) == (JobStatus.FAILED, job.lease.epoch + 1)
    assert run.ended_at == driver.now
    assert [str(event.kind) for event in (await driver.events(run_id))[-2:]] == [
        "LEASE_EXPIRED",
        "RUN_FAILED",
    ]
    assert await driver.claim() == []


@pytest.mark.parametrize("recovery", ["resume", "fail"])
async def test_recovery_of_the_run_decides_at_the_start_of_a_server(
    driver: LedgerDriver, recovery: str
) -> None:
    submitted = await driver.submit("letter", plan=_plan(RunPolicy(recovery=recovery)))
    await driver.claim_one()
    # The settings of the starting server say the opposite.
    await driver.ledger.recover(driver.now, resume_runs=recovery == "fail")
    expected = ["FAILED", "QUEUED"] if recovery == "resume" else ["FAILED"]
    assert await driver.states(submitted.document_id) == expected


async def test_settings_that_differ_between_processes_are_found(driver: LedgerDriver) -> None:
    settings = {"max_attempts": 5, "lease_seconds": 30.0}
    for name, attempts in (("anna", 5), ("boris", 2)):
        info = WorkerInfo(name, "quay", 7, 8, (), driver.now, {**settings, "max_attempts": attempts})
        await driver.ledger.register_worker(info, driver.now)
    overview = await SqlDocumentQueries(driver.database, {}).overview(None, driver.now + timedelta(seconds=1))
    [difference] = setting_differences({**settings, "embedder": "fast"}, overview.workers)
    assert str(difference) == "max_attempts is 5 here and 2 in worker boris."
