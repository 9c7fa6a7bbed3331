"""Compares the connections of the disturbed instance with those of the undisturbed one.

Connections depend on the order in which documents arrived. The connections at the end of the chaos are
therefore compared roughly. Then both instances recompute all of them, and these must be equal.
"""

from __future__ import annotations

from sqlalchemy import delete, func, select

from towpath.drill.chaos import ChaosRunner
from towpath.drill.instance import Instance
from towpath.ledger.tables import connections, document_processing_jobs

#: The share of the undisturbed instance's connections that must exist after the chaos.
MIN_SURVIVING_SHARE = 0.8
PASSES = 4


async def compare_connections(undisturbed_runner: ChaosRunner, chaos: ChaosRunner) -> list[str]:
    """Recompute the connections of every document in both instances; return the differences in words."""
    follow_ups = select(func.count()).where(document_processing_jobs.c.follow_up)
    if not (await undisturbed_runner.instance.rows(follow_ups))[0][0]:
        return []
    undisturbed, left = await _pairs(undisturbed_runner.instance), await _pairs(chaos.instance)
    findings: list[str] = []
    if len(undisturbed & left) < MIN_SURVIVING_SHARE * len(undisturbed):
        findings.append(
            f"only {len(undisturbed & left)} of {len(undisturbed)} connections survived the chaos"
        )
    for instance in (undisturbed_runner.instance, chaos.instance):
        await instance.with_retry(lambda instance=instance: _delete_connections(instance))
    # connect skips a pair while one of its documents is being published; the next pass finds that pair.
    for _ in range(PASSES):
        for instance in (undisturbed_runner.instance, chaos.instance):
            for document_id in sorted(instance.document_names):
                await instance.reprocess(document_id, from_stage="publish")
        if not (await chaos.finish_undisturbed() and await undisturbed_runner.wait_until_idle()):
            return [*findings, "the connect jobs do not end"]
        if await _pairs(undisturbed_runner.instance) == await _pairs(chaos.instance):
            break
    return findings


async def _pairs(instance: Instance) -> set[tuple[str, str]]:
    rows = await instance.rows(select(connections.c.a_chunk_id, connections.c.b_chunk_id))
    return {(str(row.a_chunk_id), str(row.b_chunk_id)) for row in rows}


def _delete_connections(instance: Instance) -> None:
    instance.database.transact(lambda tx: tx.connection.execute(delete(connections)) and None)
