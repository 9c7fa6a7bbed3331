"""Four workers, a pgbouncer, roles that own nothing, and a Postgres that is restarted under all of them."""

from __future__ import annotations

from pathlib import Path

from tests.crash.two_thousand import drill
from tests.support.databases import PostgresServer


def test_postgres_is_restarted_behind_a_pooler_and_every_document_is_completed_once(
    durable_postgres: PostgresServer, tmp_path: Path
) -> None:
    report = drill(durable_postgres, tmp_path, documents=60, restarts=1, patience=120.0)
    assert report.stages == 60 * 5
