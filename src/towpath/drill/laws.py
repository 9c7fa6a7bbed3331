"""What must hold in a copy however it was treated: one worker writes about a job, and every call is paid once."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import func, select

from towpath.drill.audit import answered_twice, dishonest_changes
from towpath.drill.copies import Copy
from towpath.drill.picture import TOLD
from towpath.drill.toll import calls_in
from towpath.ledger.tables import document_processing_jobs, processing_runs, provider_calls, run_events

_jobs = document_processing_jobs.c


async def broken_laws(calm: Copy, storm: Copy) -> list[str]:
    """Every law that was broken in the storm, in words."""
    return [
        *await unfenced(storm),
        *await _stages_done_twice(storm),
        *await _never_ended(storm),
        *await _paid_twice(calm, storm),
        *await _files_lost(storm),
    ]


async def unfenced(storm: Copy) -> list[str]:
    """Writes under a lease that was somebody else's."""
    found = await storm.patiently(lambda: dishonest_changes(storm.database))
    told = [f"the fence was crossed: {change}" for change in found[:TOLD]]
    return [*told, f"... and {len(found) - TOLD} more like it"] if len(found) > TOLD else told


async def _stages_done_twice(storm: Copy) -> list[str]:
    query = (
        select(_jobs.document_id, _jobs.stage, func.count().label("times"))
        .where(_jobs.status == "COMPLETED", ~_jobs.follow_up)
        .group_by(_jobs.document_id, _jobs.run_id, _jobs.stage)
        .having(func.count() > 1)
    )
    found = await storm.ask(query)
    return [
        f"{storm.names.get(str(row.document_id))}: the stage {row.stage} was completed {row.times} times in one run"
        for row in found[:TOLD]
    ]


async def _never_ended(storm: Copy) -> list[str]:
    runs = processing_runs.c
    going = select(func.count()).where(runs.state.in_(["QUEUED", "RUNNING"]))
    [row] = await storm.ask(going)
    return [f"{row[0]} runs never ended"] if row[0] else []


async def _paid_twice(calm: Copy, storm: Copy) -> list[str]:
    """What providers were really asked, against what the ledger remembers."""
    found: list[str] = []
    twice = await storm.patiently(lambda: answered_twice(storm.database))
    if twice:
        found.append(f"{twice} provider calls were answered twice")
    wanted, asked = calls_in(calm.crew.orders.tolls), calls_in(storm.crew.orders.tolls)
    for name, count in Counter(call for call, content in wanted if (call, content) not in asked).items():
        found.append(f"{count} calls of {name} were never made")
    for name, count in Counter(call for call, content in asked if (call, content) not in wanted).items():
        found.append(f"{count} calls of {name} ask for what nobody needs")
    again = asked.total() - len(asked)
    windows = await open_windows(storm)
    if again > windows:
        found.append(f"{again} provider calls were made again, and only {windows} open windows are counted")
    return found


async def open_windows(copy: Copy) -> int:
    [row] = await copy.ask(select(func.coalesce(func.sum(provider_calls.c.reopened), 0)))
    return int(row[0])


async def _files_lost(storm: Copy) -> list[str]:
    wanted = await storm.towpath.services.catalogue.blob_keys()
    there = {key async for key in storm.towpath.services.blobs.keys("")}
    return [f"{len(wanted - there)} files that rows point to are lost"] if wanted - there else []


async def events(copy: Copy) -> dict[str, int]:
    """How often each kind of thing happened to the runs of this copy."""
    query = select(run_events.c.kind, func.count().label("times")).group_by(run_events.c.kind)
    return {row.kind: int(row.times) for row in await copy.ask(query)}
