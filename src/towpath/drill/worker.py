"""A worker process of a drill: its ledger sends SIGKILL or SIGSTOP to the process at chosen verbs."""

from __future__ import annotations

import asyncio
import json
import logging
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from sqlalchemy.exc import OperationalError

from towpath import bootstrap
from towpath.bootstrap import runtime_overrides
from towpath.bootstrap.job_queue import open_job_queue
from towpath.bootstrap.shutdown import shutdown_signals
from towpath.config import Settings
from towpath.drill.fault_injection import FaultInjectingLedger, FaultPoint, LedgerFactory, StoppableSqlite
from towpath.drill.lease_audit import sign_sqlite, signed_url
from towpath.drill.provider_call_log import InThreadPool, LoggingProcessPool, OwnCallLog
from towpath.errors import DatabaseUnavailable
from towpath.job_queue.contract import JobQueue
from towpath.ledger.database import Database
from towpath.log_setup import configure_logging
from towpath.sdk.call_observer import add_observer
from towpath.worker.process_pool import ProcessPool

log = logging.getLogger(__name__)

#: The exit code of a worker that found no database when it started.
NO_DATABASE = 75


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """Everything a worker process needs to start. It writes each injected fault to ``fault_log``."""

    settings: Settings
    folder: Path
    log: Path
    fault_points: tuple[FaultPoint, ...] = ()
    child_processes: bool = False
    """Whether readers run in child processes, as they must for untrusted files."""
    pause: tuple[float, float] = (0.0, 0.12)
    """Bounds of the random pause before each provider call, in seconds."""
    ledger_factory: LedgerFactory = FaultInjectingLedger
    queue_class: Callable[..., JobQueue] | None = None
    """A queue of BullMQ with a planted bug; None is the real one."""

    @property
    def fault_log(self) -> Path:
        return self.folder / "faults.jsonl"

    @property
    def call_log(self) -> Path:
        return self.folder / "calls.jsonl"

    @property
    def unremembered_log(self) -> Path:
        """Executions of own stages that made calls outside of `Context.once`."""
        return self.folder / "unremembered.jsonl"


def run_worker(spec: WorkerSpec) -> None:
    """The main function of the process."""
    _redirect_output(spec.log)
    _die_with_parent()
    configure_logging("text")
    try:
        asyncio.run(_work(spec))
    except (OperationalError, DatabaseUnavailable):
        # Started during an outage: the drill starts another worker.
        log.exception("the database is not available")
        sys.exit(NO_DATABASE)


async def _work(spec: WorkerSpec) -> None:
    add_observer(OwnCallLog(spec.call_log, spec.unremembered_log))
    replaced = bootstrap.Overrides(
        exclusive=False,
        database=signed_database,
        ledger=lambda database: spec.ledger_factory(database, spec.fault_points, _fault_logger(spec)),
        process_pool=lambda settings: make_process_pool(spec, settings),
        background_pool=lambda settings: make_background_pool(spec, settings),
        job_queue=partial(open_job_queue, queue_class=spec.queue_class),
    )
    async with AsyncExitStack() as stack:
        shutdown = stack.enter_context(shutdown_signals(spec.settings.shutdown_grace_seconds))
        runtime = await stack.enter_async_context(
            bootstrap.open_runtime(spec.settings, with_worker=True, overrides=replaced)
        )
        worker = runtime.worker
        assert worker is not None
        shutdown.add_callback(lambda now: worker.stop(now=now))
        await shutdown.wait()


def signed_database(settings: Settings) -> Database:
    """The database of this instance, with the process id for the audit in every session."""
    writer = str(os.getpid())
    if settings.database is not None:
        return bootstrap.open_database(replace(settings, database=signed_url(settings.database, writer)))
    database = StoppableSqlite(settings.sqlite_file)
    sign_sqlite(database, writer)
    return database


def make_process_pool(spec: WorkerSpec, settings: Settings) -> ProcessPool:
    if spec.child_processes:
        memory_bytes = settings.child_memory_mb << 20
        return LoggingProcessPool(settings.child_processes, spec.call_log, memory_bytes=memory_bytes)
    return InThreadPool(settings.child_processes, spec.call_log, pause=spec.pause)


def make_background_pool(spec: WorkerSpec, settings: Settings) -> ProcessPool:
    """Without child processes, follow-up jobs run in a thread as well: a worker lives for seconds only."""
    if spec.child_processes:
        return runtime_overrides.make_background_pool(settings)
    return InThreadPool(1, spec.call_log, pause=(0.0, 0.0))


def _fault_logger(spec: WorkerSpec) -> Callable[[FaultPoint], None]:
    handle = os.open(spec.fault_log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def on_fault(fault_point: FaultPoint) -> None:
        line = {
            "pid": str(os.getpid()),
            "signal": fault_point.signal.name,
            "at": f"{fault_point.moment} {fault_point.verb}",
        }
        os.write(handle, json.dumps(line).encode() + b"\n")

    return on_fault


def _redirect_output(file: Path) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)


def _die_with_parent() -> None:
    """End this process when the drill ends, even if the drill was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()
