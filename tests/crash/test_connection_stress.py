"""Documents change while connect jobs run: no foreign-key errors, no deadlocks, and connections can be recomputed."""

from __future__ import annotations

from tests.crash.connection_stress import run_stress
from tests.support.databases import EngineUnderTest


async def test_documents_rewritten_and_deleted_during_connect_cause_no_database_errors(
    engine: EngineUnderTest,
) -> None:
    report = await run_stress(engine, seconds=4.0, seed=7)
    assert report.rewritten + report.deleted > 0
    assert report.foreign_keys == []
    assert report.deadlocks == []
