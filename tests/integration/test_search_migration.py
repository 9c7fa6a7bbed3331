"""The search migration: older chunks are found after it, and the tables match their definition."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Engine

from tests.support.databases import PostgresServer
from tests.support.search_collection import Collection
from towpath.ledger.database import Database
from towpath.ledger.migrate import is_described, upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.tables import metadata


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path):
    """A database without any tables."""
    if request.param == "sqlite":
        empty: Database = SqliteDatabase(tmp_path / "ledger.db")
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        empty = PostgresDatabase(server.create())
    yield empty
    empty.close()


def upgrade_to(engine: Engine, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", "towpath.ledger:migrations")
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        connection.commit()


async def test_chunks_from_before_the_migration_are_found_after_it(database: Database):
    upgrade_to(database.engine, "0001")
    collection = Collection(database)
    await collection.add("The notice period is three months.", "東京都の契約", headings=("Lease",))
    upgrade(database.engine)
    assert await collection.snippets("notice", "text") == ["The notice period is three months."]
    assert await collection.snippets("契約", "text") == ["東京都の契約"]
    assert len(await collection.snippets("lease", "text")) == 2
    assert len(await collection.snippets("three months", "vector")) == 2


def test_the_tables_match_their_definition(database: Database):
    upgrade(database.engine)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": is_described})
        assert compare_metadata(context, metadata) == []
