"""Checks what must hold after any fault: only the lease holder writes, and no provider call is paid twice."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import func, select

from towpath.drill.instance import Instance
from towpath.drill.lease_audit import answered_twice, lease_violations
from towpath.drill.provider_call_log import count_calls
from towpath.drill.snapshot import MAX_LISTED
from towpath.ledger.tables import (
    document_processing_jobs,
    documents,
    processing_runs,
    provider_calls,
    run_events,
)

_jobs = document_processing_jobs.c


async def violations(undisturbed: Instance, disturbed: Instance) -> list[str]:
    """Every violated invariant, in words."""
    return [
        *await lease_findings(disturbed),
        *await _stages_completed_twice(disturbed),
        *await _unfinished_runs(disturbed),
        *await missing_follow_ups(disturbed),
        *await _repeated_calls(undisturbed, disturbed),
        *_repeated_outside_once(undisturbed, disturbed),
        *await _missing_blobs(disturbed),
    ]


async def lease_findings(disturbed: Instance) -> list[str]:
    """Writes by a process that did not hold the lease, in words."""
    changes = await disturbed.with_retry(lambda: lease_violations(disturbed.database))
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


async def missing_follow_ups(disturbed: Instance) -> list[str]:
    """Documents whose published run has no completed job of a follow-up of its pipeline."""
    pipelines = disturbed.runtime.services.plugins.pipelines
    follow_ups = {pipeline.name: pipeline.follow_ups for pipeline in pipelines}
    published = await disturbed.rows(
        select(
            documents.c.id, documents.c.name, processing_runs.c.pipeline, processing_runs.c.id.label("run_id")
        )
        .join(processing_runs, processing_runs.c.id == documents.c.published_run_id)
        .order_by(documents.c.name)
    )
    completed = await disturbed.rows(
        select(_jobs.run_id, _jobs.stage).where(_jobs.follow_up, _jobs.status == "COMPLETED")
    )
    done = {(str(row.run_id), str(row.stage)) for row in completed}
    missing = [
        f"{row.name}: the follow-up {stage} of its last run was not completed"
        for row in published
        for stage in follow_ups.get(row.pipeline, ())
        if (str(row.run_id), stage) not in done
    ]
    more = len(missing) - MAX_LISTED
    return [*missing[:MAX_LISTED], f"... and {more} more like it"] if more > 0 else missing


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


def _repeated_outside_once(undisturbed: Instance, disturbed: Instance) -> list[str]:
    """Own stages that made calls again which no ledger remembers."""
    expected = count_calls(undisturbed.pool.spec.unremembered_log)
    made = count_calls(disturbed.pool.spec.unremembered_log)
    repeated = Counter[str]()
    for (stage, document_id), times in made.items():
        repeated[stage] += max(0, times - max(1, expected[stage, document_id]))
    return [
        f"the stage {stage} made its calls again {times} times, outside of `once`: a provider bills each of them. "
        "Put them into `context.once`"
        for stage, times in repeated.items()
        if times
    ]


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
