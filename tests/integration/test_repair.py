"""`towpath check --repair`: deletes no file of a running worker, and none beside a database of another library."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from click.testing import CliRunner

from tests.support.databases import PostgresServer, postgres_engine
from tests.support.factories import a_submission
from towpath.cli import main
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.ledger.contract.settlements import Release
from towpath.ledger.sql_ledger import SqlLedger

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def test_nothing_is_deleted_while_workers_of_postgres_hold_jobs(
    postgres_server: PostgresServer, tmp_path: Path
) -> None:
    dsn = postgres_server.create_migrated()
    orphan = tmp_path / "blobs" / "orgs" / "a" / "answers" / "unsettled"
    orphan.parent.mkdir(parents=True)
    orphan.write_bytes(b"The row that refers to it is written with the settlement.")
    command = ["check", "--repair", "--data", str(tmp_path), "--database", dsn]
    with postgres_engine(dsn) as engine:
        ledger = SqlLedger(engine.database)
        asyncio.run(ledger.submit(a_submission(), NOW))
        (job,) = asyncio.run(ledger.claim(ClaimRequest("anna", limit=1, lease_seconds=30), NOW))

        refused = CliRunner().invoke(main, command, input="y\n")
        assert refused.exit_code != 0
        assert "Stop all servers and workers, then repair." in refused.output
        assert orphan.exists()

        asyncio.run(ledger.settle([Release(job.lease)], NOW))
        assert "1 orphaned (deleted)" in CliRunner().invoke(main, command, input="y\n").output
        assert not orphan.exists()


def test_nothing_is_deleted_beside_an_empty_database(postgres_server: PostgresServer, tmp_path: Path) -> None:
    original = tmp_path / "blobs" / "orgs" / "a" / "originals" / "contract"
    original.parent.mkdir(parents=True)
    original.write_bytes(b"The row that refers to it is in another database.")
    command = ["check", "--repair", "--data", str(tmp_path), "--database", postgres_server.create_migrated()]

    refused = CliRunner().invoke(main, command, input="y\n")

    assert refused.exit_code != 0
    assert "The database knows none of the 1 stored file; nothing was deleted." in refused.output
    assert original.exists()
