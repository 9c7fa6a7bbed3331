"""Migrations create exactly the tables of `tables.py`, once under concurrency, in one transaction."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from tests.support.databases import PostgresServer
from tests.support.fork_server import fork_server
from tests.support.forked_command import run_towpath
from tests.support.timeouts import COMMAND_SECONDS
from towpath.errors import ConfigError, DatabaseUnavailable
from towpath.ledger.database import Database
from towpath.ledger.migrate import is_described, require_current, schema_of, upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.tables import metadata


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The file or dsn of an empty database."""
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


def test_alembic_finds_no_difference_between_a_migrated_database_and_the_tables(
    engine: Engine,
) -> None:
    upgrade(engine)
    with engine.connect() as connection:
        options = {"compare_type": True, "include_name": is_described}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []


def test_a_migrated_database_has_the_same_details_as_one_created_from_the_tables(
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
    """Return the columns with defaults, keys, and indexes with conditions of our tables."""
    inspector = inspect(engine)
    tables = [name for name in inspector.get_table_names() if name in metadata.tables]
    details: dict[str, Any] = {
        table: (
            {
                column["name"]: (str(column["type"]), column["nullable"], _default(column["default"]))
                for column in inspector.get_columns(table)
                if is_described(column["name"], "column", {})
            },
            inspector.get_pk_constraint(table),
            sorted(map(str, inspector.get_foreign_keys(table))),
            sorted(map(str, inspector.get_unique_constraints(table))),
            sorted(
                (
                    str(index["name"]),
                    str(index["column_names"]),
                    bool(index["unique"]),
                    sorted((name, str(value)) for name, value in index.get("dialect_options", {}).items()),
                )
                for index in inspector.get_indexes(table)
                if is_described(index["name"], "index", {})
            ),
            str(inspector.get_table_options(table)),
        )
        for table in tables
    }
    assert set(details) == set(metadata.tables)
    return details


def _default(written: str | None) -> str | None:
    """Normalize a default: SQLite stores it as written, with or without parentheses."""
    return written and written.strip("()").replace("::jsonb", "")


def test_migrating_a_migrated_database_changes_nothing(engine: Engine) -> None:
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("update organizations set name = 'renamed'"))
    upgrade(engine)
    with engine.connect() as connection:
        assert connection.execute(text("select name from organizations")).scalars().all() == ["renamed"]
    require_current(engine)


def _upgrade_again(address: str) -> str | None:
    database = _open(address)
    try:
        upgrade(database.engine)
        require_current(database.engine)
    except Exception as error:  # the parent process reports it
        return repr(error)
    finally:
        database.close()
    return None


def test_four_servers_that_start_at_once_migrate_the_database_once(address: str, engine: Engine) -> None:
    with ProcessPoolExecutor(4, fork_server) as processes:
        assert list(processes.map(_upgrade_again, [address] * 4, timeout=COMMAND_SECONDS)) == [None] * 4
    with engine.connect() as connection:
        assert connection.execute(text("select count(*) from organizations")).scalar() == 1


def test_a_failed_migration_is_rolled_back(engine: Engine) -> None:
    # Given a foreign table with the name of a table that the migrations create late
    with engine.begin() as connection:
        connection.execute(text("create table connections (something integer)"))
    # When the migrations fail on it
    with pytest.raises(DBAPIError):
        upgrade(engine)
    # Then no table was created, and the migrations succeed after the foreign table is dropped
    assert inspect(engine).get_table_names() == ["connections"]
    with engine.begin() as connection:
        connection.execute(text("drop table connections"))
    upgrade(engine)
    require_current(engine)


@pytest.mark.parametrize("version", [None, "0001"])
def test_a_database_with_an_older_schema_is_refused_with_instructions(
    engine: Engine, version: str | None
) -> None:
    if version is not None:
        upgrade(engine)
        with engine.begin() as connection:
            connection.execute(
                text("update alembic_version set version_num = :version"), {"version": version}
            )
    with pytest.raises(ConfigError) as refuse:
        require_current(engine)
    sentence = str(refuse.value)
    assert f"is at schema {version or 'none'} and this program needs" in sentence
    assert "`towpath migrate`" in sentence
    assert "\n" not in sentence


def test_a_database_with_a_newer_schema_is_neither_used_nor_migrated(engine: Engine) -> None:
    upgrade(engine)
    with engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = '9999'"))
    for refuse in (require_current, upgrade):
        with pytest.raises(ConfigError) as error:
            refuse(engine)
        assert "is at schema 9999, which is newer than this program" in str(error.value)
        assert "Install the version" in str(error.value)


def test_an_unreachable_database_is_reported_by_a_sentence(tmp_path: Path) -> None:
    database = PostgresDatabase(f"postgresql://nobody@/nowhere?host={tmp_path}")
    for refuse in (require_current, upgrade):
        with pytest.raises(DatabaseUnavailable, match="The database does not answer"):
            refuse(database.engine)
    database.close()


@pytest.mark.parametrize("command", [["worker"], ["serve", "--no-worker"]], ids=lambda words: words[0])
def test_commands_on_a_database_without_tables_end_with_one_sentence(
    command: list[str], postgres_server: PostgresServer, tmp_path: Path
) -> None:
    dsn = postgres_server.create()
    arguments = [*command, "--database", dsn, "--data", str(tmp_path)]
    ended = run_towpath(*arguments)
    assert ended.returncode == 2
    error = ended.stderr.strip().splitlines()[-1]
    assert error.startswith("towpath: The database is at schema none and this program needs")
    assert "Run `towpath migrate`" in error
    assert "Traceback" not in ended.stderr
    postgres_server.drop(dsn)


def test_sqlite_keeps_a_copy_of_the_database_before_it_is_migrated(tmp_path: Path) -> None:
    file = tmp_path / "towpath.db"
    database = SqliteDatabase(file)
    config = Config()
    config.set_main_option("script_location", "towpath.ledger:migrations")
    with database.engine.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0005")
        connection.execute(text("update organizations set name = 'kept'"))
        connection.commit()
    try:
        upgrade(database.engine)
        upgrade(database.engine)
        require_current(database.engine)
    finally:
        database.close()

    assert [path.name for path in sorted(tmp_path.glob("*.db"))] == ["towpath-schema-0005.db", "towpath.db"]
    copy = SqliteDatabase(tmp_path / "towpath-schema-0005.db")
    try:
        assert schema_of(copy.engine) == "0005"
        with copy.engine.connect() as connection:
            assert connection.execute(text("select name from organizations")).scalars().all() == ["kept"]
    finally:
        copy.close()


def test_a_new_database_has_no_copy(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "towpath.db")
    upgrade(database.engine)
    database.close()

    assert [path.name for path in tmp_path.glob("*.db")] == ["towpath.db"]
