"""One worker of the drill in a process of its own: the program as it is, in a rig that can strike it down."""

from __future__ import annotations

import asyncio
import json
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy.exc import OperationalError

from towpath import app
from towpath.config import Settings
from towpath.drill import faults
from towpath.drill.audit import sign_sqlite, signed_url
from towpath.drill.strikes import QuietSqlite, Strike
from towpath.drill.toll import InThread, Tolled
from towpath.errors import DatabaseUnavailable
from towpath.ledger.database import Database
from towpath.telemetry import set_up_logging
from towpath.worker.children import Children

log = logging.getLogger(__name__)

#: The exit code of a worker that found no database when it started.
NO_DATABASE = 75


@dataclass(frozen=True, slots=True)
class Orders:
    """What a worker is told when it is started. ``diary`` is where it notes the strikes against itself."""

    settings: Settings
    folder: Path
    log: Path
    strikes: tuple[Strike, ...] = ()
    own_processes: bool = False
    """Whether parsers run in child processes, as they must for files from elsewhere."""
    pause: tuple[float, float] = (0.0, 0.12)
    """How long each piece of work takes at least, between these bounds."""
    fault: str | None = None

    @property
    def diary(self) -> Path:
        return self.folder / "diary.jsonl"

    @property
    def tolls(self) -> Path:
        return self.folder / "calls.jsonl"


def work(orders: Orders) -> None:
    """The body of the process."""
    _speak_to(orders.log)
    _die_with_parent()
    set_up_logging("text")
    try:
        asyncio.run(_work(orders))
    except (OperationalError, DatabaseUnavailable):
        # Started in the very moment of an outage: whoever looks after workers starts another one.
        log.exception("there is no database to work on")
        sys.exit(NO_DATABASE)


async def _work(orders: Orders) -> None:
    rig = app.Rig(
        alone=False,
        database=signed_database,
        ledger=lambda database: faults.ledger_with(orders.fault, database, orders.strikes, _announce(orders)),
        children=lambda settings: children_of(orders, settings),
    )
    async with app.opened(orders.settings, work=True, rig=rig) as towpath:
        worker = towpath.worker
        assert worker is not None
        stopped = asyncio.Event()

        def stop() -> None:
            worker.stop()
            stopped.set()

        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop)
        await stopped.wait()


def signed_database(settings: Settings) -> Database:
    """The database of this copy, whose audit is told which process writes."""
    writer = str(os.getpid())
    if settings.database is not None:
        return app.open_database(replace(settings, database=signed_url(settings.database, writer)))
    database = QuietSqlite(settings.sqlite_file)
    sign_sqlite(database, writer)
    return database


def children_of(orders: Orders, settings: Settings) -> Children:
    most, memory_bytes = settings.child_processes, settings.child_memory_mb << 20
    if orders.own_processes:
        return Tolled(most, orders.tolls, memory_bytes=memory_bytes)
    return InThread(most, orders.tolls, memory_bytes=memory_bytes, pause=orders.pause)


def _announce(orders: Orders) -> Callable[[Strike], None]:
    handle = os.open(orders.diary, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def announce(strike: Strike) -> None:
        line = {"pid": str(os.getpid()), "signal": strike.signal.name, "at": f"{strike.moment} {strike.verb}"}
        os.write(handle, json.dumps(line).encode() + b"\n")

    return announce


def _speak_to(file: Path) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)


def _die_with_parent() -> None:
    """A drill that was killed itself leaves no workers behind."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()
