"""A ledger around whose verbs its own process is killed or stopped, at a chosen use of a chosen verb."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from towpath.errors import LeaseLost
from towpath.ledger.contract import (
    Advance,
    CallAnswer,
    CallRequest,
    CallState,
    Fail,
    Finish,
    Release,
    Settled,
    Settlement,
    Suspended,
    Swept,
)
from towpath.ledger.database import Database, Work
from towpath.ledger.ledger import SqlLedger
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.verbs.publish import apply
from towpath.model.work import Claimed, Lease

T = TypeVar("T")

log = logging.getLogger(__name__)

VERB_OF: dict[type[Settlement], str] = {
    Advance: "advance",
    Finish: "finish",
    Fail: "fail",
    Suspended: "suspend",
    Release: "release",
}


@dataclass(frozen=True, slots=True)
class Strike:
    """A signal this process sends itself: before or after the n-th time it uses a verb."""

    signal: signal.Signals
    moment: str
    verb: str
    nth: int

    @classmethod
    def read(cls, signal: signal.Signals, text: str) -> Strike:
        moment, verb, nth = text.split(":")
        return cls(signal, moment, verb, int(nth))


class QuietSqlite(SqliteDatabase):
    """Lets a process be stopped between its transactions: stopped inside one, it would keep SQLite's only
    write lock, and all the world would wait with it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.between_transactions = threading.Lock()

    def _transact_once(self, work: Work[T], *, single: bool, read: bool, org: str | None) -> T:
        with self.between_transactions:
            return super()._transact_once(work, single=single, read=read, org=org)


class PerilousLedger(SqlLedger):
    """The ledger as it is, with strikes around its verbs. ``announce`` is told of each before it falls."""

    def __init__(
        self,
        database: Database,
        strikes: Sequence[Strike],
        announce: Callable[[Strike], None] = lambda _strike: None,
    ) -> None:
        super().__init__(database, apply=apply)
        self._strikes = strikes
        self._announce = announce
        self._quiet = (
            database.between_transactions if isinstance(database, QuietSqlite) else contextlib.nullcontext()
        )
        self._times = Counter[str]()
        self._lock = threading.Lock()

    def _strike(self, moment: str, uses: dict[str, int]) -> str | None:
        for strike in self._strikes:
            if strike.moment == moment and uses.get(strike.verb) == strike.nth:
                with self._quiet:
                    self._announce(strike)
                    # To this very thread: sent to the process, it would stop some time later.
                    signal.pthread_kill(threading.get_ident(), strike.signal)
                return strike.verb
        return None

    def _count(self, *verbs: str) -> dict[str, int]:
        with self._lock:
            self._times.update(verbs)
            return {verb: self._times[verb] for verb in verbs}

    async def _through(self, call: Callable[[], Awaitable[T]], *verbs: str) -> T:
        uses = self._count(*verbs)
        slept = self._strike("before", uses)
        # Shielded, because a worker that wakes up cancels its jobs while their writes are on the way.
        answer = await (call() if slept is None else asyncio.shield(_told(call(), slept)))
        self._strike("after", uses)
        return answer

    async def claim(
        self,
        worker: str,
        *,
        limit: int,
        lease_seconds: float,
        now: datetime,
        stages: Sequence[str] | None = None,
    ) -> list[Claimed]:
        claim = super().claim
        return await self._through(
            lambda: claim(worker, limit=limit, lease_seconds=lease_seconds, now=now, stages=stages), "claim"
        )

    def heartbeat(self, leases: Sequence[Lease], lease_seconds: float, now: datetime) -> set[str]:
        uses = self._count("heartbeat")
        slept = self._strike("before", uses)
        kept = super().heartbeat(leases, lease_seconds, now)
        if slept is not None:
            log.info("after its sleep heartbeat answered %s", kept)
        self._strike("after", uses)
        return kept

    async def progress(self, lease: Lease, done: int, total: int, now: datetime) -> None:
        progress = super().progress
        await self._through(lambda: progress(lease, done, total, now), "progress")

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        settle = super().settle
        verbs = {VERB_OF[type(item)] for item in settlements}
        return await self._through(lambda: settle(settlements, now, lease_seconds=lease_seconds), *verbs)

    async def sweep(self, now: datetime, *, limit: int = 100, max_crashes: int = 2) -> Swept:
        sweep = super().sweep
        return await self._through(lambda: sweep(now, limit=limit, max_crashes=max_crashes), "sweep")

    async def call_begin(self, lease: Lease, request: CallRequest, now: datetime) -> CallState:
        call_begin = super().call_begin
        return await self._through(lambda: call_begin(lease, request, now), "call_begin")

    async def call_operation(self, lease: Lease, key: str, operation_id: str) -> None:
        call_operation = super().call_operation
        await self._through(lambda: call_operation(lease, key, operation_id), "call_operation")

    async def call_answer(self, lease: Lease, key: str, answer: CallAnswer, now: datetime) -> None:
        call_answer = super().call_answer
        await self._through(lambda: call_answer(lease, key, answer, now), "call_answer")


async def _told(call: Awaitable[T], slept: str) -> T:
    """What became of the verb before which this process was stopped."""
    try:
        answer = await call
    except LeaseLost as error:
        log.info("after its sleep %s was refused: %s", slept, error)
        raise
    log.info("after its sleep %s answered %s", slept, answer)
    return answer
