"""Factories of the runtime that the drill replaces; the defaults are what servers and workers use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from towpath.bootstrap.storage import open_database
from towpath.clock import SystemClock
from towpath.config import Settings
from towpath.ledger.database import Database
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.verbs.publish import apply_write
from towpath.worker.process_pool import ProcessPool


def make_ledger(database: Database) -> SqlLedger:
    return SqlLedger(database, apply_write=apply_write, clock=SystemClock())


def make_process_pool(settings: Settings) -> ProcessPool:
    return ProcessPool(settings.child_processes, memory_bytes=settings.child_memory_mb << 20, niceness=5)


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
