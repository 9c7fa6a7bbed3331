"""Gates of providers, as every engine keeps them: closed for all, and shared by those who use them."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from tests.contract.story import Story
from towpath.ledger.contract import Gate, Suspended
from towpath.model.ids import new_id


async def test_a_gate_that_nobody_closed_is_open(story: Story) -> None:
    assert await story.ledger.gate("openai", story.now) == Gate(None, "", 0, 1, story.now)


async def test_a_closed_gate_is_closed_for_everybody_and_for_no_other_provider(story: Story) -> None:
    until = story.now + timedelta(seconds=20)
    await story.ledger.close_gate("openai", until, "slow down", story.now)
    seen = await story.engine.open().gate("openai", story.now)
    assert (seen.closed_until, seen.reason) == (until, "slow down")
    assert (await story.ledger.gate("azure", story.now)).closed_until is None


async def test_of_two_complaints_the_longer_one_holds_with_its_reason(story: Story) -> None:
    soon, late = story.now + timedelta(seconds=5), story.now + timedelta(seconds=300)
    await story.ledger.close_gate("openai", late, "no credit", story.now)
    await story.ledger.close_gate("openai", soon, "slow down", story.now)
    gate = await story.ledger.gate("openai", story.now)
    assert (gate.closed_until, gate.reason) == (late, "no credit")


async def test_a_gate_that_is_opened_again_is_open_for_all_and_those_who_waited_for_it_are_due(
    story: Story,
) -> None:
    await story.ledger.close_gate("openai", story.now + timedelta(seconds=300), "no credit", story.now)
    for content, reason in (("one", "openai: no credit"), ("two", "azure: no credit")):
        await story.submit(content)
        (claimed,) = await story.claim()
        later = story.now + timedelta(seconds=300)
        await story.ledger.settle([Suspended(claimed.lease, later, reason)], story.now)

    story.clock.advance(5)
    await story.ledger.open_gate("openai", story.now, due=story.now + timedelta(seconds=2))

    gate = await story.ledger.gate("openai", story.now)
    assert (gate.closed_until, gate.changed_at) == (story.now, story.now)
    assert await story.claim() == [], "not all workers have heard of it"
    story.clock.advance(2)
    assert len(await story.claim()) == 1, "only the one that waited for it"


async def test_users_know_their_places_and_a_silent_one_is_forgotten(story: Story) -> None:
    anna, boris = sorted([new_id(), new_id()])
    came = story.now
    assert await story.ledger.gate("openai", came, user=anna) == Gate(None, "", 0, 1, came)
    story.clock.advance(5)
    assert await story.ledger.gate("openai", story.now, user=boris) == Gate(None, "", 1, 2, story.now)
    # Anna is seen again and keeps the time she came at
    assert await story.ledger.gate("openai", story.now, user=anna) == Gate(None, "", 0, 2, came)
    story.clock.advance(31)
    alone = await story.ledger.gate("openai", story.now, user=boris)
    assert (alone.place, alone.users, alone.since) == (0, 1, story.now)


async def test_whoever_leaves_gives_the_share_back_at_once(story: Story) -> None:
    anna, boris = sorted([new_id(), new_id()])
    for user in (anna, boris):
        await story.ledger.gate("openai", story.now, user=user)
    await story.ledger.leave_gates(anna)
    assert (await story.ledger.gate("openai", story.now, user=boris)).users == 1


async def test_many_may_come_and_complain_at_once(story: Story) -> None:
    users = [new_id() for _ in range(8)]
    await asyncio.gather(*(story.ledger.gate("openai", story.now, user=user) for user in users))
    until = [story.now + timedelta(seconds=number) for number in range(1, 9)]
    await asyncio.gather(
        *(story.ledger.close_gate("openai", moment, "slow down", story.now) for moment in until)
    )
    gate = await story.ledger.gate("openai", story.now, user=users[0])
    assert (gate.users, gate.closed_until) == (8, until[-1])
