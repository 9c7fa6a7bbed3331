"""Set-ups that reach every state of jobs and runs by verbs, and an attempt of each verb."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from tests.contract.ledger_driver import LEASE_SECONDS, LedgerDriver
from tests.support.factories import a_document, a_plan
from towpath.errors import LeaseLost
from towpath.ledger.contract.ledger import Submission
from towpath.ledger.contract.settlements import Advance, Fail, Finish, Release, Settled, Settlement, Suspended
from towpath.lifecycle.transitions import Verb
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import Lease, Progress, ProgressUnit, WaitingReason

DEADLINE_SECONDS = 10_000.0
ONE_DOCUMENT = a_document("the document under test")
PLAN = a_plan(max_attempts=2, deadline_seconds=DEADLINE_SECONDS)


@dataclass(frozen=True, slots=True)
class Subject:
    """The job under test, its run, and the last lease on it."""

    run_id: str
    document_id: str
    lease: Lease
    follow_up: bool = False
    behind_another_run: bool = False


async def _submitted(driver: LedgerDriver) -> Subject:
    submitted = await driver.ledger.submit(Submission(ONE_DOCUMENT, PLAN), driver.now)
    assert submitted.run_id is not None
    job = await driver.last_job(submitted.run_id)
    # This lease was never granted.
    guessed = Lease(job.id, 1, "anna", driver.later(LEASE_SECONDS))
    return Subject(submitted.run_id, submitted.document_id, guessed)


async def _behind_another_run(driver: LedgerDriver) -> Subject:
    claimed = await _claimed(driver)
    run_id = await driver.reprocess(claimed.document_id, PLAN)
    job = await driver.last_job(run_id)
    return Subject(
        run_id, claimed.document_id, replace(claimed.lease, job_id=job.id), behind_another_run=True
    )


async def _claimed(driver: LedgerDriver) -> Subject:
    subject = await _submitted(driver)
    return replace(subject, lease=(await driver.claim_one()).lease)


async def _claimed_for_the_last_time(driver: LedgerDriver) -> Subject:
    subject = await _failed_once(driver)
    return replace(subject, lease=(await driver.claim_one()).lease)


async def _kept_by_advance(driver: LedgerDriver) -> Subject:
    subject = await _claimed(driver)
    next_lease = (await driver.advance(subject.lease)).next
    assert next_lease is not None
    return replace(subject, lease=next_lease)


async def _follow_up(driver: LedgerDriver) -> Subject:
    subject = await _claimed(driver)
    await driver.finish(subject.lease, follow_ups=("connect",))
    job = await driver.last_job(subject.run_id)
    return replace(subject, lease=replace(subject.lease, job_id=job.id), follow_up=True)


async def _claimed_follow_up(driver: LedgerDriver) -> Subject:
    subject = await _follow_up(driver)
    return replace(subject, lease=(await driver.claim_one()).lease)


def _after(
    reach: Callable[[LedgerDriver], Awaitable[Subject]],
    *actions: Callable[[LedgerDriver, Subject], Awaitable[object]],
) -> Callable[[LedgerDriver], Awaitable[Subject]]:
    async def set_up(driver: LedgerDriver) -> Subject:
        subject = await reach(driver)
        for action in actions:
            await action(driver, subject)
        return subject

    return set_up


def _is_suspended(driver: LedgerDriver, subject: Subject) -> Awaitable[object]:
    return driver.suspend(subject.lease)


def _is_released(driver: LedgerDriver, subject: Subject) -> Awaitable[object]:
    return driver.release(subject.lease)


def _fails(driver: LedgerDriver, subject: Subject) -> Awaitable[object]:
    return driver.fail(subject.lease)


def _is_rejected(driver: LedgerDriver, subject: Subject) -> Awaitable[object]:
    return driver.fail(subject.lease, final=True)


def _is_rescued(driver: LedgerDriver, _subject: Subject) -> Awaitable[object]:
    return driver.rescue()


def _is_quarantined(driver: LedgerDriver, subject: Subject) -> Awaitable[object]:
    return driver.crash(subject.lease, max_crashes=1)


def _is_recovered(driver: LedgerDriver, _subject: Subject) -> Awaitable[object]:
    return driver.ledger.recover(driver.now, resume_runs=False)


def _advances(driver: LedgerDriver, subject: Subject) -> Awaitable[object]:
    return driver.advance(subject.lease, keep=False)


def _finishes(driver: LedgerDriver, subject: Subject) -> Awaitable[object]:
    return driver.finish(subject.lease)


def _is_cancelled(driver: LedgerDriver, subject: Subject) -> Awaitable[object]:
    return driver.ledger.cancel(subject.run_id, driver.now, org_id=DEFAULT_ORG_ID)


def _times_out(driver: LedgerDriver, _subject: Subject) -> Awaitable[object]:
    driver.clock.advance(DEADLINE_SECONDS + 1)
    return driver.ledger.sweep(driver.now)


_failed_once = _after(_claimed, _fails)

#: name -> set-up. Together they reach every status and every state.
SET_UPS: dict[str, Callable[[LedgerDriver], Awaitable[Subject]]] = {
    "just submitted": _submitted,
    "queued behind another run": _behind_another_run,
    "suspended": _after(_claimed, _is_suspended),
    "released": _after(_claimed, _is_released),
    "failed once": _failed_once,
    "rescued": _after(_claimed, _is_rescued),
    "waiting follow-up": _follow_up,
    "claimed": _claimed,
    "claimed for the last time": _claimed_for_the_last_time,
    "kept by advance": _kept_by_advance,
    "claimed follow-up": _claimed_follow_up,
    "advanced": _after(_claimed, _advances),
    "finished": _after(_claimed, _finishes),
    "out of attempts": _after(_claimed_for_the_last_time, _fails),
    "rejected": _after(_claimed, _is_rejected),
    "quarantined": _after(_claimed, _is_quarantined),
    "orphaned": _after(_claimed, _is_recovered),
    "failed follow-up": _after(_claimed_follow_up, _is_rejected),
    "cancelled while queued": _after(_submitted, _is_cancelled),
    "cancelled while worked": _after(_claimed, _is_cancelled),
    "timed out": _after(_claimed, _times_out),
}


def _settlement(driver: LedgerDriver, lease: Lease, verb: Verb) -> Settlement | None:
    settlements: dict[Verb, Settlement] = {
        Verb.ADVANCE: Advance(lease, "chunk", 5),
        Verb.FINISH: Finish(lease),
        Verb.FAIL: Fail(lease, "it broke", driver.now),
        Verb.REJECT: Fail(lease, "it can never work", driver.now, final=True),
        Verb.SUSPEND: Suspended(lease, driver.later(60), WaitingReason.PROVIDER_OPERATION),
        Verb.RELEASE: Release(lease),
    }
    return settlements.get(verb)


async def attempt(driver: LedgerDriver, subject: Subject, verb: Verb) -> Settled | LeaseLost | None:
    """Try the verb after its preconditions are met: jobs are due, leases expire, deadlines pass."""
    if settlement := _settlement(driver, subject.lease, verb):
        return await driver.try_settle(settlement)
    match verb:
        case Verb.SUBMIT:
            await driver.ledger.submit(Submission(ONE_DOCUMENT, PLAN), driver.now)
        case Verb.CLAIM:
            driver.clock.advance(120)
            await driver.claim("boris")
        case Verb.HEARTBEAT:
            if not driver.ledger.heartbeat([subject.lease], LEASE_SECONDS, driver.now):
                return LeaseLost("The heartbeat renewed no lease.")
        case Verb.PROGRESS:
            await driver.ledger.progress(subject.lease, Progress(1, 2, ProgressUnit.PAGE), driver.now)
        case Verb.RESCUE:
            await driver.rescue()
        case Verb.RECOVER:
            await driver.ledger.recover(driver.now, resume_runs=False)
        case Verb.TIME_OUT:
            driver.clock.advance(DEADLINE_SECONDS + 1)
            driver.ledger.heartbeat([subject.lease], LEASE_SECONDS, driver.now)
            await driver.ledger.sweep(driver.now)
        case Verb.CANCEL:
            await driver.ledger.cancel(subject.run_id, driver.now, org_id=DEFAULT_ORG_ID)
        case Verb.RETRY:
            await driver.ledger.retry(subject.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)
        case _:
            raise NotImplementedError(verb)
    return None
