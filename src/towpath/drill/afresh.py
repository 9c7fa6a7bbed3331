"""Connections depend on which documents came first. With all of them there, both copies find them once more.

What the storm left is compared roughly, because the order differed; what both find afresh must be the same.
"""

from __future__ import annotations

from sqlalchemy import delete, func, select

from towpath.drill.copies import Copy
from towpath.drill.storm import Storm
from towpath.ledger.tables import connections, document_processing_jobs

#: The share of the calm copy's connections that the storm must have left standing.
SURVIVE = 0.8
PASSES = 4


async def connections_compared(still: Storm, storm: Storm) -> list[str]:
    """Find every document's connections again in both copies; what was wrong with those of the storm."""
    follow_ups = select(func.count()).where(document_processing_jobs.c.follow_up)
    if not (await still.copy.ask(follow_ups))[0][0]:
        return []
    calm, left = await _pairs(still.copy), await _pairs(storm.copy)
    findings: list[str] = []
    if len(calm & left) < SURVIVE * len(calm):
        findings.append(f"only {len(calm & left)} of {len(calm)} connections survived the storm")
    for copy in (still.copy, storm.copy):
        await copy.patiently(lambda copy=copy: _forget(copy))
    # A pair is passed over while one of the two is being published: then the next pass finds it.
    for _ in range(PASSES):
        for copy in (still.copy, storm.copy):
            for document_id in sorted(copy.names):
                await copy.reprocess(document_id, from_stage="publish")
        if not (await storm.calm_down() and await still.at_rest()):
            return [*findings, "finding connections does not come to an end"]
        if await _pairs(still.copy) == await _pairs(storm.copy):
            break
    return findings


async def _pairs(copy: Copy) -> set[tuple[str, str]]:
    rows = await copy.ask(select(connections.c.a_chunk_id, connections.c.b_chunk_id))
    return {(str(row.a_chunk_id), str(row.b_chunk_id)) for row in rows}


def _forget(copy: Copy) -> None:
    copy.database.transact(lambda tx: tx.connection.execute(delete(connections)) and None)
