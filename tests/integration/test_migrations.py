"""Migrations build exactly what `tables.py` says, once, whoever else is at it, or nothing at all."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from tests.support.databases import PostgresServer
from towpath.errors import ConfigError, DatabaseUnavailable
from towpath.ledger.database import Database
from towpath.ledger.migrate import is_described, require_current, upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.tables import metadata


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An empty database, named as `_open` understands it."""
    if request.param == "sqlite":
        yield str(tmp_path / "new.db")
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        dsn = server.create()
        yield dsn
        server.drop(dsn)


@pytest.fixture
def engine(address: str) -> Iterator[Engine]:
    database = _open(address)
    yield database.engine
    database.close()


def _open(address: str) -> Database:
    return PostgresDatabase(address) if "://" in address else SqliteDatabase(Path(address))


def test_given_an_empty_database_when_migrated_then_alembic_sees_no_difference_to_the_tables(
    engine: Engine,
) -> None:
    upgrade(engine)
    with engine.connect() as connection:
        options = {"compare_type": True, "include_name": is_described}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []


def test_given_an_empty_database_when_migrated_then_every_detail_is_as_the_tables_would_make_it(
    engine: Engine, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    upgrade(engine)
    if engine.dialect.name == "sqlite":
        other = _open(str(tmp_path / "made.db"))
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        other = _open(server.create())
        with other.engine.begin() as connection:
            connection.execute(text("create extension vector"))
    metadata.create_all(other.engine)
    try:
        assert _details(engine) == _details(other.engine)
    finally:
        other.close()


def _details(engine: Engine) -> dict[str, Any]:
    """All that the engine knows of our tables: columns with defaults, keys, indexes with conditions."""
    found = inspect(engine)
    tables = [name for name in found.get_table_names() if name in metadata.tables]
    details: dict[str, Any] = {
        table: (
            {
                column["name"]: (str(column["type"]), column["nullable"], _default(column["default"]))
                for column in found.get_columns(table)
                if is_described(column["name"], "column", {})
            },
            found.get_pk_constraint(table),
            sorted(map(str, found.get_foreign_keys(table))),
            sorted(map(str, found.get_unique_constraints(table))),
            sorted(
                (
                    str(index["name"]),
                    str(index["column_names"]),
                    bool(index["unique"]),
                    sorted((name, str(value)) for name, value in index.get("dialect_options", {}).items()),
                )
                for index in found.get_indexes(table)
                if is_described(index["name"], "index", {})
            ),
            str(found.get_table_options(table)),
        )
        for table in tables
    }
    assert set(details) == set(metadata.tables)
    return details


def _default(written: str | None) -> str | None:
    """SQLite keeps a default as it was written, with or without brackets around it."""
    return written and written.strip("()").replace("::jsonb", "")


def test_given_a_migrated_database_when_migrated_again_then_nothing_happens(engine: Engine) -> None:
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("update organizations set name = 'renamed'"))
    upgrade(engine)
    with engine.connect() as connection:
        assert connection.execute(text("select name from organizations")).scalars().all() == ["renamed"]
    require_current(engine)


def _upgrade_once_more(address: str) -> str | None:
    database = _open(address)
    try:
        upgrade(database.engine)
        require_current(database.engine)
    except Exception as error:  # the parent shows whatever it was
        return repr(error)
    finally:
        database.close()
    return None


def test_given_four_servers_that_start_at_once_then_the_database_is_migrated_once(
    address: str, engine: Engine
) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    with ProcessPoolExecutor(4, context) as processes:
        assert list(processes.map(_upgrade_once_more, [address] * 4, timeout=120)) == [None] * 4
    with engine.connect() as connection:
        assert connection.execute(text("select count(*) from organizations")).scalar() == 1


def test_given_a_migration_that_breaks_half_way_then_nothing_of_it_is_left(engine: Engine) -> None:
    # Given a stranger's table where the migrations want to make one of theirs, after many others
    with engine.begin() as connection:
        connection.execute(text("create table connections (something integer)"))
    # When they run into it
    with pytest.raises(DBAPIError):
        upgrade(engine)
    # Then nothing was made, and they go through once it is out of the way
    assert inspect(engine).get_table_names() == ["connections"]
    with engine.begin() as connection:
        connection.execute(text("drop table connections"))
    upgrade(engine)
    require_current(engine)


@pytest.mark.parametrize("have", [None, "0001"])
def test_given_a_database_that_is_behind_then_the_program_refuses_and_says_what_to_do(
    engine: Engine, have: str | None
) -> None:
    if have is not None:
        upgrade(engine)
        with engine.begin() as connection:
            connection.execute(text("update alembic_version set version_num = :have"), {"have": have})
    with pytest.raises(ConfigError) as refused:
        require_current(engine)
    sentence = str(refused.value)
    assert f"is at schema {have or 'none'} and this program needs" in sentence
    assert "`towpath migrate`" in sentence
    assert "\n" not in sentence


def test_given_a_database_that_is_ahead_then_neither_work_nor_migration_touches_it(engine: Engine) -> None:
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    for refused in (require_current, upgrade):
        with pytest.raises(ConfigError) as said:
            refused(engine)
        assert "is at schema 9999, which is newer than this program" in str(said.value)
        assert "Install the version" in str(said.value)


def test_given_no_database_then_a_sentence_says_so(tmp_path: Path) -> None:
    database = PostgresDatabase(f"postgresql://nobody@/nowhere?host={tmp_path}")
    for refused in (require_current, upgrade):
        with pytest.raises(DatabaseUnavailable, match="The database does not answer"):
            refused(database.engine)
    database.close()


@pytest.mark.parametrize("command", [["worker"], ["serve", "--no-worker"]], ids=lambda words: words[0])
def test_given_a_database_without_tables_then_the_commands_end_with_one_sentence(
    command: list[str], postgres_server: PostgresServer, tmp_path: Path
) -> None:
    dsn = postgres_server.create()
    given = [*command, "--database", dsn, "--data", str(tmp_path)]
    ended = subprocess.run(
        [sys.executable, "-m", "towpath", *given], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 2
    said = ended.stderr.strip().splitlines()[-1]
    assert said.startswith("towpath: The database is at schema none and this program needs")
    assert "Run `towpath migrate`" in said
    assert "Traceback" not in ended.stderr
    postgres_server.drop(dsn)
