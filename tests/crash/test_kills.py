"""SIGKILL before and after every ledger verb: another worker finishes, no work is lost, no call is paid twice."""

from __future__ import annotations

import signal
from dataclasses import dataclass

import pytest
from sqlalchemy import Row

from tests.crash.crash_harness import CrashHarness
from tests.crash.fault_points import KILLS, FaultPoint
from tests.crash.side_effects import calls
from tests.support.processes import WorkerProcess
from tests.support.timeouts import LONG_LEASE_SECONDS, wait_until
from towpath.ledger.contract.ledger import Submitted

#: Workers that run at the same time; more would only wait for a processor.
AT_ONCE = 6


@dataclass(frozen=True, slots=True)
class KillRun:
    """The rows after every worker was killed and one worker had finished all runs."""

    harness: CrashHarness
    submitted: dict[str, Submitted]
    exit_codes: dict[str, int]

    def jobs(self, fault: FaultPoint) -> list[Row[tuple[object, ...]]]:
        return self.harness.jobs(self.submitted[fault.lane].run_id)


@pytest.fixture(scope="module")
def run_result(shared_harness: CrashHarness) -> KillRun:
    harness = shared_harness
    submitted = {fault.lane: harness.submit(fault.lane, fault.stages)[0] for fault in KILLS}
    exit_codes: dict[str, int] = {}
    for start in range(0, len(KILLS), AT_ONCE):
        workers = {fault: _start_worker(harness, fault) for fault in KILLS[start : start + AT_ONCE]}
        for fault, worker in workers.items():
            if fault.verb == "release":
                _wait_for_stage(harness, submitted[fault.lane])
                worker.terminate()
        exit_codes |= {fault.lane: worker.exit_code() for fault, worker in workers.items()}
    harness.expire_leases()
    rescuer = harness.start("--lease", str(LONG_LEASE_SECONDS), "--heartbeat", "10")
    harness.wait_until_all_ended()
    rescuer.retire()
    return KillRun(harness, submitted, exit_codes)


def _start_worker(harness: CrashHarness, fault: FaultPoint) -> WorkerProcess:
    stages = ",".join(fault.stages)
    # One job at a time: a worker must not claim again the job that it has just released, before it is killed.
    # A worker that dies at its second sweep needs a short lease, because the lease sets the pause between sweeps.
    lease = 6.0 if fault.verb == "sweep" else LONG_LEASE_SECONDS
    pace = ("--lease", str(lease), "--heartbeat", "1", "--grace", "0.1", "--concurrency", "1")
    return harness.start("--stages", stages, "--kill", fault.point, *pace)


def _wait_for_stage(harness: CrashHarness, submitted: Submitted) -> None:
    wait_until(
        lambda: any(effect.run == submitted.run_id for effect in harness.effects),
        f"the first stage of run {submitted.run_id}",
    )


@pytest.mark.parametrize("fault", KILLS, ids=lambda fault: fault.lane)
class TestKilled:
    def test_the_worker_is_killed_at_its_fault_point(self, run_result: KillRun, fault: FaultPoint) -> None:
        assert run_result.exit_codes[fault.lane] == -signal.SIGKILL

    def test_another_worker_finishes_the_run(self, run_result: KillRun, fault: FaultPoint) -> None:
        assert run_result.harness.run_state(run_result.submitted[fault.lane].run_id) == "COMPLETED"
        assert [job.stage for job in run_result.jobs(fault)] == list(fault.stages)

    def test_only_the_job_that_the_worker_held_is_a_suspect_and_no_crash_is_counted(
        self, run_result: KillRun, fault: FaultPoint
    ) -> None:
        jobs = run_result.jobs(fault)
        assert sum(job.suspect for job in jobs) == fault.suspects
        assert sum(job.crashes for job in jobs) == 0
        assert sum(job.attempts for job in jobs) == fault.attempts

    def test_an_answered_call_is_not_made_again(self, run_result: KillRun, fault: FaultPoint) -> None:
        document_id = run_result.submitted[fault.lane].document_id
        rows = run_result.harness.calls_of(document_id)
        assert calls(run_result.harness.effects)[document_id] == fault.calls
        assert sum(row.repeated for row in rows) == fault.repeated
        assert {row.status for row in rows} <= {"ANSWERED"}


def test_nothing_is_lost_and_nothing_happens_twice(run_result: KillRun) -> None:
    run_result.harness.assert_nothing_lost_and_nothing_twice()


def test_many_processes_on_one_database_log_no_lock_errors(run_result: KillRun) -> None:
    run_result.harness.assert_no_lock_errors_in_logs()
