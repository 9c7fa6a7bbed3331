"""The queue drill: many runs of five stages, four workers, and one of them killed about every second.

``python -m tests.crash.queue_drill --runs 10000 --engine postgres``
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.crash.crash_harness import CrashHarness, audited_postgres, postgres_harness, sqlite_harness
from tests.crash.side_effects import calls
from tests.crash.stages import FIVE
from tests.support.databases import migrated_sqlite, private_postgres
from tests.support.processes import WorkerProcess
from towpath.drill.lease_audit import audited_change_count

ALIVE = 4
KILL_EVERY = 1.0
BATCH = 100

#: The kills come from outside, so no document may be quarantined for its crashes.
NO_QUARANTINE = ("--max-crashes", "1000", "--max-attempts", "1000")
WORKER = (*NO_QUARANTINE, "--lease", "3", "--concurrency", "16")


@dataclass(frozen=True, slots=True)
class Report:
    engine: str
    runs: int
    seconds: float
    kills: int
    executions: int
    calls_made: int
    open_windows: int
    changes: int

    def __str__(self) -> str:
        return (
            f"{self.engine}: {self.runs} runs of {len(FIVE)} stages in {self.seconds:.1f} s"
            f" ({self.runs / self.seconds:.0f}/s), {self.kills} workers killed,"
            f" {self.executions} stage executions, {self.calls_made} provider calls"
            f" ({self.open_windows} repeated), {self.changes} changes audited, all by lease holders"
        )


def drill(harness: CrashHarness, runs: int, *, seconds: float, pay_every: int = 1) -> Report:
    """Process all runs while workers are killed, and assert that no work is lost and none is done twice.

    One batch in ``pay_every`` makes a paid call and reports progress. These writes have transactions of
    their own, while settlements share theirs: a run with them waits five times as often for the disk.
    """
    paying = 0
    for number, start in enumerate(range(0, runs, BATCH)):
        count, pays = min(BATCH, runs - start), number % pay_every == 0
        harness.submit("drill", FIVE, count=count, max_attempts=1000, pays=pays)
        paying += count * pays
    started = time.monotonic()
    alive = [harness.start(*WORKER) for _ in range(ALIVE)]
    kills = _kill_workers(harness, alive, started + seconds)
    elapsed = time.monotonic() - started
    for worker in alive:
        worker.retire()
    harness.assert_nothing_lost_and_nothing_twice()
    harness.assert_no_lock_errors_in_logs()
    return _report(harness, runs, paying, elapsed, kills)


def _kill_workers(harness: CrashHarness, alive: list[WorkerProcess], deadline: float) -> int:
    """Kill and replace one worker after the other until all runs have ended; returns the number of kills."""
    kills = 0
    next_kill = time.monotonic() + KILL_EVERY
    while harness.unfinished() > 0:
        assert time.monotonic() < deadline, f"{harness.unfinished()} runs are unfinished after {kills} kills"
        if time.monotonic() >= next_kill:
            worker = alive.pop(random.randrange(len(alive)))
            worker.kill()
            assert worker.exit_code() == -signal.SIGKILL, "a worker died before it was killed"
            kills += 1
            alive.append(harness.start(*WORKER))
            next_kill = time.monotonic() + KILL_EVERY * random.uniform(0.7, 1.3)
        time.sleep(0.2)
    return kills


def _report(harness: CrashHarness, runs: int, paying: int, seconds: float, kills: int) -> Report:
    effects = harness.effects
    made = calls(effects)
    windows = harness.open_windows()
    assert len(made) == paying
    # Every answer was paid for once, and once more only where the ledger counts a repeated call.
    assert paying <= made.total() <= paying + windows
    executed = sum(effect.what == "stage" for effect in effects)
    changes = audited_change_count(harness.engine.database)
    return Report(harness.engine.name, runs, seconds, kills, executed, made.total(), windows, changes)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--engine", choices=["sqlite", "postgres"], default="postgres")
    options = parser.parse_args(arguments)
    limit = 60.0 + options.runs / 10
    with tempfile.TemporaryDirectory(prefix="towpath-drill-") as name:
        folder = Path(name)
        if options.engine == "sqlite":
            with sqlite_harness(folder, migrated_sqlite(folder / "template.db")) as harness:
                report = drill(harness, options.runs, seconds=limit)
        else:
            with private_postgres() as server, postgres_harness(folder, audited_postgres(server)) as harness:
                report = drill(harness, options.runs, seconds=limit)
    sys.stdout.write(f"{report}\n")


if __name__ == "__main__":
    main()
