"""Recomputes all connections of the disturbed and the undisturbed instance in the same order, to compare them.

Connections depend on the documents that the library had when they were computed, and faults change this order: the
connections at the end of the chaos are not comparable. Both instances therefore recompute all of them, one document
after another in the same order, and `snapshot.differences` requires equal results. That a `connect` job was lost is
found by `invariants.missing_follow_ups`.
"""

from __future__ import annotations

from sqlalchemy import delete, func, select

from towpath.drill.chaos import ChaosRunner
from towpath.drill.instance import Instance
from towpath.ledger.tables import connections, document_processing_jobs

PASSES = 4


async def recompute_connections(undisturbed_runner: ChaosRunner, chaos: ChaosRunner) -> list[str]:
    """Recompute the connections of every document in both instances; return what prevents it, in words."""
    follow_ups = select(func.count()).where(document_processing_jobs.c.follow_up)
    if not (await undisturbed_runner.instance.rows(follow_ups))[0][0]:
        return []
    for instance in (undisturbed_runner.instance, chaos.instance):
        await instance.with_retry(lambda instance=instance: _delete_connections(instance))
    for _ in range(PASSES):
        for runner in (undisturbed_runner, chaos):
            pool = runner.instance.pool
            pool.kill_all()
            for document_id in sorted(runner.instance.document_names):
                await runner.instance.reprocess(document_id, from_stage="publish")
            pool.start(concurrency=1)
            if not await runner.wait_until_idle():
                return ["the connect jobs do not end"]
        if await _pairs(undisturbed_runner.instance) == await _pairs(chaos.instance):
            break
    return []


async def _pairs(instance: Instance) -> set[tuple[str, str]]:
    rows = await instance.rows(select(connections.c.a_chunk_id, connections.c.b_chunk_id))
    return {(str(row.a_chunk_id), str(row.b_chunk_id)) for row in rows}


def _delete_connections(instance: Instance) -> None:
    instance.database.transact(lambda tx: tx.connection.execute(delete(connections)) and None)
