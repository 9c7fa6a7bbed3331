"""Counts what a Towpath does inside its process: statements, commits, fsyncs, blob writes, calls of child processes.

The counting itself is a few additions per statement. SQLite syncs its log once per commit; the syncs of its
checkpoints (one per 1,000 pages) are not counted.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import psutil
import psycopg
from sqlalchemy import event
from sqlalchemy.engine import Engine

from towpath.storage.local import LocalStore
from towpath.worker.child_process import ChildProcess

counts: Counter[str] = Counter()
_CONTROL = {
    "begin": "",
    "commit": "",
    "rollback": "",
    "savepoint": "",
    "release": "",
    "pragma": "",
    "set": "",
}
_TICK = os.sysconf("SC_CLK_TCK")


class _SqliteCursor(sqlite3.Cursor):
    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        cast("_SqliteConnection", self.connection).count(sql)
        return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Any, /) -> sqlite3.Cursor:
        cast("_SqliteConnection", self.connection).count(sql)
        return super().executemany(sql, parameters)


class _SqliteConnection(sqlite3.Connection):
    _changes: int | None = None

    def cursor(self, factory: Any = _SqliteCursor) -> Any:
        return super().cursor(factory)

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        return self.cursor().execute(sql, parameters)

    def count(self, sql: str) -> None:
        word = _first_word(sql)
        _count_statement(word, sql)
        if sql == "begin immediate":
            self._changes = self.total_changes
        if word == "commit":
            counts["transactions"] += 1
            changed = self._changes is not None and self.total_changes > self._changes
            counts["commits with fsync"] += changed
            counts["fsyncs"] += changed
            self._changes = None


class _PostgresCursor(psycopg.Cursor[Any]):
    def execute(self, query: Any, *arguments: Any, **options: Any) -> Any:
        _count_statement(_first_word(str(query)), str(query))
        return super().execute(query, *arguments, **options)

    def executemany(self, query: Any, *arguments: Any, **options: Any) -> None:
        _count_statement("", str(query))
        super().executemany(query, *arguments, **options)


def _count_statement(word: str, sql: str) -> None:
    if word not in _CONTROL:
        counts["statements"] += 1
        counts[f"sql {sql}"] += 1


def _first_word(sql: str) -> str:
    return sql[:12].partition(" ")[0].lower()


def install() -> None:
    """Count from now on, in this process."""

    def connect(dialect: Any, _record: object, _arguments: object, options: dict[str, Any]) -> None:
        if dialect.name == "sqlite":
            options["factory"] = _SqliteConnection
        else:
            options["cursor_factory"] = _PostgresCursor

    event.listen(Engine, "do_connect", connect)
    raw = cast("Any", psycopg.RawCursor)
    raw.execute = _counted_statement(raw.execute)
    os.fsync = _counted(os.fsync, lambda _: "fsyncs")
    store = cast("Any", LocalStore)
    store._move_into_place = _counted(store._move_into_place, lambda _: "blob writes")
    child = cast("Any", ChildProcess)
    child.call = _counted(child.call, lambda arguments: f"hop {arguments[1][1]}")


def _counted_statement(execute: Callable[..., Any]) -> Callable[..., Any]:
    """The verbs of the ledger run on cursors of their own, which no factory makes."""

    def count(cursor: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        _count_statement(_first_word(str(query)), str(query))
        return execute(cursor, query, *arguments, **options)

    return count


def _counted(function: Callable[..., Any], kind: Callable[[tuple[Any, ...]], str]) -> Callable[..., Any]:
    def count(*arguments: Any, **options: Any) -> Any:
        counts[kind(arguments)] += 1
        return function(*arguments, **options)

    return count


def snapshot() -> dict[str, float]:
    """The counts so far, bytes written, and seconds of CPU by thread of this process and by child process."""
    values = defaultdict[str, float](float, counts)
    names = {thread.native_id: _part(thread.name) for thread in threading.enumerate()}
    own = psutil.Process()
    values["cpu total"] = _seconds(Path("/proc/self/stat"))
    values["bytes written"] = own.io_counters().write_bytes
    for thread in Path("/proc/self/task").iterdir():
        values[f"cpu {names.get(int(thread.name), 'other threads')}"] += _seconds(thread / "stat")
    ended = os.times()
    values["cpu child processes"] += ended.children_user + ended.children_system
    for child in own.children(recursive=True):
        try:
            part = "connect process" if child.nice() == 19 else "child processes"
            values[f"cpu {part}"] += _seconds(Path(f"/proc/{child.pid}/stat"))
        except (psutil.Error, OSError):
            continue
    return dict(values)


def _part(thread: str) -> str:
    if thread == "MainThread":
        return "event loop"
    if thread.startswith("ledger-sqlite-writer"):
        return "database writer"
    return "database threads" if thread.startswith("ledger") else "file threads"


def _seconds(stat: Path) -> float:
    """User and system seconds of a process or thread that runs."""
    values = stat.read_text().rpartition(") ")[2].split()
    return (int(values[11]) + int(values[12])) / _TICK
