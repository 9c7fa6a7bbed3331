"""The drill: many runs of five stages, four workers alive, and one of them killed every second or so.

``python -m tests.crash.ten_thousand --runs 10000 --engine postgres``
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

from tests.crash.arena import Arena, audited_postgres, postgres_arena, sqlite_arena
from tests.crash.effects import calls
from tests.crash.stages import FIVE
from tests.support.databases import migrated_sqlite, private_postgres
from tests.support.processes import WorkerProcess
from towpath.drill.audit import audited_changes

ALIVE = 4
KILL_EVERY = 1.0
BATCH = 100

#: Here the killer comes from outside, so no document is to blame, however often it was in the wrong hands.
FORGIVING = ("--max-crashes", "1000", "--max-attempts", "1000")
WORKER = (*FORGIVING, "--lease", "3", "--concurrency", "16")


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
            f" ({self.open_windows} open windows), {self.changes} changes audited, none dishonest"
        )


def drill(arena: Arena, runs: int, *, patience: float, pay_every: int = 1) -> Report:
    """Work off so many runs under fire, and prove that nothing was lost and nothing happened twice.

    Every run, or every so many-th batch of them, makes a paid call and reports progress. Those are writes of
    their own, where settlements share theirs: with them a run waits for the disk five times as often.
    """
    paying = 0
    for number, start in enumerate(range(0, runs, BATCH)):
        count, pays = min(BATCH, runs - start), number % pay_every == 0
        arena.submit("drill", FIVE, count=count, max_attempts=1000, pays=pays)
        paying += count * pays
    started = time.monotonic()
    alive = [arena.start(*WORKER) for _ in range(ALIVE)]
    kills = _under_fire(arena, alive, started + patience)
    seconds = time.monotonic() - started
    for worker in alive:
        worker.retire()
    arena.assert_nothing_lost_and_nothing_twice()
    arena.assert_locks_were_never_complained_about()
    return _report(arena, runs, paying, seconds, kills)


def _under_fire(arena: Arena, alive: list[WorkerProcess], deadline: float) -> int:
    """Kill one after the other, and start another in its place, until all is done; how many died."""
    kills = 0
    next_kill = time.monotonic() + KILL_EVERY
    while arena.unfinished() > 0:
        assert time.monotonic() < deadline, f"{arena.unfinished()} runs are unfinished after {kills} kills"
        if time.monotonic() >= next_kill:
            victim = alive.pop(random.randrange(len(alive)))
            victim.kill()
            assert victim.exit_code() == -signal.SIGKILL, "a worker died before it was killed"
            kills += 1
            alive.append(arena.start(*WORKER))
            next_kill = time.monotonic() + KILL_EVERY * random.uniform(0.7, 1.3)
        time.sleep(0.2)
    return kills


def _report(arena: Arena, runs: int, paying: int, seconds: float, kills: int) -> Report:
    effects = arena.effects
    made = calls(effects)
    windows = arena.open_windows()
    assert len(made) == paying
    # Every answer was paid for once, and once more only where an open window is counted.
    assert paying <= made.total() <= paying + windows
    executed = sum(deed.what == "stage" for deed in effects)
    changes = audited_changes(arena.engine.database)
    return Report(arena.engine.name, runs, seconds, kills, executed, made.total(), windows, changes)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--engine", choices=["sqlite", "postgres"], default="postgres")
    given = parser.parse_args(arguments)
    patience = 60.0 + given.runs / 10
    with tempfile.TemporaryDirectory(prefix="towpath-drill-") as name:
        folder = Path(name)
        if given.engine == "sqlite":
            with sqlite_arena(folder, migrated_sqlite(folder / "template.db")) as arena:
                report = drill(arena, given.runs, patience=patience)
        else:
            with private_postgres() as server, postgres_arena(folder, audited_postgres(server)) as arena:
                report = drill(arena, given.runs, patience=patience)
    sys.stdout.write(f"{report}\n")


if __name__ == "__main__":
    main()
