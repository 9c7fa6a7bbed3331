"""SIGSTOP past the lease, then SIGCONT: the sleeper believes it still owns its job, and writes nothing."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from tests.crash.arena import Arena, Dump
from tests.crash.effects import Effect, calls
from tests.crash.perils import ZOMBIES, Peril
from tests.crash.stages import GATE
from tests.support.processes import WorkerProcess, wait_for
from towpath.ledger.contract import Submitted


@dataclass(frozen=True, slots=True)
class Story:
    """Every zombie's job was in another worker's hands, who did nothing, when the zombies woke up."""

    arena: Arena
    submitted: dict[str, Submitted]
    zombies: dict[str, WorkerProcess]
    before: Dump
    after: Dump
    woken_at: float
    end: Dump


@pytest.fixture(scope="module")
def story(shared_arena: Arena) -> Story:
    arena = shared_arena
    submitted = {peril.lane: arena.submit(peril.lane, peril.stages)[0] for peril in ZOMBIES}
    zombies: dict[str, WorkerProcess] = {}
    for peril in ZOMBIES:
        stages = ",".join(peril.stages)
        zombies[peril.lane] = arena.start("--stages", stages, "--stop", peril.strike, "--lease", "3")
    for lane, zombie in zombies.items():
        wait_for(lambda zombie=zombie: zombie.frozen, f"{lane} to stop itself")
    # Its leases are so long that not even a heartbeat of its own changes a row meanwhile.
    rescuer = arena.start("--lease", "3600", "--concurrency", str(len(ZOMBIES) * 2))
    wait_for(lambda: _held_by(arena, rescuer) == len(ZOMBIES), "the rescuer to hold every job")
    before = arena.dump()
    woken_at = time.time()
    for zombie in zombies.values():
        zombie.wake()
    for lane, zombie in zombies.items():
        wait_for(lambda zombie=zombie: zombie.said("after its sleep"), f"{lane} to try its write")
        wait_for(
            lambda zombie=zombie: zombie.said("the lease is lost"), f"{lane} to say that it lost its lease"
        )
    after = arena.dump()
    (arena.folder / GATE).touch()
    arena.wait_until_all_ended()
    rescuer.retire()
    return Story(arena, submitted, zombies, before, after, woken_at, arena.dump())


def _held_by(arena: Arena, worker: WorkerProcess) -> int:
    return sum(deed.pid == worker.pid for deed in arena.effects)


def test_not_a_single_row_is_different_after_they_woke(story: Story) -> None:
    assert story.after == story.before


@pytest.mark.parametrize("peril", ZOMBIES, ids=lambda peril: peril.lane)
class TestZombie:
    def test_leaves_its_job_to_whoever_has_it_now(self, story: Story, peril: Peril) -> None:
        submitted = story.submitted[peril.lane]
        assert story.arena.run_state(submitted.run_id) == "COMPLETED"
        assert sum(job.crashes for job in story.arena.jobs(submitted.run_id)) == peril.crashes

    def test_does_nothing_after_it_woke_under_the_lease_it_lost(self, story: Story, peril: Peril) -> None:
        """A new lease of the same run it may well be given: then it works as any other worker would."""
        pid = story.zombies[peril.lane].pid
        run = story.submitted[peril.lane].run_id
        deeds = [deed for deed in story.arena.effects if deed.pid == pid and deed.run == run]
        lost = {(deed.stage, deed.epoch) for deed in deeds if deed.at <= story.woken_at}
        assert lost
        assert [deed for deed in deeds if deed.at > story.woken_at and (deed.stage, deed.epoch) in lost] == []

    def test_what_it_paid_for_in_its_sleep_is_counted_as_an_open_window(
        self, story: Story, peril: Peril
    ) -> None:
        document_id = story.submitted[peril.lane].document_id
        assert calls(story.arena.effects)[document_id] == peril.calls
        assert sum(row.reopened for row in story.arena.calls_of(document_id)) == peril.reopened


def test_they_go_on_to_work_honestly(story: Story) -> None:
    """The last of its module: the zombies are given new documents of their own lanes."""
    arena = story.arena
    for peril in ZOMBIES:
        if peril.behaviour != "linger":
            arena.submit(peril.lane, peril.stages)
    arena.wait_until_all_ended()
    old = {submitted.document_id for submitted in story.submitted.values()}
    assert _rows_about(arena.dump(), old) == _rows_about(story.end, old)
    arena.assert_nothing_lost_and_nothing_twice()
    for zombie in story.zombies.values():
        zombie.retire()


def test_a_stopped_worker_makes_no_call_once_its_lease_can_have_ended(arena: Arena) -> None:
    [submitted] = arena.submit("calling")
    sleeper = arena.start("--lease", "2")
    wait_for(lambda: len(_calls(arena)) > 10, "the worker to call its provider")
    arena.freeze(sleeper)
    rescuer = arena.start()
    wait_for(lambda: arena.run_state(submitted.run_id) == "COMPLETED", "the other worker to finish")
    rescuer.retire()
    before = arena.dump()
    woken_at = time.time()
    sleeper.wake()
    wait_for(lambda: sleeper.said("the lease is lost"), "the sleeper to notice")
    sleeper.retire()
    assert [call for call in _calls(arena) if call.at > woken_at] == []
    assert arena.dump() == before
    arena.assert_nothing_lost_and_nothing_twice()


def _calls(arena: Arena) -> list[Effect]:
    return [effect for effect in arena.effects if effect.what == "call"]


def _rows_about(dump: Dump, documents: set[str]) -> Dump:
    return {table: [row for row in rows if documents & set(row)] for table, rows in dump.items()}
