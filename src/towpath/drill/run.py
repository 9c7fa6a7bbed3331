"""Runs a drill: processes batches of documents with and without faults, and compares both instances."""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, select

from towpath.drill import invariants
from towpath.drill.chaos import ChaosRunner
from towpath.drill.fault_injection import FaultInjectingLedger, LedgerFactory
from towpath.drill.instance import Instance, OwnPipeline, open_instance
from towpath.drill.provider_call_log import count_calls
from towpath.drill.recompute_connections import recompute_connections
from towpath.drill.redis_server import DrillRedis, private_redis
from towpath.drill.report import Report
from towpath.drill.sample_documents import SampleDocument, files_in, sample_documents
from towpath.drill.snapshot import differences, take_snapshot
from towpath.errors import UserError
from towpath.job_queue.contract import JobQueue
from towpath.ledger.tables import chunks, document_processing_jobs, processing_runs

#: A batch that is not finished under faults in this time is finished without faults.
LONGEST_BATCH = 60.0
#: Faults are injected for at least this long in each batch, also where the undisturbed instance took all the time.
SHORTEST_BATCH = 5.0
#: A stage that fails so often without a fault does not work.
MAX_UNDISTURBED_ATTEMPTS = 20


@dataclass(frozen=True, slots=True)
class DrillOptions:
    """Options of one drill."""

    minutes: float = 10.0
    seed: int = 0
    documents: int = 16
    database: str | None = None
    folder: Path | None = None
    restart_command: str | None = None
    #: The pipeline of all documents; without it, the shipped ones.
    own: OwnPipeline | None = None
    queue: str = "database"

    def other_flags(self) -> dict[str, str]:
        """The flags except seed and minutes; the database URL is shortened because it may contain a password."""
        given = {
            "documents": str(self.documents) if self.folder is None else None,
            "folder": str(self.folder) if self.folder else None,
            "database": "postgresql://..." if self.database else None,
            "pipeline": self.own.name if self.own else None,
            "queue": self.queue if self.queue != "database" else None,
        }
        return {name: value for name, value in given.items() if value is not None}


async def drill(
    options: DrillOptions,
    log_line: Callable[[str], None],
    ledger_factory: LedgerFactory = FaultInjectingLedger,
    queue_class: Callable[..., JobQueue] | None = None,
) -> Report:
    """Run the drill. The folder of a drill with findings is kept.

    ``ledger_factory`` and ``queue_class`` let tests plant a bug. With ``queue = bullmq`` the undisturbed instance
    claims from the database all the same: both queues must lead to the same content.
    """
    if options.queue == "bullmq" and options.database is None:
        raise UserError("--queue bullmq needs Postgres: name a server with --database.")
    root = Path(tempfile.mkdtemp(prefix="towpath-drill-"))
    given = list(files_in(options.folder)) if options.folder else None
    if given is not None and not given:
        raise UserError(f"No files found in {options.folder}.")
    keep_folder = False
    try:
        async with contextlib.AsyncExitStack() as stack:
            redis = stack.enter_context(private_redis(root / "redis")) if options.queue == "bullmq" else None
            undisturbed, disturbed = [
                await stack.enter_async_context(
                    open_instance(
                        root / name,
                        options.database,
                        child_processes=given is not None,
                        ledger_factory=factory,
                        own=options.own,
                        redis=redis if name == "disturbed" else None,
                        queue_class=queue_class,
                    )
                )
                for name, factory in (("undisturbed", FaultInjectingLedger), ("disturbed", ledger_factory))
            ]
            report = await _run_batches(options, given, undisturbed, disturbed, redis, log_line)
        keep_folder = not report.green
        return report
    finally:
        if not keep_folder:
            shutil.rmtree(root, ignore_errors=True)


