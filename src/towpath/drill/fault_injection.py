"""A ledger that kills or stops its own process before or after a chosen use of a chosen verb."""

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

from towpath.clock import SystemClock
from towpath.errors import LeaseLost
from towpath.ledger.contract.ledger import ClaimRequest, SweepResult
from towpath.ledger.contract.provider_calls import CallAnswer, CallRequest, CallState
from towpath.ledger.contract.settlements import (
    Advance,
    Fail,
    Finish,
    Release,
    Settled,
    Settlement,
    Suspended,
    settled_together,
)
from towpath.ledger.database import Database, Work
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.verbs.apply_write import apply_write
from towpath.model.job import ClaimedJob, Lease, Progress

T = TypeVar("T")

log = logging.getLogger(__name__)

VERB_OF: dict[type[Settlement], str] = {
    Advance: "advance",
    Finish: "finish",
    Fail: "fail",
    Suspended: "suspend",
    Release: "release",
}

#: Verbs around which a fault can be injected.
VERBS = (
    *VERB_OF.values(),
    *("claim", "heartbeat", "progress", "sweep", "begin_call", "save_operation_id", "save_answer"),
)


@dataclass(frozen=True, slots=True)
class FaultPoint:
    """A signal that the process sends to itself before or after its n-th use of a ledger verb."""

    signal: signal.Signals
    moment: str
    verb: str
    nth: int

    def __post_init__(self) -> None:
        if self.verb not in VERBS:
            raise ValueError(f"The ledger has no verb {self.verb!r}; there are {', '.join(VERBS)}.")

    @classmethod
    def parse(cls, signal: signal.Signals, text: str) -> FaultPoint:
        moment, verb, nth = text.split(":")
        return cls(signal, moment, verb, int(nth))


class StoppableSqlite(SqliteDatabase):
    """SQLite that lets a process be stopped only between transactions.

    A process stopped inside a transaction would hold SQLite's only write lock and block all others."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.between_transactions = threading.Lock()

    def _transact_once(self, work: Work[T], *, single: bool, read: bool, org: str | None) -> T:
        with self.between_transactions:
            return super()._transact_once(work, single=single, read=read, org=org)


class FaultInjectingLedger(SqlLedger):
    """The real ledger with fault points around its verbs; ``on_fault`` is called before each signal is sent."""

    def __init__(
        self,
        database: Database,
        fault_points: Sequence[FaultPoint],
        on_fault: Callable[[FaultPoint], None] = lambda _fault_point: None,
    ) -> None:
        super().__init__(database, apply_write=apply_write, clock=SystemClock())
        self._fault_points = fault_points
        self._announce = on_fault
        self._between_transactions = (
            database.between_transactions
            if isinstance(database, StoppableSqlite)
            else contextlib.nullcontext()
        )
        self._use_counts = Counter[str]()
        self._lock = threading.Lock()

    def _inject(self, moment: str, uses: dict[str, int]) -> str | None:
        for fault_point in self._fault_points:
            if fault_point.moment == moment and uses.get(fault_point.verb) == fault_point.nth:
                with self._between_transactions:
                    self._announce(fault_point)
                    # To this thread: a signal sent to the process would take effect some time later.
                    signal.pthread_kill(threading.get_ident(), fault_point.signal)
                return fault_point.verb
        return None

    def _count(self, *verbs: str) -> dict[str, int]:
        with self._lock:
            self._use_counts.update(verbs)
            return {verb: self._use_counts[verb] for verb in verbs}

    async def _with_faults(self, call: Callable[[], Awaitable[T]], *verbs: str) -> T:
        uses = self._count(*verbs)
        stopped_verb = self._inject("before", uses)
        # Shielded: a worker that wakes up cancels its jobs while their writes are in progress.
        answer = await (call() if stopped_verb is None else asyncio.shield(_log_result(call(), stopped_verb)))
        self._inject("after", uses)
        return answer

    async def claim(self, request: ClaimRequest, now: datetime) -> list[ClaimedJob]:
        claim = super().claim
        return await self._with_faults(lambda: claim(request, now), "claim")

    def heartbeat(self, leases: Sequence[Lease], lease_seconds: float, now: datetime) -> set[str]:
        uses = self._count("heartbeat")
        stopped_verb = self._inject("before", uses)
        kept = super().heartbeat(leases, lease_seconds, now)
        if stopped_verb is not None:
            log.info("after its stop heartbeat answered %s", kept)
        self._inject("after", uses)
        return kept

    async def progress(self, lease: Lease, progress: Progress, now: datetime) -> None:
        save = super().progress
        await self._with_faults(lambda: save(lease, progress, now), "progress")

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        settle = super().settle
        verbs = {VERB_OF[type(link)] for item in settlements for link in settled_together(item)}
        return await self._with_faults(lambda: settle(settlements, now, lease_seconds=lease_seconds), *verbs)

    async def sweep(
        self, now: datetime, *, limit: int = 100, dead_workers: Sequence[str] = ()
    ) -> SweepResult:
        sweep = super().sweep
        return await self._with_faults(lambda: sweep(now, limit=limit, dead_workers=dead_workers), "sweep")

    async def begin_call(self, lease: Lease, request: CallRequest, now: datetime) -> CallState:
        begin_call = super().begin_call
        return await self._with_faults(lambda: begin_call(lease, request, now), "begin_call")

    async def has_answer(self, org_id: str, key: str) -> bool:
        """True, so that every call is stored before it is made: the answers of brief calls are stored with the
        settlement of their stage, and the drill could not tell their repetitions from errors."""
        return True

    async def save_operation_id(self, lease: Lease, key: str, operation_id: str) -> None:
        save_operation_id = super().save_operation_id
        await self._with_faults(lambda: save_operation_id(lease, key, operation_id), "save_operation_id")

    async def save_answer(self, lease: Lease, key: str, answer: CallAnswer, now: datetime) -> None:
        save_answer = super().save_answer
        await self._with_faults(lambda: save_answer(lease, key, answer, now), "save_answer")


async def _log_result(call: Awaitable[T], stopped_verb: str) -> T:
    """Log the result of the verb before which this process was stopped."""
    try:
        answer = await call
    except LeaseLost as error:
        log.info("after its stop %s was refused: %s", stopped_verb, error)
        raise
    log.info("after its stop %s answered %s", stopped_verb, answer)
    return answer


#: Makes the ledger of a worker. A test passes a subclass with a planted bug, to prove that the drill finds it.
LedgerFactory = Callable[[Database, Sequence[FaultPoint], Callable[[FaultPoint], None]], FaultInjectingLedger]
