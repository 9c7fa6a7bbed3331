"""What operators see of the whole: who keeps whom waiting, and what came and ended when."""

from __future__ import annotations

from tests.contract.story import Story
from tests.support.factories import a_call
from towpath.catalogue.sql import SqlCatalogue
from towpath.ledger.contract import CallAnswer
from towpath.model.ids import HOME_ORG

CALL = a_call()


def _catalogue(story: Story) -> SqlCatalogue:
    return SqlCatalogue(story.database, {})


async def test_given_a_throttled_call_then_its_provider_is_busy_until_the_next_try(story: Story) -> None:
    # Given a provider that turned a call away
    await story.submit()
    job = await story.claim_one()
    await story.ledger.call_begin(job.lease, CALL, story.now)
    await story.ledger.call_failed(job.lease, CALL.key, "429 Too Many Requests")
    await story.suspend(job.lease, wait=60)
    # Then it is said who is busy, until when, and how many wait
    (provider,) = (await _catalogue(story).overview(HOME_ORG, story.now)).providers
    assert (provider["provider"], provider["waiting"], provider["busy_until"]) == (
        "openai",
        1,
        story.later(60),
    )
    # And when the time has come nobody is busy any more
    (provider,) = (await _catalogue(story).overview(HOME_ORG, story.later(61))).providers
    assert (provider["waiting"], provider["busy_until"]) == (0, None)


async def test_given_an_answered_call_then_a_wait_for_something_else_is_not_its_providers(
    story: Story,
) -> None:
    await story.submit()
    job = await story.claim_one()
    await story.ledger.call_begin(job.lease, CALL, story.now)
    await story.ledger.call_answer(job.lease, CALL.key, CallAnswer({}, None, {}, 0.5), story.now)
    await story.suspend(job.lease, wait=60)
    (provider,) = (await _catalogue(story).overview(HOME_ORG, story.now)).providers
    assert (provider["made"], provider["waiting"], provider["busy_until"]) == (1, 0, None)


async def test_runs_are_counted_in_the_minute_in_which_they_came_and_ended(story: Story) -> None:
    await story.submit()
    await story.submit()
    await story.fail((await story.claim_one()).lease, final=True)
    bars = (await _catalogue(story).overview(HOME_ORG, story.now)).throughput
    assert len(bars) == 60
    assert (bars[-1]["queued"], bars[-1]["completed"], bars[-1]["failed"]) == (2, 0, 1)
    assert all(bar["queued"] == 0 for bar in bars[:-1])
