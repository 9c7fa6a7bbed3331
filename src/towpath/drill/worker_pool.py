"""The worker processes of one instance: starts, kills, stops, continues and terminates them."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.context import ForkServerProcess

from towpath.drill import worker
from towpath.drill.fault_injection import FaultPoint
from towpath.drill.worker import WorkerSpec

_forkserver = multiprocessing.get_context("forkserver")
_forkserver.set_forkserver_preload(["towpath.drill.preloaded_modules"])

EXIT_SECONDS = 30.0


@dataclass(slots=True)
class PooledWorker:
    """A worker process and what the drill expects of it."""

    process: ForkServerProcess
    spec: WorkerSpec
    #: When a stopped worker is to be continued (monotonic seconds).
    wake_at: float | None = None
    exit_expected: bool = False

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid


@dataclass(slots=True)
class WorkerPool:
    """All workers of one instance, with a count of every action on them."""

    spec: WorkerSpec
    workers: list[PooledWorker] = field(default_factory=list[PooledWorker])
    action_counts: Counter[str] = field(default_factory=Counter[str])
    #: Workers that ended without an injected fault: each is a finding.
    unexpected_exits: list[str] = field(default_factory=list[str])
    _serial: int = 0
    _fault_log_offset: int = 0

    @property
    def running(self) -> list[PooledWorker]:
        return [pooled for pooled in self.workers if pooled.wake_at is None]

    def start(
        self, fault_points: Sequence[FaultPoint] = (), *, concurrency: int | None = None
    ) -> PooledWorker:
        """Start a worker. It runs ``concurrency`` jobs at once, or as many as the settings say."""
        self._serial += 1
        log = self.spec.folder / "logs" / f"worker-{self._serial}.log"
        log.parent.mkdir(exist_ok=True)
        spec = replace(self.spec, fault_points=tuple(fault_points), log=log)
        if concurrency is not None:
            spec = replace(spec, settings=replace(spec.settings, worker_concurrency=concurrency))
        process = _forkserver.Process(target=worker.run_worker, args=(spec,), daemon=True)
        process.start()
        pooled = PooledWorker(process, spec)
        self.workers.append(pooled)
        self.action_counts["started"] += 1
        return pooled

    def kill(self, pooled: PooledWorker) -> None:
        """Send SIGKILL, as the OOM killer does."""
        pooled.exit_expected = True
        pooled.process.kill()
        pooled.process.join(EXIT_SECONDS)
        self.workers.remove(pooled)
        self.action_counts["killed at random"] += 1

    def stop(self, pooled: PooledWorker, seconds: float) -> None:
        """Send SIGSTOP for ``seconds``, but never while the worker holds SQLite's only write lock."""
        # The worker may kill itself at this moment; ``reap`` notices that.
        with contextlib.suppress(ProcessLookupError):
            for _ in range(50):
                os.kill(pooled.pid, signal.SIGSTOP)
                if self._writable():
                    pooled.wake_at = time.monotonic() + seconds
                    self.action_counts["stopped at random"] += 1
                    return
                os.kill(pooled.pid, signal.SIGCONT)
                time.sleep(0.01)

    def terminate(self, pooled: PooledWorker) -> None:
        """Send SIGTERM, as a deployment does."""
        pooled.exit_expected = True
        pooled.process.terminate()
        self.action_counts["terminated"] += 1

    def reap(self, sleep_seconds: float) -> None:
        """Continue stopped workers whose time is over, record injected faults, and remove ended workers."""
        # Ended workers first: everything they wrote to the fault log can be read now.
        dead = [pooled for pooled in self.workers if not pooled.process.is_alive()]
        for line in self._new_faults():
            self._record_fault(line, sleep_seconds)
        now = time.monotonic()
        for pooled in self.workers:
            if pooled.wake_at is not None and now >= pooled.wake_at and pooled not in dead:
                pooled.wake_at = None
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pooled.pid, signal.SIGCONT)
                    self.action_counts["continued"] += 1
        for pooled in dead:
            self.workers.remove(pooled)
            if not pooled.exit_expected and pooled.process.exitcode != worker.NO_DATABASE:
                self.unexpected_exits.append(_describe_exit(pooled))

    def _record_fault(self, line: dict[str, str], sleep_seconds: float) -> None:
        dies = line["signal"] == signal.SIGKILL.name
        self.action_counts[f"{'killed' if dies else 'stopped'} {line['at']}"] += 1
        for pooled in self.workers:
            if str(pooled.pid) == line["pid"]:
                pooled.exit_expected |= dies
                pooled.wake_at = pooled.wake_at if dies else time.monotonic() + sleep_seconds

    def kill_all(self) -> None:
        for pooled in self.workers:
            pooled.process.kill()
        for pooled in self.workers:
            pooled.process.join(EXIT_SECONDS)
        self.workers.clear()

    def retire(self) -> None:
        """Continue and terminate all workers; kill those that do not end in time."""
        for pooled in self.workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pooled.pid, signal.SIGCONT)
            pooled.process.terminate()
        for pooled in self.workers:
            pooled.process.join(EXIT_SECONDS)
        self.kill_all()

    def _new_faults(self) -> list[dict[str, str]]:
        if not self.spec.fault_log.exists():
            return []
        with self.spec.fault_log.open("rb") as fault_log:
            fault_log.seek(self._fault_log_offset)
            unread = fault_log.read()
        complete_lines = unread[: unread.rfind(b"\n") + 1]
        self._fault_log_offset += len(complete_lines)
        return [json.loads(line) for line in complete_lines.splitlines()]

    def _writable(self) -> bool:
        if not self.spec.settings.embedded:
            return True
        connection = sqlite3.connect(self.spec.settings.sqlite_file, timeout=0.05, isolation_level=None)
        try:
            connection.execute("begin immediate")
        except sqlite3.OperationalError:
            return False
        finally:
            connection.close()
        return True


def _describe_exit(pooled: PooledWorker) -> str:
    log_tail = pooled.spec.log.read_text("utf-8", "replace")[-600:] if pooled.spec.log.exists() else ""
    return f"worker {pooled.pid} ended unexpectedly with code {pooled.process.exitcode}: {log_tail}"
