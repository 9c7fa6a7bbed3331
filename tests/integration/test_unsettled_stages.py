"""Short stages of small documents run before the stage before them is settled, and are settled with it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from tests.integration.worker_harness import WorkerHarness
from towpath.errors import LeaseLost
from towpath.ledger.contract.settlements import Settled, Settlement
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.tables import provider_calls
from towpath.ledger.verbs.apply_write import apply_write
from towpath.model.event import EventKind
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import JobStatus, WaitingReason
from towpath.model.outcome import Done, Outcome, Suspend
from towpath.model.provider_answer import Answer
from towpath.model.run import RunState
from towpath.stages.contract import Context, ProviderCall, Stage
from towpath.worker.executor import SHORT_TEXT_BYTES

STAGES = ("extract", "save_markdown", "chunk", "embed", "publish")


class CountingLedger(SqlLedger):
    """Records the stages that each settlement completes."""

    settled: list[int]

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        for item in settlements:
            link, length = item, 0
            while link is not None:
                link, length = getattr(link, "then", None), length + 1
            self.settled.append(length)
        return await super().settle(settlements, now, lease_seconds=lease_seconds)


CALL = ProviderCall("local", "model", {}, "an input")


async def _answer() -> Answer:
    return Answer(b"vectors", {"texts": 1.0})


def _calls(harness: WorkerHarness) -> list[tuple[str, str, int]]:
    """Status, provider and reuses of the stored calls."""
    query = select(provider_calls.c.status, provider_calls.c.provider, provider_calls.c.reused)
    rows = harness.engine.database.transact(lambda tx: tx.connection.execute(query).all(), read=True)
    return [(str(row.status), str(row.provider), int(row.reused)) for row in rows]


def _ledger(harness: WorkerHarness) -> CountingLedger:
    ledger = CountingLedger(harness.engine.ledger.database)
    ledger.settled = []
    return ledger


def _stages(size: int = 2_000, **others: Stage) -> dict[str, Stage]:
    async def extract(_context: Context) -> Outcome:
        return Done({"markdown_bytes": size})

    async def record(context: Context) -> Outcome:
        return Done({"stages_before": list(context.results)})

    return {name: others.get(name, extract if name == "extract" else record) for name in STAGES}


async def test_a_small_document_is_settled_in_one_transaction(harness: WorkerHarness) -> None:
    ledger = _ledger(harness)
    submitted = await harness.submit(*STAGES)
    async with harness.run_worker(_stages(), ledger=ledger) as worker:
        run = await harness.wait_until_ended(submitted)
    assert (run.state, ledger.settled) == (RunState.COMPLETED, [5])
    jobs = await harness.jobs(submitted)
    assert [(job.stage, job.status, job.lease_epoch, job.locked_by) for job in jobs] == [
        (stage, JobStatus.COMPLETED, 1, worker.name) for stage in STAGES
    ]
    assert jobs[-1].result == {"stages_before": list(STAGES[:-1])}
    events = await harness.engine.ledger.events(str(submitted.run_id), org_id=DEFAULT_ORG_ID)
    steps = [(event.kind, event.stage) for event in events if event.stage is not None]
    kinds = (EventKind.STEP_STARTED, EventKind.STEP_COMPLETED)
    assert steps == [(kind, stage) for stage in STAGES for kind in kinds]


@pytest.mark.parametrize("needs", ["call", "write"])
async def test_the_stages_before_one_that_writes_about_its_job_are_settled_first(
    harness: WorkerHarness, needs: str
) -> None:
    started: list[str] = []

    async def embed(context: Context) -> Outcome:
        started.append(context.stage)
        if needs == "write":
            await context.write()
        else:
            await context.call_once(CALL, _answer)
        return Done({"stages_before": list(context.results)})

    ledger = _ledger(harness)
    submitted = await harness.submit(*STAGES)
    async with harness.run_worker(_stages(embed=embed), ledger=ledger):
        run = await harness.wait_until_ended(submitted)
    assert (run.state, ledger.settled, len(started)) == (RunState.COMPLETED, [3, 2], 2)
    jobs = await harness.jobs(submitted)
    assert [(job.status, job.attempts, job.lease_epoch) for job in jobs] == [(JobStatus.COMPLETED, 0, 1)] * 5


async def test_the_answer_of_a_brief_call_is_stored_with_the_result_of_its_stage(
    harness: WorkerHarness,
) -> None:
    async def embed(context: Context) -> Outcome:
        answer = await context.call_once(replace(CALL, is_brief=True), _answer)
        assert _calls(harness) == known
        return Done({"body": answer.body.decode()})

    known: list[tuple[str, str, int]] = []
    for reused in range(2):
        # The ledger of the other tests applies no writes.
        ledger = CountingLedger(harness.engine.ledger.database, apply_write=apply_write)
        ledger.settled = []
        submitted = await harness.submit(*STAGES)
        async with harness.run_worker(_stages(embed=embed), ledger=ledger):
            run = await harness.wait_until_ended(submitted)
        assert (run.state, ledger.settled) == (RunState.COMPLETED, [5])
        result = {job.stage: job.result for job in await harness.jobs(submitted)}["embed"]
        assert result == {"body": "vectors", "calls": {"made": 1 - reused, "reused": reused, "cost": 0.0}}
        known = [("ANSWERED", "local", 1)]
        assert _calls(harness) == [("ANSWERED", "local", reused)]


async def test_each_stage_of_a_large_document_has_its_own_checkpoint(harness: WorkerHarness) -> None:
    ledger = _ledger(harness)
    submitted = await harness.submit(*STAGES)
    async with harness.run_worker(_stages(SHORT_TEXT_BYTES + 1), ledger=ledger):
        await harness.wait_until_ended(submitted)
    assert ledger.settled == [1] * len(STAGES)


async def test_a_stage_that_takes_long_is_settled_before_the_next_one(harness: WorkerHarness) -> None:
    async def extract(_context: Context) -> Outcome:
        await asyncio.sleep(0.6)
        return Done({"markdown_bytes": 2_000})

    ledger = _ledger(harness)
    submitted = await harness.submit(*STAGES)
    async with harness.run_worker(_stages(extract=extract), ledger=ledger):
        await harness.wait_until_ended(submitted)
    assert ledger.settled[0] == 1


@pytest.mark.parametrize("fault", ["fails", "waits"])
async def test_the_stages_before_one_that_is_not_completed_are_kept(
    harness: WorkerHarness, fault: str
) -> None:
    seen: list[str] = []

    async def chunk(context: Context) -> Outcome:
        seen.append(context.stage)
        if len(seen) > 1:
            return Done({"chunks": 2})
        if fault == "fails":
            raise ValueError("a bad chunk")
        return Suspend(context.now() + timedelta(seconds=0.05), WaitingReason.STORAGE)

    async def save_markdown(context: Context) -> Outcome:
        seen_before.append(context.stage)
        return Done({"markdown": "content.md"})

    seen_before: list[str] = []
    submitted = await harness.submit(*STAGES)
    async with harness.run_worker(_stages(chunk=chunk, save_markdown=save_markdown)):
        run = await harness.wait_until_ended(submitted)
    assert (run.state, len(seen), len(seen_before)) == (RunState.COMPLETED, 2, 1)
    jobs = {job.stage: job for job in await harness.jobs(submitted)}
    assert (jobs["chunk"].attempts, jobs["chunk"].lease_epoch) == (int(fault == "fails"), 2)
    assert (jobs["extract"].attempts, jobs["extract"].lease_epoch) == (0, 1)


async def test_a_write_that_is_refused_fails_its_own_stage_only(harness: WorkerHarness) -> None:
    attempts: list[str] = []

    async def chunk(context: Context) -> Outcome:
        attempts.append(context.stage)
        # The ledger of this test applies no writes.
        return Done({}, writes=["unknown"] if len(attempts) == 1 else [])  # pyright: ignore[reportArgumentType]

    ledger = _ledger(harness)
    submitted = await harness.submit(*STAGES)
    async with harness.run_worker(_stages(chunk=chunk), ledger=ledger):
        run = await harness.wait_until_ended(submitted)
    jobs = {job.stage: job for job in await harness.jobs(submitted)}
    assert (run.state, jobs["chunk"].attempts) == (RunState.COMPLETED, 1)
    assert (jobs["extract"].attempts, jobs["save_markdown"].attempts) == (0, 0)
