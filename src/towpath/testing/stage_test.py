"""Runs one own stage as a worker does, on a SQLite ledger in a temporary folder."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tempfile
import threading
import time
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from towpath.clock import ManualClock
from towpath.ledger import migrate
from towpath.ledger.schema_version import newest_schema
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.sdk.stage import OwnStage
from towpath.testing.kill_points import KillPoint, KillReport
from towpath.testing.paid_calls import PaidCalls
from towpath.testing.single_stage_ledger import RunResult, StageInput, open_instance

T = TypeVar("T")

#: More awaits than this are not tried one by one.
MAX_KILLS = 2_000


@dataclass(frozen=True, slots=True)
class StageRun:
    """The end of a run: its status, and what the stage made."""

    status: str
    result: Mapping[str, object]
    text: str | None
    error: str | None
    #: How often the stage was executed; more than once after `Suspend` and after errors.
    executions: int
    #: Calls through `Context.once` that were really made.
    calls_made: int


class StageTest:
    """A test of one stage. Each run has its own ledger, so nothing is remembered from the run before.

    ``text`` is the text that the stages before it read; ``results`` are their results by name; ``settings`` is the
    table `[stages.NAME]`. ``clock`` moves only as the stage waits: a suspended stage continues at once.
    """

    #: Not a class of tests, though its name begins with the word.
    __test__ = False

    def __init__(
        self,
        stage: OwnStage,
        *,
        text: str = "",
        name: str = "test.txt",
        media_type: str = "text/plain",
        results: Mapping[str, Mapping[str, object]] | None = None,
        settings: Mapping[str, object] | None = None,
        paid: PaidCalls | None = None,
        clock: ManualClock | None = None,
        max_attempts: int = 2,
    ) -> None:
        self.clock = clock or ManualClock()
        self.paid = paid
        self._instance = StageInput(
            stage, text, name, media_type, dict(results or {}), dict(settings or {}), max_attempts
        )

    def run(self) -> StageRun:
        """Run the stage to its end, without a kill."""
        if self.paid is not None:
            self.paid.reset()
        ended = _run(self._run(None))
        return StageRun(
            ended.status, ended.result, ended.text, ended.error, ended.executions, ended.calls_made
        )

    def kill_at_every_await(self) -> KillReport:
        """Run the stage once for each of its awaits: killed there, then worked again by another worker.

        Every kill begins with an empty ledger. The points before and after each write to the ledger are among them.
        """
        undisturbed = self.run()
        calls = 0 if self.paid is None else self.paid.count
        points: list[KillPoint] = []
        for number in range(1, MAX_KILLS + 1):
            if self.paid is not None:
                self.paid.reset()
            ended = _run(self._run(number))
            if not ended.killed:
                break
            points.append(self._point(number, undisturbed, ended))
        return KillReport(tuple(points), calls)

    def _point(self, number: int, undisturbed: StageRun, ended: RunResult) -> KillPoint:
        paid = self.paid or PaidCalls()
        return KillPoint(
            number,
            ended.status,
            ended.error,
            paid.count,
            paid.repeated,
            ended.open_windows,
            paid.outside_once,
            (ended.result, ended.text) == (undisturbed.result, undisturbed.text),
        )

    async def _run(self, kill_at: int | None) -> RunResult:
        folder = Path(tempfile.mkdtemp(prefix="towpath-test-"))
        try:
            shutil.copy(_template(), folder / "towpath.db")
            async with open_instance(self._instance, folder, self.clock) as instance:
                return await instance.run(kill_at)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@cache
def _template() -> Path:
    """A migrated SQLite file, made once for each process and schema."""
    schema = hashlib.sha256(f"{newest_schema()} {time.time_ns()}".encode()).hexdigest()[:12]
    file = Path(tempfile.mkdtemp(prefix=f"towpath-schema-{schema}-")) / "towpath.db"
    database = SqliteDatabase(file)
    migrate.upgrade(database.engine)
    database.close()
    return file


def _run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a thread with its own event loop, so that async tests can call it too."""
    results: list[T] = []
    errors: list[BaseException] = []

    def main() -> None:
        try:
            results.append(asyncio.run(coroutine))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=main, name="towpath-test")
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
