"""The overview for operators: provider waits, and runs created and ended per minute."""

from __future__ import annotations

from tests.contract.ledger_driver import LedgerDriver
from tests.support.factories import a_call
from towpath.ledger.contract.provider_calls import CallAnswer
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.queries.documents import SqlDocumentQueries

CALL = a_call()


def _queries(driver: LedgerDriver) -> SqlDocumentQueries:
    return SqlDocumentQueries(driver.database, {})


async def test_a_throttled_call_is_shown_with_its_provider_and_retry_time(
    driver: LedgerDriver,
) -> None:
    # Given a provider that answered 429 to a call
    await driver.submit()
    job = await driver.claim_one()
    await driver.ledger.begin_call(job.lease, CALL, driver.now)
    await driver.ledger.fail_call(job.lease, CALL.key, "429 Too Many Requests")
    await driver.suspend(job.lease, wait=60)
    # Then the overview shows the provider, the retry time and the number of waiting jobs
    (provider,) = (await _queries(driver).overview(DEFAULT_ORG_ID, driver.now)).providers
    assert (provider["provider"], provider["waiting_jobs"], provider["waiting_until"]) == (
        "openai",
        1,
        driver.later(60),
    )
    # And after the retry time no provider is shown as busy
    (provider,) = (await _queries(driver).overview(DEFAULT_ORG_ID, driver.later(61))).providers
    assert (provider["waiting_jobs"], provider["waiting_until"]) == (0, None)


async def test_a_wait_after_an_answered_call_is_not_attributed_to_the_provider(
    driver: LedgerDriver,
) -> None:
    await driver.submit()
    job = await driver.claim_one()
    await driver.ledger.begin_call(job.lease, CALL, driver.now)
    await driver.ledger.save_answer(job.lease, CALL.key, CallAnswer({}, None, {}, 0.5), driver.now)
    await driver.suspend(job.lease, wait=60)
    (provider,) = (await _queries(driver).overview(DEFAULT_ORG_ID, driver.now)).providers
    assert (provider["made"], provider["waiting_jobs"], provider["waiting_until"]) == (1, 0, None)


async def test_runs_are_counted_in_the_minutes_of_their_creation_and_end(driver: LedgerDriver) -> None:
    await driver.submit()
    await driver.submit()
    await driver.fail((await driver.claim_one()).lease, final=True)
    bars = (await _queries(driver).overview(DEFAULT_ORG_ID, driver.now)).throughput
    assert len(bars) == 60
    assert (bars[-1]["queued"], bars[-1]["completed"], bars[-1]["failed"]) == (2, 0, 1)
    assert all(bar["queued"] == 0 for bar in bars[:-1])
