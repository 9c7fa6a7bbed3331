"""The processes of one Towpath instance for the chaos drill: a server, workers, and their database."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil
from sqlalchemy import text

from tests.support.databases import PostgresServer
from tests.support.forked_command import ForkedCommand
from tests.support.ports import free_port
from tests.support.timeouts import PROCESS_SECONDS
from towpath.errors import DatabaseUnavailable
from towpath.ledger.database import Database
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase

#: Long enough for a worker to renew it on a machine with many times more work than cores.
LEASE_SECONDS = 15.0
#: Besides the lease and the wait between attempts, everything is the default of a user, `max_crashes` too.
SETTINGS = {
    "TOWPATH_LEASE_SECONDS": str(LEASE_SECONDS),
    "TOWPATH_HEARTBEAT_SECONDS": "5",
    "TOWPATH_BACKOFF_SCALE": "0.05",
    "TOWPATH_EMBEDDER": "openai",
    "TOWPATH_READER": "local",
    "TOWPATH_CHILD_PROCESSES": "1",
}
WORKERS = 3


@dataclass(slots=True)
class ChaosInstance:
    """Starts, signals and restarts the processes of one instance; only processes that it started itself."""

    folder: Path
    settings: Mapping[str, str]
    #: The commands to keep running, by name.
    commands: dict[str, list[str]]
    port: int
    postgres: PostgresServer | None = None
    open_database: Callable[[], Database] = field(kw_only=True)
    processes: dict[str, ForkedCommand] = field(default_factory=dict[str, ForkedCommand])
    _wake_at: dict[str, float] = field(default_factory=dict[str, float])
    _children: dict[int, psutil.Process] = field(default_factory=dict[int, psutil.Process])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def restart_processes(self) -> None:
        """Start every process that does not run, and continue stopped ones whose time is over."""
        for name, command in self.commands.items():
            process = self.processes.get(name)
            if process is None or process.poll() is not None:
                self._wake_at.pop(name, None)
                self.processes[name] = self._start(name, command)
            elif name in self._wake_at and time.monotonic() >= self._wake_at[name]:
                del self._wake_at[name]
                process.send_signal(signal.SIGCONT)

    def running(self) -> list[str]:
        return [name for name, process in self.processes.items() if process.poll() is None]

    def kill(self, name: str) -> None:
        self._record_children(name)
        self.processes[name].kill()
        self.processes[name].wait(PROCESS_SECONDS)

    def kill_all(self) -> None:
        for name in self.running():
            self.kill(name)

    def continue_all(self) -> None:
        for name in list(self._wake_at):
            self._continue(name)

    def terminate(self, name: str) -> None:
        self._record_children(name)
        self._continue(name)
        self.processes[name].terminate()

    def stop(self, name: str, leases: float) -> None:
        """Stop the process for a multiple of its lease."""
        self.processes[name].send_signal(signal.SIGSTOP)
        self._wake_at[name] = time.monotonic() + leases * LEASE_SECONDS

    def restart_database(self, how: signal.Signals) -> None:
        """Restart Postgres; the embedded server has its database inside and is restarted itself."""
        if self.postgres is not None:
            self.postgres.restart(how)
        else:
            self.terminate("server")

    def stop_all(self) -> list[int]:
        """Stop every process by SIGTERM; their exit codes."""
        for name in self.running():
            self.terminate(name)
        return [process.wait(PROCESS_SECONDS) for process in self.processes.values()]

    def close(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()

    def answers(self) -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.url}/ready", timeout=5).status_code == 200
        return False

    def is_working(self) -> bool:
        """Whether the server answers and every worker is registered. Starts or continues those that should run."""
        self.restart_processes()
        workers = sum(name != "server" for name in self.processes)
        with suppress(DatabaseUnavailable):
            return self.answers() and (workers == 0 or self.live_registrations() == workers)
        return False

    def count(self, query: str) -> int:
        database = self.open_database()
        try:
            row = database.transact(lambda tx: tx.connection.execute(text(query)).scalar_one(), read=True)
            return int(row or 0)
        finally:
            database.close()

    def live_registrations(self) -> int:
        """Registered workers among the processes that were started last. Rows of killed workers expire."""
        names = {process.pid for process in self.processes.values()}
        listed = ", ".join(map(str, sorted(names)))
        return self.count(f"select count(*) from workers where pid in ({listed})")

    def surviving_children(self) -> int:
        """Child processes of ended processes that still run after ten seconds."""
        # Not `psutil.wait_procs`: it raises FileNotFoundError for a process that ends at that moment.
        until = time.monotonic() + 10
        while (running := sum(map(_runs, self._children.values()))) and time.monotonic() < until:
            time.sleep(0.1)
        return running

    def wrong_blobs(self) -> dict[str, int]:
        """Blobs that rows miss, and blobs without a row after a repair: an upload may be killed before its row."""
        storage: dict[str, list[str]] = {}
        for flags in (["--repair"], []):
            check = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "towpath",
                    "check",
                    "--json",
                    *flags,
                    "--data",
                    str(self.folder / "data"),
                ],
                capture_output=True,
                text=True,
                check=False,
                env=self._environment(),
                # On Postgres it asks whether every process has stopped.
                input="y\n",
            )
            storage = json.loads(check.stdout[check.stdout.index("{") :])["storage"]
        return {"missing blobs": len(storage["missing"]), "blobs without a row": len(storage["orphans"])}

    def _start(self, name: str, command: list[str]) -> ForkedCommand:
        arguments = [*command, "--data", str(self.folder / "data")]
        return ForkedCommand(arguments, self.folder / f"{name}.log", self._environment())

    def _environment(self) -> dict[str, str]:
        return {**os.environ, **self.settings}

    def _continue(self, name: str) -> None:
        if self._wake_at.pop(name, None) is not None and self.processes[name].poll() is None:
            self.processes[name].send_signal(signal.SIGCONT)

    def _record_children(self, name: str) -> None:
        with suppress(psutil.NoSuchProcess):
            for child in psutil.Process(self.processes[name].pid).children(recursive=True):
                self._children[child.pid] = child


@contextmanager
def embedded_instance(folder: Path, emulators: Mapping[str, str]) -> Generator[ChaosInstance]:
    """One server with its worker, on SQLite."""
    port = free_port()
    file = folder / "data" / "towpath.db"
    instance = ChaosInstance(
        folder,
        {**SETTINGS, **emulators},
        {"server": ["serve", "--port", str(port)]},
        port,
        open_database=lambda: SqliteDatabase(file),
    )
    try:
        yield instance
    finally:
        instance.close()


@contextmanager
def postgres_instance(
    folder: Path, emulators: Mapping[str, str], server: PostgresServer
) -> Generator[ChaosInstance]:
    """A server without a worker, and three workers, on a private Postgres."""
    port, dsn = free_port(), server.create_migrated()
    commands = {"server": ["serve", "--no-worker", "--port", str(port)]}
    commands |= {f"worker-{number}": ["worker"] for number in range(1, WORKERS + 1)}
    settings = {**SETTINGS, **emulators, "TOWPATH_DATABASE": dsn}
    instance = ChaosInstance(
        folder, settings, commands, port, server, open_database=lambda: PostgresDatabase(dsn)
    )
    try:
        yield instance
    finally:
        instance.close()


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
