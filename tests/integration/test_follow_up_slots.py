"""Follow-ups are for nobody's waiting: they stand aside for runs, and all are done in the end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from tests.integration.workshop import BRISK, Workshop, nothing, until
from towpath.model.work import Done, Outcome
from towpath.stages.contract import Context


@dataclass(slots=True)
class Crowd:
    """A follow-up that waits at a gate, and counts who waits there with it."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: set[str] = field(default_factory=set[str])
    done: set[str] = field(default_factory=set[str])
    most: int = 0

    async def connect(self, context: Context) -> Outcome:
        self.waiting.add(context.run_id)
        self.most = max(self.most, len(self.waiting))
        await self.gate.wait()
        self.waiting.discard(context.run_id)
        self.done.add(context.run_id)
        return Done()

    async def meets(self, count: int) -> None:
        async def there() -> bool:
            return len(self.waiting) >= count

        await until(there, f"{count} to wait at the gate")

    async def leave(self, count: int) -> None:
        self.gate.set()

        async def all_done() -> bool:
            return len(self.done) == count

        await until(all_done, "every follow-up to be done")


async def test_follow_ups_take_no_slot_from_runs_and_are_all_done_in_the_end(workshop: Workshop) -> None:
    crowd = Crowd()
    early = [await workshop.submit("publish") for _ in range(6)]
    async with workshop.working(
        {"publish": nothing}, follow_ups={"connect": crowd.connect}, pace=replace(BRISK, concurrency=1)
    ):
        for one in early:
            await workshop.ended(one)
        await crowd.meets(1)
        late = await workshop.submit("publish")
        await workshop.ended(late)
        assert len(crowd.waiting) == 1
        await crowd.leave(7)
    assert crowd.most == 1


async def test_given_runs_in_hand_then_follow_ups_wait_for_a_quiet_moment(workshop: Workshop) -> None:
    crowd, slow = Crowd(), Crowd()
    pace = replace(BRISK, concurrency=4, follow_up_pause=3_600.0)
    long = await workshop.submit("read", "publish")
    async with workshop.working(
        {"read": slow.connect, "publish": nothing}, follow_ups={"connect": crowd.connect}, pace=pace
    ):
        await slow.meets(1)
        for one in [await workshop.submit("publish") for _ in range(3)]:
            await workshop.ended(one)
        assert not crowd.waiting
        slow.gate.set()
        await workshop.ended(long)
        await crowd.meets(1)
        await crowd.leave(4)


async def test_given_runs_without_end_then_follow_ups_have_their_turn_now_and_then(
    workshop: Workshop,
) -> None:
    crowd, slow = Crowd(), Crowd()
    await workshop.submit("read", "publish")
    async with workshop.working(
        {"read": slow.connect, "publish": nothing},
        follow_ups={"connect": crowd.connect},
        pace=replace(BRISK, concurrency=4, follow_up_pause=0.0),
    ):
        await slow.meets(1)
        await workshop.ended(await workshop.submit("publish"))
        await crowd.meets(1)
        slow.gate.set()
        await crowd.leave(2)


async def test_a_worker_for_follow_ups_alone_has_all_its_slots_for_them_and_no_more(
    workshop: Workshop,
) -> None:
    crowd = Crowd()
    stages = {"publish": nothing}
    for_runs = replace(BRISK, stages=("publish",))
    for_follow_ups = replace(BRISK, stages=("connect",), concurrency=2)
    async with workshop.working(stages, follow_ups={"connect": crowd.connect}, pace=for_runs):
        for one in [await workshop.submit("publish") for _ in range(5)]:
            await workshop.ended(one)
    assert not crowd.waiting
    async with workshop.working(stages, follow_ups={"connect": crowd.connect}, pace=for_follow_ups):

        async def full() -> bool:
            return len(crowd.waiting) == 2

        await until(full, "two follow-ups to be worked on")
        await crowd.leave(5)
    assert crowd.most == 2