async def _run_batches(
    options: DrillOptions,
    given: list[SampleDocument] | None,
    undisturbed: Instance,
    disturbed: Instance,
    redis: DrillRedis | None,
    log_line: Callable[[str], None],
) -> Report:
    started = time.monotonic()
    until = started + options.minutes * 60.0
    rng = random.Random(options.seed)
    chaos = ChaosRunner(disturbed, rng, options.restart_command, redis)
    undisturbed_runner = ChaosRunner(undisturbed, rng, None)
    undisturbed.pool.start()
    undisturbed.pool.start()
    batch = reprocessed = 0
    done = True
    everything = given is not None or options.own is not None
    # A second batch processes the documents of the first one again, which shows calls that are not remembered.
    fewest = 1 if options.own is None else 2
    while batch < fewest or time.monotonic() < until:
        fresh = (
            sample_documents(options.seed, batch, options.documents)
            if given is None
            else given
            if batch == 0
            else []
        )
        known = sorted(disturbed.document_names)
        share = len(known) if everything else max(1, options.documents // 4)
        again = rng.sample(known, min(len(known), share))
        await _process_undisturbed(undisturbed_runner, fresh)
        chaos.expected_chunks.update(await _chunk_counts(undisturbed))
        for name, body in fresh:
            await disturbed.submit(name, body)
        for document_id in again:
            await disturbed.reprocess(document_id)
        reprocessed += len(again)
        # Faults pause at the end of a batch; otherwise a slow machine would never reach the next one.
        now = time.monotonic()
        done = await chaos.run(min(now + LONGEST_BATCH, max(until, now + SHORTEST_BATCH)))
        if not done:
            done = await chaos.finish_undisturbed()
        batch += 1
        started_workers = disturbed.pool.action_counts["started"]
        log_line(
            f"batch {batch}: {len(disturbed.document_names)} documents, {started_workers} workers started"
        )
        # After a finding, more batches would add no information.
        if (
            not done
            or chaos.partial_documents
            or disturbed.pool.unexpected_exits
            or await invariants.lease_findings(disturbed)
        ):
            break
    findings = [] if done and await chaos.finish_undisturbed() else await _stuck(disturbed)
    if done and "connect" in _follow_ups(undisturbed):
        findings += await recompute_connections(undisturbed_runner, chaos)
    for instance in (disturbed, undisturbed):
        await asyncio.to_thread(instance.pool.retire)
    findings += await _findings(chaos, undisturbed, disturbed)
    return await _report(
        options, chaos, undisturbed, disturbed, reprocessed, findings, time.monotonic() - started
    )


async def _process_undisturbed(undisturbed_runner: ChaosRunner, fresh: list[SampleDocument]) -> None:
    for name, body in fresh:
        await undisturbed_runner.instance.submit(name, body)
    while await undisturbed_runner.unfinished():
        undisturbed_runner.instance.pool.reap(0.0)
        if undisturbed_runner.instance.pool.unexpected_exits:
            raise UserError(
                f"The undisturbed instance does not work: {undisturbed_runner.instance.pool.unexpected_exits[0]}"
            )
        await _require_progress(undisturbed_runner.instance)
        await asyncio.sleep(0.05)


async def _require_progress(undisturbed: Instance) -> None:
    """Raise UserError if a stage fails again and again although nothing disturbs it."""
    jobs = document_processing_jobs.c
    failing = await undisturbed.rows(
        select(jobs.stage, jobs.error_log).where(jobs.attempts >= MAX_UNDISTURBED_ATTEMPTS).limit(1)
    )
    runs = processing_runs.c
    failed = await undisturbed.rows(select(runs.error).where(runs.state == "FAILED").limit(1))
    own = undisturbed.pipeline
    if failing:
        last = str(failing[0].error_log).rsplit("\n", 1)[-1]
        raise UserError(f"The stage {failing[0].stage} fails without any fault: {last}")
    if own is not None and failed:
        raise UserError(f"The pipeline {own} fails without any fault: {failed[0].error}")


def _follow_ups(instance: Instance) -> tuple[str, ...]:
    listed = instance.runtime.services.plugins.pipelines
    name = instance.pipeline or "document"
    return next(pipeline.follow_ups for pipeline in listed if pipeline.name == name)


async def _chunk_counts(undisturbed: Instance) -> dict[str, int]:
    count = func.count().label("chunk_count")
    query = select(chunks.c.document_id, count).group_by(chunks.c.document_id)
    return {str(row.document_id): int(row.chunk_count) for row in await undisturbed.rows(query)}


async def _stuck(disturbed: Instance) -> list[str]:
    overview = await disturbed.runtime.services.queries.overview(None, disturbed.runtime.services.clock.now())
    jobs = ", ".join(f"{row.jobs} {row.stage} {row.status}" for row in overview.queue)
    return [f"the work does not end without faults: {jobs}"]


async def _findings(chaos: ChaosRunner, undisturbed: Instance, disturbed: Instance) -> list[str]:
    partial = list(chaos.partial_documents.values())
    return [
        *disturbed.pool.unexpected_exits[:3],
        *(f"a part of a document was visible: {text}" for text in partial[:5]),
        *differences(
            await take_snapshot(undisturbed),
            await take_snapshot(disturbed),
            exact=undisturbed.runtime.settings.embedded,
        ),
        *await invariants.violations(undisturbed, disturbed),
    ]


def _engine(options: DrillOptions) -> str:
    if options.queue == "bullmq":
        return "Postgres with BullMQ"
    return "SQLite" if options.database is None else "Postgres"


async def _report(
    options: DrillOptions,
    chaos: ChaosRunner,
    undisturbed: Instance,
    disturbed: Instance,
    reprocessed: int,
    findings: list[str],
    seconds: float,
) -> Report:
    snapshot = await take_snapshot(disturbed)
    made_calls = count_calls(disturbed.pool.spec.call_log)
    return Report(
        engine=_engine(options),
        seed=options.seed,
        minutes=options.minutes,
        seconds=seconds,
        documents=len(disturbed.document_names),
        reprocessed=reprocessed,
        chunks=snapshot.count("chunks"),
        vectors=snapshot.count("vectors"),
        fields=snapshot.count("fields"),
        connections=snapshot.count("connections"),
        calls=snapshot.calls,
        calls_repeated=made_calls.total() - len(made_calls),
        open_windows=await invariants.open_windows(disturbed),
        checks=chaos.checks,
        action_counts=dict(sorted(disturbed.pool.action_counts.items())),
        restarts=chaos.restarts,
        events=await invariants.event_counts(disturbed),
        findings=findings,
        other_flags=options.other_flags(),
        kept_folder=str(disturbed.pool.spec.folder.parent) if findings else None,
    )
