"""SIGKILL before and after every verb: another worker finishes, nothing is lost, nothing is paid twice."""

from __future__ import annotations

import signal
from dataclasses import dataclass

import pytest
from sqlalchemy import Row

from tests.crash.arena import Arena
from tests.crash.effects import calls
from tests.crash.perils import KILLS, Peril
from tests.support.processes import WorkerProcess, wait_for
from towpath.ledger.contract import Submitted

#: So many start at once; more would only wait for each other's processor.
AT_ONCE = 6


@dataclass(frozen=True, slots=True)
class Story:
    """What was left when every victim was dead and one worker had cleared up after them."""

    arena: Arena
    submitted: dict[str, Submitted]
    exit_codes: dict[str, int]

    def jobs(self, peril: Peril) -> list[Row[tuple[object, ...]]]:
        return self.arena.jobs(self.submitted[peril.lane].run_id)


@pytest.fixture(scope="module")
def story(shared_arena: Arena) -> Story:
    arena = shared_arena
    submitted = {peril.lane: arena.submit(peril.lane, peril.stages)[0] for peril in KILLS}
    exit_codes: dict[str, int] = {}
    for start in range(0, len(KILLS), AT_ONCE):
        victims = {peril: _start_victim(arena, peril) for peril in KILLS[start : start + AT_ONCE]}
        for peril, victim in victims.items():
            if peril.verb == "release":
                _wait_for_stage(arena, submitted[peril.lane])
                victim.terminate()
        exit_codes |= {peril.lane: victim.exit_code() for peril, victim in victims.items()}
    rescuer = arena.start()
    arena.wait_until_all_ended()
    rescuer.retire()
    return Story(arena, submitted, exit_codes)


def _start_victim(arena: Arena, peril: Peril) -> WorkerProcess:
    stages = ",".join(peril.stages)
    # One job at a time, so that it cannot claim again what it has just given back, before it dies.
    pace = ("--lease", "3", "--grace", "0.1", "--concurrency", "1")
    return arena.start("--stages", stages, "--kill", peril.strike, *pace)


def _wait_for_stage(arena: Arena, submitted: Submitted) -> None:
    wait_for(
        lambda: any(effect.run == submitted.run_id for effect in arena.effects),
        f"the first stage of run {submitted.run_id}",
    )


@pytest.mark.parametrize("peril", KILLS, ids=lambda peril: peril.lane)
class TestKilled:
    def test_the_worker_died_at_its_moment(self, story: Story, peril: Peril) -> None:
        assert story.exit_codes[peril.lane] == -signal.SIGKILL

    def test_another_worker_finishes_the_run(self, story: Story, peril: Peril) -> None:
        assert story.arena.run_state(story.submitted[peril.lane].run_id) == "COMPLETED"
        assert [job.stage for job in story.jobs(peril)] == list(peril.stages)

    def test_the_crash_is_counted_once_and_only_where_a_job_was_held(
        self, story: Story, peril: Peril
    ) -> None:
        jobs = story.jobs(peril)
        assert sum(job.crashes for job in jobs) == peril.crashes
        assert sum(job.attempts for job in jobs) == peril.attempts

    def test_what_was_answered_is_not_asked_again(self, story: Story, peril: Peril) -> None:
        document_id = story.submitted[peril.lane].document_id
        rows = story.arena.calls_of(document_id)
        assert calls(story.arena.effects)[document_id] == peril.calls
        assert sum(row.reopened for row in rows) == peril.reopened
        assert {row.status for row in rows} <= {"ANSWERED"}


def test_nothing_is_lost_and_nothing_happens_twice(story: Story) -> None:
    story.arena.assert_nothing_lost_and_nothing_twice()


def test_many_processes_on_one_database_never_complain_about_locks(story: Story) -> None:
    story.arena.assert_locks_were_never_complained_about()
