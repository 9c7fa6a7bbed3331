"""SIGSTOP until another worker has the job, then SIGCONT: the stopped worker ("zombie") writes nothing."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from tests.crash.crash_harness import CrashHarness, Dump
from tests.crash.fault_points import ZOMBIES, FaultPoint
from tests.crash.side_effects import Effect, calls
from tests.crash.stages import CONTINUE_FILE
from tests.support.processes import WorkerProcess
from tests.support.timeouts import LONG_LEASE_SECONDS, wait_until
from towpath.ledger.contract.ledger import Submitted

LONG_LEASE = ("--lease", str(LONG_LEASE_SECONDS), "--heartbeat", "1")


@dataclass(frozen=True, slots=True)
class ZombieRun:
    """Database dumps before and after the zombies continued, while an idle rescuer held all of their jobs."""

    harness: CrashHarness
    submitted: dict[str, Submitted]
    zombies: dict[str, WorkerProcess]
    before: Dump
    after: Dump
    woken_at: float
    end: Dump


@pytest.fixture(scope="module")
def run_result(shared_harness: CrashHarness) -> ZombieRun:
    harness = shared_harness
    submitted = {fault.lane: harness.submit(fault.lane, fault.stages)[0] for fault in ZOMBIES}
    zombies: dict[str, WorkerProcess] = {}
    for fault in ZOMBIES:
        stages = ",".join(fault.stages)
        zombies[fault.lane] = harness.start("--stages", stages, "--stop", fault.point, *LONG_LEASE)
    for lane, zombie in zombies.items():
        wait_until(lambda zombie=zombie: zombie.frozen, f"{lane} to stop itself")
    harness.expire_leases()
    # Leases so long that no heartbeat of the rescuer changes a row between the two dumps.
    rescuer = harness.start("--lease", "3600", "--concurrency", str(len(ZOMBIES) * 2))
    wait_until(lambda: _held_by(harness, rescuer) == len(ZOMBIES), "the rescuer to hold every job")
    before = harness.dump()
    woken_at = time.time()
    for zombie in zombies.values():
        zombie.wake()
    for lane, zombie in zombies.items():
        wait_until(lambda zombie=zombie: zombie.logged("after its stop"), f"{lane} to try its write")
        wait_until(
            lambda zombie=zombie: zombie.logged("the lease is lost"), f"{lane} to say that it lost its lease"
        )
    after = harness.dump()
    (harness.folder / CONTINUE_FILE).touch()
    harness.wait_until_all_ended()
    rescuer.retire()
    return ZombieRun(harness, submitted, zombies, before, after, woken_at, harness.dump())


def _held_by(harness: CrashHarness, worker: WorkerProcess) -> int:
    return sum(effect.pid == worker.pid for effect in harness.effects)


def test_no_row_changes_after_the_zombies_continue(run_result: ZombieRun) -> None:
    assert run_result.after == run_result.before


@pytest.mark.parametrize("fault", ZOMBIES, ids=lambda fault: fault.lane)
class TestZombie:
    def test_leaves_its_job_to_the_new_lease_holder(self, run_result: ZombieRun, fault: FaultPoint) -> None:
        submitted = run_result.submitted[fault.lane]
        assert run_result.harness.run_state(submitted.run_id) == "COMPLETED"
        assert sum(job.suspect for job in run_result.harness.jobs(submitted.run_id)) == fault.suspects

    def test_does_nothing_under_its_lost_lease_after_it_continues(
        self, run_result: ZombieRun, fault: FaultPoint
    ) -> None:
        """It may get a new lease of the same run, and then works like any other worker."""
        pid = run_result.zombies[fault.lane].pid
        run = run_result.submitted[fault.lane].run_id
        effects = [effect for effect in run_result.harness.effects if effect.pid == pid and effect.run == run]
        lost = {(effect.stage, effect.epoch) for effect in effects if effect.at <= run_result.woken_at}
        assert lost
        assert [
            effect
            for effect in effects
            if effect.at > run_result.woken_at and (effect.stage, effect.epoch) in lost
        ] == []

    def test_a_call_that_it_paid_for_before_its_stop_is_counted_as_repeated(
        self, run_result: ZombieRun, fault: FaultPoint
    ) -> None:
        document_id = run_result.submitted[fault.lane].document_id
        assert calls(run_result.harness.effects)[document_id] == fault.calls
        assert sum(row.repeated for row in run_result.harness.calls_of(document_id)) == fault.repeated


def test_zombies_process_new_documents_after_they_continue(run_result: ZombieRun) -> None:
    """Runs last in this module: the zombies get new documents of their own lanes."""
    harness = run_result.harness
    for fault in ZOMBIES:
        if fault.behaviour != "wait_forever":
            harness.submit(fault.lane, fault.stages)
    harness.wait_until_all_ended()
    old = {submitted.document_id for submitted in run_result.submitted.values()}
    assert _rows_about(harness.dump(), old) == _rows_about(run_result.end, old)
    harness.assert_nothing_lost_and_nothing_twice()
    for zombie in run_result.zombies.values():
        zombie.retire()


def test_a_stopped_worker_makes_no_call_once_its_lease_can_have_ended(harness: CrashHarness) -> None:
    [submitted] = harness.submit("calling")
    stopped_worker = harness.start("--lease", "2")
    wait_until(lambda: len(_calls(harness)) > 10, "the worker to call its provider")
    harness.freeze(stopped_worker)
    rescuer = harness.start()
    wait_until(lambda: harness.run_state(submitted.run_id) == "COMPLETED", "the other worker to finish")
    rescuer.retire()
    before = harness.dump()
    woken_at = time.time()
    stopped_worker.wake()
    wait_until(lambda: stopped_worker.logged("the lease is lost"), "the stopped worker to log it")
    stopped_worker.retire()
    assert [call for call in _calls(harness) if call.at > woken_at] == []
    assert harness.dump() == before
    harness.assert_nothing_lost_and_nothing_twice()


def _calls(harness: CrashHarness) -> list[Effect]:
    return [effect for effect in harness.effects if effect.what == "call"]


def _rows_about(dump: Dump, documents: set[str]) -> Dump:
    return {table: [row for row in rows if documents & set(row)] for table, rows in dump.items()}
