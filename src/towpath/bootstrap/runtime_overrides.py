"""The factories of ledger and process pools of a runtime: the defaults, and others that the drill sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from towpath.bootstrap.database_and_storage import open_database
from towpath.bootstrap.job_queue import open_job_queue
from towpath.clock import Clock, SystemClock
from towpath.config import Settings
from towpath.job_queue.contract import JobQueue
from towpath.ledger.contract.ledger import Ledger
from towpath.ledger.database import Database
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.verbs.apply_write import apply_write
from towpath.notify.contract import Notifier
from towpath.worker.process_pool import ProcessPool


def make_ledger(database: Database) -> SqlLedger:
    return SqlLedger(database, apply_write=apply_write, clock=SystemClock())


def make_process_pool(settings: Settings) -> ProcessPool:
    return ProcessPool(settings.child_processes, memory_bytes=settings.child_memory_mb << 20, niceness=5)


def make_background_pool(settings: Settings) -> ProcessPool:
    """Follow-up jobs run one at a time, at the lowest priority."""
    return ProcessPool(1, memory_bytes=settings.child_memory_mb << 20, niceness=19)


@dataclass(frozen=True, slots=True)
class Overrides:
    """``exclusive``: an embedded runtime locks its data folder and recovers all RUNNING runs as orphans.

    ``run_worker``: start the worker; a child process that runs one job needs the executor only.
    """

    exclusive: bool = True
    run_worker: bool = True
    database: Callable[[Settings], Database] = open_database
    ledger: Callable[[Database], SqlLedger] = make_ledger
    process_pool: Callable[[Settings], ProcessPool] = make_process_pool
    background_pool: Callable[[Settings], ProcessPool] = make_background_pool
    job_queue: Callable[[Settings, Ledger, Notifier, Clock, Sequence[str], Sequence[str]], JobQueue] = (
        open_job_queue
    )
