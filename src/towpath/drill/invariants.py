"""Invariants that hold after any faults: only the lease holder writes, and no provider call is paid twice."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import func, select

from towpath.drill.audit import answered_twice, fence_violations
from towpath.drill.call_log import count_calls
from towpath.drill.instance import Instance
from towpath.drill.snapshot import MAX_LISTED
from towpath.ledger.tables import document_processing_jobs, processing_runs, provider_calls, run_events

_jobs = document_processing_jobs.c


async def violations(undisturbed: Instance, disturbed: Instance) -> list[str]:
    """Every violated invariant, in words."""
    return [
        *await fence_findings(disturbed),
        *await _stages_completed_twice(disturbed),
        *await _unfinished_runs(disturbed),
        *await _repeated_calls(undisturbed, disturbed),
        *await _missing_blobs(disturbed),
    ]


async def fence_findings(disturbed: Instance) -> list[str]:
    """Writes by a process that did not hold the lease, in words."""
    changes = await disturbed.with_retry(lambda: fence_violations(disturbed.database))
    texts = [f"write without the lease: {change}" for change in changes[:MAX_LISTED]]
    more = len(changes) - MAX_LISTED
    return [*texts, f"... and {more} more like it"] if more > 0 else texts


async def _stages_completed_twice(disturbed: Instance) -> list[str]:
    query = (
        select(_jobs.document_id, _jobs.stage, func.count().label("times"))
        .where(_jobs.status == "COMPLETED", ~_jobs.follow_up)
        .group_by(_jobs.document_id, _jobs.run_id, _jobs.stage)
        .having(func.count() > 1)
    )
    stages = await disturbed.rows(query)
    names = disturbed.document_names
    return [
        f"{names.get(str(row.document_id))}: stage {row.stage} was completed {row.times} times in one run"
        for row in stages[:MAX_LISTED]
    ]


async def _unfinished_runs(disturbed: Instance) -> list[str]:
    runs = processing_runs.c
    unfinished = select(func.count()).where(runs.state.in_(["QUEUED", "RUNNING"]))
    [row] = await disturbed.rows(unfinished)
    return [f"{row[0]} runs never ended"] if row[0] else []


async def _repeated_calls(undisturbed: Instance, disturbed: Instance) -> list[str]:
    """Compare the calls that were really made with the ledger."""
    findings: list[str] = []
    twice = await disturbed.with_retry(lambda: answered_twice(disturbed.database))
    if twice:
        findings.append(f"{twice} provider calls were answered twice")
    expected = count_calls(undisturbed.pool.spec.call_log)
    made = count_calls(disturbed.pool.spec.call_log)
    for name, count in Counter(call for call, content in expected if (call, content) not in made).items():
        findings.append(f"{count} calls of {name} were never made")
    for name, count in Counter(call for call, content in made if (call, content) not in expected).items():
        findings.append(f"{count} calls of {name} are not needed by any document")
    repeated = made.total() - len(made)
    windows = await open_windows(disturbed)
    if repeated > windows:
        findings.append(
            f"{repeated} provider calls were repeated, and only {windows} open windows are counted"
        )
    return findings


async def open_windows(instance: Instance) -> int:
    [row] = await instance.rows(select(func.coalesce(func.sum(provider_calls.c.repeated), 0)))
    return int(row[0])


async def _missing_blobs(disturbed: Instance) -> list[str]:
    expected = await disturbed.runtime.services.queries.blob_keys()
    stored = {key async for key in disturbed.runtime.services.blobs.keys("")}
    missing = expected - stored
    return [f"{len(missing)} files that rows point to are lost"] if missing else []


async def event_counts(instance: Instance) -> dict[str, int]:
    """The number of events of each kind."""
    query = select(run_events.c.kind, func.count().label("times")).group_by(run_events.c.kind)
    return {row.kind: int(row.times) for row in await instance.rows(query)}
