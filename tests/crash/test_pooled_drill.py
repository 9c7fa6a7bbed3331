"""Four workers with a restricted role behind pgbouncer, while Postgres is restarted."""

from __future__ import annotations

from pathlib import Path

from tests.crash.pooled_drill import drill
from tests.support.databases import PostgresServer
from tests.support.timeouts import COMMAND_SECONDS


def test_postgres_is_restarted_behind_a_pooler_and_every_document_is_completed_once(
    durable_postgres: PostgresServer, tmp_path: Path
) -> None:
    report = drill(durable_postgres, tmp_path, documents=60, restarts=1, limit=COMMAND_SECONDS)
    assert report.stages == 60 * 5
