"""Provider throttles apply to all workers, and workers share the limits of a provider."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from tests.contract.ledger_driver import LedgerDriver
from towpath.ledger.contract.settlements import Suspended
from towpath.ledger.contract.throttling import ProviderThrottle
from towpath.model.ids import new_id
from towpath.model.job import WaitingReason

THROTTLED, REFUSED = WaitingReason.PROVIDER_THROTTLED, WaitingReason.PROVIDER_REFUSED
OPERATION = WaitingReason.PROVIDER_OPERATION


async def test_a_provider_is_not_throttled_by_default(driver: LedgerDriver) -> None:
    assert await driver.ledger.provider_throttle("openai", driver.now) == ProviderThrottle(
        None, None, "", 0, 1, driver.now
    )


async def test_a_throttle_applies_to_all_workers_and_one_provider(driver: LedgerDriver) -> None:
    until = driver.now + timedelta(seconds=20)
    await driver.ledger.throttle_provider("openai", until, THROTTLED, "slow down", driver.now)
    seen = await driver.engine.open().provider_throttle("openai", driver.now)
    assert (seen.throttled_until, seen.reason, seen.detail) == (until, THROTTLED, "slow down")
    assert (await driver.ledger.provider_throttle("azure", driver.now)).throttled_until is None


async def test_of_two_throttles_the_longer_one_and_its_reason_are_kept(driver: LedgerDriver) -> None:
    soon, late = driver.now + timedelta(seconds=5), driver.now + timedelta(seconds=300)
    await driver.ledger.throttle_provider("openai", late, REFUSED, "no credit", driver.now)
    await driver.ledger.throttle_provider("openai", soon, THROTTLED, "slow down", driver.now)
    throttle = await driver.ledger.provider_throttle("openai", driver.now)
    assert (throttle.throttled_until, throttle.reason, throttle.detail) == (late, REFUSED, "no credit")


async def test_resuming_a_provider_makes_its_waiting_jobs_due(
    driver: LedgerDriver,
) -> None:
    late = driver.now + timedelta(seconds=300)
    await driver.ledger.throttle_provider("openai", late, REFUSED, "no credit", driver.now)
    for provider, reason in (("openai", REFUSED), ("azure", REFUSED), ("openai", OPERATION)):
        await driver.submit(f"{provider} {reason}")
        (claimed,) = await driver.claim()
        await driver.ledger.settle(
            [Suspended(claimed.lease, late, reason, provider, "no credit")], driver.now
        )

    driver.clock.advance(5)
    await driver.ledger.resume_provider("openai", driver.now, due=driver.now + timedelta(seconds=2))

    throttle = await driver.ledger.provider_throttle("openai", driver.now)
    assert (throttle.throttled_until, throttle.changed_at) == (driver.now, driver.now)
    assert await driver.claim() == [], "the jobs are due after all workers could read the change"
    driver.clock.advance(2)
    assert len(await driver.claim()) == 1, "only the job that waited for this provider is due"


async def test_a_job_suspended_after_its_provider_was_resumed_is_due_soon(driver: LedgerDriver) -> None:
    """The worker decided to suspend before the provider was resumed, and wrote it afterwards."""
    late = driver.now + timedelta(days=1)
    await driver.ledger.throttle_provider("openai", late, THROTTLED, "slow down", driver.now)
    for name in ("openai", "azure"):
        await driver.submit(name)
    leases = [(await driver.claim_one()).lease for _ in range(2)]
    await driver.ledger.resume_provider("openai", driver.now, due=driver.now + timedelta(seconds=2))

    suspensions = [
        Suspended(lease, late, THROTTLED, provider, "slow down")
        for lease, provider in zip(leases, ("openai", "azure"), strict=True)
    ]
    await driver.ledger.settle(suspensions, driver.now)

    driver.clock.advance(3)
    assert [job.lease.job_id for job in await driver.claim()] == [leases[0].job_id]


async def test_a_new_throttle_after_a_resume_is_kept(driver: LedgerDriver) -> None:
    await driver.ledger.throttle_provider("openai", driver.now, THROTTLED, "slow down", driver.now)
    await driver.ledger.resume_provider("openai", driver.now, due=driver.now)
    driver.clock.advance(1)
    late = driver.now + timedelta(seconds=300)
    await driver.ledger.throttle_provider("openai", late, THROTTLED, "slow down", driver.now)
    await driver.submit("openai")
    lease = (await driver.claim_one()).lease
    await driver.ledger.settle([Suspended(lease, late, THROTTLED, "openai", "slow down")], driver.now)
    driver.clock.advance(200)
    assert await driver.claim() == []


async def test_users_get_share_indexes_and_an_unseen_user_is_removed(driver: LedgerDriver) -> None:
    anna, boris = sorted([new_id(), new_id()])
    first_seen = driver.now
    assert await driver.ledger.provider_throttle("openai", first_seen, user=anna) == ProviderThrottle(
        None, None, "", 0, 1, first_seen
    )
    driver.clock.advance(5)
    assert await driver.ledger.provider_throttle("openai", driver.now, user=boris) == ProviderThrottle(
        None, None, "", 1, 2, driver.now
    )
    # Anna is seen again and keeps the time of her first request
    assert await driver.ledger.provider_throttle("openai", driver.now, user=anna) == ProviderThrottle(
        None, None, "", 0, 2, first_seen
    )
    driver.clock.advance(31)
    alone = await driver.ledger.provider_throttle("openai", driver.now, user=boris)
    assert (alone.share_index, alone.share_count, alone.since) == (0, 1, driver.now)


async def test_a_released_share_is_free_at_once(driver: LedgerDriver) -> None:
    anna, boris = sorted([new_id(), new_id()])
    for user in (anna, boris):
        await driver.ledger.provider_throttle("openai", driver.now, user=user)
    await driver.ledger.release_share(anna)
    assert (await driver.ledger.provider_throttle("openai", driver.now, user=boris)).share_count == 1


async def test_concurrent_throttles_and_users_are_stored(driver: LedgerDriver) -> None:
    users = [new_id() for _ in range(8)]
    await asyncio.gather(
        *(driver.ledger.provider_throttle("openai", driver.now, user=user) for user in users)
    )
    until = [driver.now + timedelta(seconds=number) for number in range(1, 9)]
    await asyncio.gather(
        *(
            driver.ledger.throttle_provider("openai", moment, THROTTLED, "slow down", driver.now)
            for moment in until
        )
    )
    throttle = await driver.ledger.provider_throttle("openai", driver.now, user=users[0])
    assert (throttle.share_count, throttle.throttled_until) == (8, until[-1])
