"""Stops a coroutine at each of its awaits in turn, as a killed process would, and reports the results."""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Coroutine, Generator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from towpath.ledger.database import Work
from towpath.ledger.sqlite.database import SqliteDatabase

T = TypeVar("T")


class Killed(BaseException):
    """The process was killed at this await."""


def _abandon(coroutine: object) -> None:
    """Never close it, not even at the end of the program: a killed process runs no `finally` block."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(coroutine))


class KillableRun(Generic[T]):
    """Runs a coroutine up to its n-th await that gives control to the event loop; None runs it to its end."""

    def __init__(self, coroutine: Coroutine[Any, Any, T], kill_at: int | None) -> None:
        self._coroutine = coroutine
        self._kill_at = kill_at
        self.awaits = 0

    def __await__(self) -> Generator[Any, Any, T]:
        send: Any = None
        error: BaseException | None = None
        while True:
            try:
                yielded = self._coroutine.send(send) if error is None else self._coroutine.throw(error)
            except StopIteration as stop:
                return stop.value
            self.awaits += 1
            if self.awaits == self._kill_at:
                _abandon((self._coroutine, yielded))
                raise Killed
            send, error = None, None
            try:
                send = yield yielded
            except BaseException as thrown:
                error = thrown


class KillableDatabase(SqliteDatabase):
    """A database with two points for a kill at each transaction: before it begins, and after its commit."""

    in_progress: set[asyncio.Future[Any]]

    async def run(
        self, work: Work[T], *, single: bool = False, read: bool = False, org: str | None = None
    ) -> T:
        await asyncio.sleep(0)
        running = asyncio.ensure_future(super().run(work, single=single, read=read, org=org))
        self._track(running)
        return await asyncio.shield(running)

    def _track(self, running: asyncio.Future[Any]) -> None:
        self.in_progress = getattr(self, "in_progress", set[asyncio.Future[Any]]())
        self.in_progress.add(running)
        running.add_done_callback(self.in_progress.discard)

    async def finish_transactions(self) -> None:
        """Wait for the transactions that a killed process had begun: SQLite ends each of them whole or not at all."""
        waiting = set(getattr(self, "in_progress", ()))
        if waiting:
            await asyncio.wait(waiting)


@dataclass(frozen=True, slots=True)
class KillPoint:
    """What happened after a kill at one await, and after the job was worked again by another worker."""

    number: int
    status: str
    error: str | None
    billed: int
    #: Billed calls beyond the first one of each.
    repeated: int
    #: Kills between a call and the storage of its answer, which the ledger counts: such a call may be billed twice.
    open_windows: int
    outside_once: int
    same_result: bool

    @property
    def finding(self) -> str | None:
        """What is wrong, in words."""
        if self.status != "COMPLETED":
            return f"the run ended as {self.status}: {self.error}"
        if self.repeated > self.open_windows:
            reason = " outside of `once`" if self.outside_once else ""
            return f"{self.repeated} calls{reason} were billed again"
        if not self.same_result:
            return "the result is another one than without a kill"
        return None


@dataclass(frozen=True, slots=True)
class KillReport:
    """The kills at every await of a stage."""

    points: tuple[KillPoint, ...]
    #: Calls that a run without a kill is billed for.
    calls: int = 0
    findings: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        findings = (
            f"killed at await {point.number}: {point.finding}" for point in self.points if point.finding
        )
        object.__setattr__(self, "findings", tuple(findings))

    def assert_paid_once(self) -> None:
        """Fail unless every kill led to the same result, and no answered call was billed again."""
        assert self.points, "the stage has no await at which it could be killed"
        more = len(self.findings) - 5
        shown = [*self.findings[:5], *([f"and {more} more"] if more > 0 else [])]
        assert not self.findings, "\n".join(shown)
