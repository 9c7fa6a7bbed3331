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
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.tables import metadata
from towpath.ledger.verbs.old_fulltext_index import has_old_index


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


async def test_chunks_from_before_the_word_index_are_found_at_once_and_after_they_are_indexed(
    database: Database,
):
    upgrade_to(database.engine, "0001")
    old = Collection(database, indexed=False)
    await old.add("The notice period is three months.", "東京都の契約", headings=("Lease",))
    upgrade(database.engine)
    ledger = SqlLedger(database)
    # At first the old index answers, then the word index.
    for indexed in (False, True):
        if indexed:
            assert await ledger.index_words() == 1
            assert await ledger.index_words() == 0
        collection = Collection(database)
        assert await collection.snippets("notice", "text") == ["The notice period is three months."]
        assert await collection.snippets("契約", "text") == ["東京都の契約"]
        assert len(await collection.snippets("lease", "text")) == 2
        assert len(await collection.snippets("three months", "vector")) == 2
    assert not await database.run(has_old_index)


async def test_documents_published_while_older_ones_wait_are_found_beside_them(database: Database):
    upgrade_to(database.engine, "0012")
    await Collection(database, indexed=False).add("The notice period is three months.")
    upgrade(database.engine)
    collection = Collection(database)
    await collection.add("A notice on the door.", "The comet.")
    assert set(await collection.snippets("notice", "text")) == {
        "The notice period is three months.",
        "A notice on the door.",
    }


def test_the_tables_match_their_definition(database: Database):
    upgrade(database.engine)
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": is_described})
        assert compare_metadata(context, metadata) == []
