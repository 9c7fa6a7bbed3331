"""A connection never points to a chunk that is not there, and finding them never fails for it."""

from __future__ import annotations

from tests.crash.connection_storm import storm
from tests.support.databases import EngineUnderTest


async def test_given_documents_that_are_rewritten_and_deleted_while_connect_runs_then_nothing_breaks(
    engine: EngineUnderTest,
) -> None:
    weather = await storm(engine, seconds=4.0, seed=7)
    assert weather.rewritten + weather.deleted > 0
    assert weather.foreign_keys == []
    assert weather.deadlocks == []
