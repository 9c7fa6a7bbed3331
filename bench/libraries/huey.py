"""Huey 3 on SQLite: a task is deleted from the queue before it runs, workers poll."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from huey import SqliteHuey

from bench.libraries.contract import Measure, NotMeasured, QueueLibrary, Task, hold
from bench.libraries.counters import WorkerCounters

# With the default first poll of 100 ms the pick-up latency would only show the poll interval.
POLL_SECONDS = 0.01
LONGEST_POLL_SECONDS = 0.1


class Huey(QueueLibrary):
    key = "huey"
    label = "Huey"
    engine = "sqlite"
    schema = "huey"
    settings = (
        f"WAL, fsync=True, one thread per worker process, polls every {POLL_SECONDS * 1000:.0f} ms at first"
    )
    absent: Mapping[Measure, str] = {
        "submit_bulk": "no bulk call",
        "durable": "a task is one step",
        "million": "finished tasks leave no rows",
        "idle": "no server to ask",
        "kill": "the task is deleted when it is claimed, so it is lost",
    }

    def __init__(self) -> None:
        self._huey: _Huey | None = None

    async def setup(self, dsn: str) -> None:
        _Huey(dsn).close()

    async def connect(self, dsn: str) -> None:
        self._huey = _Huey(dsn)

    async def close(self) -> None:
        self._opened.close()

    async def submit(self, task: Task, index: int) -> None:
        self._opened.submit(task, index)

    async def submit_bulk(self, count: int) -> None:
        raise NotMeasured("huey has no bulk call")

    async def fill(self, count: int) -> None:
        """Insert many rows with the same bytes that Huey writes for such a task."""
        self._opened.fill(count)

    async def unfinished(self) -> int:
        return self._opened.waiting()

    def work(self, dsn: str, counters: WorkerCounters) -> None:
        worker = _Huey(dsn, counters)
        counters.wait_for_start()
        worker.consume()

    @property
    def _opened(self) -> _Huey:
        assert self._huey is not None
        return self._huey


class _Huey:
    """A typed wrapper of the untyped library."""

    def __init__(self, path: str, counters: WorkerCounters | None = None) -> None:
        self._library: Any = SqliteHuey("bench", filename=path, fsync=True)

        def noop(index: int) -> None:
            if counters is not None:
                counters.began(index)

        def hold_job(index: int) -> None:
            noop(index)
            hold()

        self._tasks: dict[Task, Callable[[int], object]] = {
            "noop": self._library.task(name="noop")(noop),
            "hold": self._library.task(name="hold")(hold_job),
        }

    def submit(self, task: Task, index: int) -> None:
        self._tasks[task](index)

    def fill(self, count: int) -> None:
        self.submit("noop", 0)
        self._library.storage.sql(
            "INSERT INTO task (queue, data, priority) SELECT queue, data, priority FROM task, "
            "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n)",
            (count - 1,),
            commit=True,
        )

    def waiting(self) -> int:
        return cast(int, self._library.storage.queue_size())

    def consume(self) -> None:
        self._library.create_consumer(
            workers=1, periodic=False, initial_delay=POLL_SECONDS, max_delay=LONGEST_POLL_SECONDS
        ).run()

    def close(self) -> None:
        self._library.storage.close()


LIBRARIES = (Huey(),)
