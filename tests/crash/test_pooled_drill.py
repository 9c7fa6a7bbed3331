"""Four workers with a restricted role behind pgbouncer, while Postgres is restarted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.pooled_drill import drill
from tests.support.databases import PostgresServer
from tests.support.timeouts import COMMAND_SECONDS


@pytest.mark.parametrize("documents", [24, pytest.param(60, marks=pytest.mark.long)])
def test_postgres_is_restarted_behind_a_pooler_and_every_document_is_completed_once(
    durable_postgres: PostgresServer, tmp_path: Path, documents: int
) -> None:
    report = drill(durable_postgres, tmp_path, documents=documents, restarts=1, limit=COMMAND_SECONDS)
    assert report.stages == documents * 5
