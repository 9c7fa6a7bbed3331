"""Follow-ups use no slots of runs, pause while runs are active, and are all done in the end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from tests.integration.worker_harness import FAST_WORKER, WorkerHarness, do_nothing
from tests.support.timeouts import async_wait_until
from towpath.model.outcome import Done, Outcome
from towpath.stages.contract import Context


@dataclass(slots=True)
class BlockingStage:
    """A stage that waits until the test releases it, and counts the waiting jobs."""

    release: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: set[str] = field(default_factory=set[str])
    done: set[str] = field(default_factory=set[str])
    max_waiting: int = 0

    async def connect(self, context: Context) -> Outcome:
        self.waiting.add(context.run_id)
        self.max_waiting = max(self.max_waiting, len(self.waiting))
        await self.release.wait()
        self.waiting.discard(context.run_id)
        self.done.add(context.run_id)
        return Done()

    async def wait_for(self, count: int) -> None:
        async def enough_wait() -> bool:
            return len(self.waiting) >= count

        await async_wait_until(enough_wait, f"{count} jobs to wait")

    async def release_all(self, count: int) -> None:
        self.release.set()

        async def all_done() -> bool:
            return len(self.done) == count

        await async_wait_until(all_done, "every follow-up to be done")


async def test_follow_ups_use_no_slot_of_runs_and_are_all_done_in_the_end(harness: WorkerHarness) -> None:
    follow_ups_waiting = BlockingStage()
    early = [await harness.submit("publish") for _ in range(6)]
    async with harness.run_worker(
        {"publish": do_nothing},
        follow_ups={"connect": follow_ups_waiting.connect},
        worker_settings=replace(FAST_WORKER, concurrency=1),
    ):
        for one in early:
            await harness.wait_until_ended(one)
        await follow_ups_waiting.wait_for(1)
        late = await harness.submit("publish")
        await harness.wait_until_ended(late)
        assert len(follow_ups_waiting.waiting) == 1
        await follow_ups_waiting.release_all(7)
    assert follow_ups_waiting.max_waiting == 1


async def test_without_runs_the_next_follow_up_begins_while_another_still_runs(
    harness: WorkerHarness,
) -> None:
    follow_ups_waiting = BlockingStage()
    async with harness.run_worker(
        {"publish": do_nothing},
        follow_ups={"connect": follow_ups_waiting.connect},
        worker_settings=replace(FAST_WORKER, concurrency=2),
    ):
        for count in (1, 2):
            await harness.wait_until_ended(await harness.submit("publish"))
            await follow_ups_waiting.wait_for(count)
        await follow_ups_waiting.release_all(2)
    assert follow_ups_waiting.max_waiting == 2


async def test_while_runs_are_active_follow_ups_wait(harness: WorkerHarness) -> None:
    follow_ups_waiting, slow = BlockingStage(), BlockingStage()
    worker_settings = replace(FAST_WORKER, concurrency=4, follow_up_pause=3_600.0)
    long = await harness.submit("read", "publish")
    async with harness.run_worker(
        {"read": slow.connect, "publish": do_nothing},
        follow_ups={"connect": follow_ups_waiting.connect},
        worker_settings=worker_settings,
    ):
        await slow.wait_for(1)
        for one in [await harness.submit("publish") for _ in range(3)]:
            await harness.wait_until_ended(one)
        assert not follow_ups_waiting.waiting
        slow.release.set()
        await harness.wait_until_ended(long)
        await follow_ups_waiting.wait_for(1)
        await follow_ups_waiting.release_all(4)


async def test_while_runs_are_always_active_one_follow_up_runs_per_pause(
    harness: WorkerHarness,
) -> None:
    follow_ups_waiting, slow = BlockingStage(), BlockingStage()
    await harness.submit("read", "publish")
    async with harness.run_worker(
        {"read": slow.connect, "publish": do_nothing},
        follow_ups={"connect": follow_ups_waiting.connect},
        worker_settings=replace(FAST_WORKER, concurrency=4, follow_up_pause=0.0),
    ):
        await slow.wait_for(1)
        await harness.wait_until_ended(await harness.submit("publish"))
        await follow_ups_waiting.wait_for(1)
        slow.release.set()
        await follow_ups_waiting.release_all(2)


async def test_a_worker_for_follow_ups_only_uses_all_of_its_slots_for_them(
    harness: WorkerHarness,
) -> None:
    follow_ups_waiting = BlockingStage()
    stages = {"publish": do_nothing}
    for_runs = replace(FAST_WORKER, stages=("publish",))
    for_follow_ups = replace(FAST_WORKER, stages=("connect",), concurrency=2)
    async with harness.run_worker(
        stages, follow_ups={"connect": follow_ups_waiting.connect}, worker_settings=for_runs
    ):
        for one in [await harness.submit("publish") for _ in range(5)]:
            await harness.wait_until_ended(one)
    assert not follow_ups_waiting.waiting
    async with harness.run_worker(
        stages, follow_ups={"connect": follow_ups_waiting.connect}, worker_settings=for_follow_ups
    ):

        async def full() -> bool:
            return len(follow_ups_waiting.waiting) == 2

        await async_wait_until(full, "two follow-ups to be worked on")
        await follow_ups_waiting.release_all(5)
    assert follow_ups_waiting.max_waiting == 2
