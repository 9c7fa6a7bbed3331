"""A ledger, files and a worker's executor for one stage: claims, executes and settles its jobs one by one."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import func, select

from towpath.bootstrap.database_and_storage import LargeAnswerBlobs
from towpath.clock import ManualClock
from towpath.ledger.columns import to_json
from towpath.ledger.contract.ledger import ClaimRequest, RunPlan, Submission
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.tables import document_processing_jobs, processing_runs, provider_calls
from towpath.ledger.verbs.apply_write import apply_write
from towpath.model.codec import encode_extraction
from towpath.model.content import Extraction
from towpath.model.document import NewDocument
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import ClaimedJob
from towpath.model.json_types import Json
from towpath.model.outcome import Done, Outcome
from towpath.model.run_stages import OPTION, RunStages
from towpath.model.stage_declaration import CHUNKS
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.process_runner import plain_arguments
from towpath.sdk.plugin_stage_adapter import adapt_stage
from towpath.sdk.stage import OwnStage
from towpath.stages.capabilities import OWN
from towpath.stages.chunk import chunk
from towpath.stages.contract import Context, Stage
from towpath.stages.support.artifact import store, store_content
from towpath.storage.contract import BlobStore, original_key
from towpath.storage.local import LocalStore
from towpath.testing.kill_points import KillableDatabase, KillableRun, Killed
from towpath.worker.executor import Executor, RetryPolicy
from towpath.worker.heartbeat import HeldLease

T = TypeVar("T")

LEASE_SECONDS = 30.0
#: Executions of the jobs of one run: a stage that suspends itself for ever ends here.
MAX_EXECUTIONS = 1_000

_jobs, _runs, _calls = document_processing_jobs.c, processing_runs.c, provider_calls.c


@dataclass(frozen=True, slots=True)
class StageInput:
    """What a test gives to its stage."""

    stage: OwnStage
    text: str
    name: str
    media_type: str
    results: Mapping[str, Mapping[str, object]]
    settings: Mapping[str, object]
    max_attempts: int


@dataclass(frozen=True, slots=True)
class RunResult:
    killed: bool
    status: str
    error: str | None
    result: Mapping[str, object]
    text: str | None
    open_windows: int
    executions: int
    calls_made: int


@dataclass(slots=True)
class StageInstance:
    """An open instance. Its pipeline is the given text, the given results, and the stage."""

    test: StageInput
    ledger: SqlLedger
    database: KillableDatabase
    blobs: BlobStore
    clock: ManualClock
    executor: Executor
    pipeline: Pipeline
    executions: int = 0
    _killed: bool = field(default=False)

    async def run(self, kill_at: int | None) -> RunResult:
        run_id = await self._submit()
        while await self._work_on(run_id, kill_at):
            pass
        return await self._result(run_id)

    async def _submit(self) -> str:
        body = self.test.text.encode("utf-8", "surrogatepass")
        sha256 = hashlib.sha256(body).hexdigest()
        key = original_key(DEFAULT_ORG_ID, sha256[:32])
        await self.blobs.put(key, body)
        document = NewDocument(
            DEFAULT_ORG_ID, self.test.name, "document", self.test.media_type, len(body), sha256, key
        )
        properties = {
            "name": self.test.name,
            "media_type": self.test.media_type,
            "sha256": sha256,
            "blob_key": key,
        }
        options: Json = {"document": properties, OPTION: RunStages(self.pipeline.stage_names).to_json()}
        plan = RunPlan("test", 1, self.pipeline.stage_names, options, max_attempts=self.test.max_attempts)
        submitted = await self.ledger.submit(Submission(document, plan), self.clock.now())
        assert submitted.run_id is not None
        return submitted.run_id

    async def _work_on(self, run_id: str, kill_at: int | None) -> bool:
        """Execute the next job of the run; false when the run has ended."""
        request = ClaimRequest(f"worker-{self.executions}", 1, LEASE_SECONDS)
        jobs = await self.ledger.claim(request, self.clock.now())
        if jobs:
            await self._execute(jobs[0], kill_at)
            return self.executions < MAX_EXECUTIONS
        run = await self.ledger.run(run_id, org_id=DEFAULT_ORG_ID)
        if run.state not in ("QUEUED", "RUNNING"):
            return False
        # The job waits: its lease must end, or its time must come.
        await self.ledger.sweep(self.clock.now())
        await self._move_clock(run_id)
        return True

    async def _execute(self, job: ClaimedJob, kill_at: int | None) -> None:
        own = job.stage == self.test.stage.name
        self.executions += own
        if not own or self._killed:
            await self._work(job)
            return
        try:
            await KillableRun(self._work(job), kill_at)
        except Killed:
            self._killed = True
            await self.database.finish_transactions()
            for task in asyncio.all_tasks() - {cast("asyncio.Task[Any]", asyncio.current_task())}:
                task.cancel()

    async def _work(self, job: ClaimedJob) -> None:
        held = HeldLease(job.lease, time.monotonic() + 3_600.0, lambda: None)
        settlement = await self.executor.execute(job, held, keep=lambda _stage: False)
        if settlement is not None:
            await self.ledger.settle([settlement], self.clock.now(), lease_seconds=LEASE_SECONDS)

    async def _move_clock(self, run_id: str) -> None:
        """Move the clock to the time at which the run's job is due, or its lease has ended."""
        query = select(_jobs.available_at, _jobs.lease_until, _jobs.status).where(
            _jobs.run_id == run_id, _jobs.status.in_(["PENDING", "PROCESSING"])
        )
        [job] = await self.database.run(lambda tx: list(tx.connection.execute(query).all()), read=True)
        due = job.available_at if job.status == "PENDING" else job.lease_until
        self.clock.advance(max(0.0, (due - self.clock.now()).total_seconds()) + 0.001)

    async def _result(self, run_id: str) -> RunResult:
        run = await self.ledger.run(run_id, org_id=DEFAULT_ORG_ID)
        stage = self.test.stage.name
        query = select(_jobs.result).where(_jobs.run_id == run_id, _jobs.stage == stage)
        result = to_json(await self.database.run(lambda tx: tx.connection.execute(query).scalar(), read=True))
        windows = select(func.coalesce(func.sum(_calls.repeated), 0))
        repeated = await self.database.run(lambda tx: tx.connection.execute(windows).scalar_one(), read=True)
        made = cast("Json", result.get(OWN) or {})
        calls = cast("Json", result.get("calls") or {})
        text = (await self.blobs.get(str(made["markdown"]))).decode() if "markdown" in made else None
        shown = {name: value for name, value in result.items() if name not in (OWN, "calls")}
        return RunResult(
            self._killed,
            run.state,
            run.error,
            shown,
            text,
            int(repeated),
            self.executions,
            int(str(calls.get("made", 0))),
        )


@asynccontextmanager
async def open_instance(test: StageInput, folder: Path, clock: ManualClock) -> AsyncGenerator[StageInstance]:
    database = KillableDatabase(folder / "towpath.db")
    try:
        incoming = folder / "incoming"
        incoming.mkdir()
        blobs = LocalStore(folder, incoming)
        ledger = SqlLedger(database, apply_write=apply_write, clock=clock)
        pipeline = _pipeline(test, blobs)
        policy = RetryPolicy(max_attempts=test.max_attempts, fixed_backoff=True)
        executor = Executor(ledger, {"test": pipeline}, LargeAnswerBlobs(blobs), clock, policy)
        yield StageInstance(test, ledger, database, blobs, clock, executor, pipeline)
    finally:
        database.close()


def _pipeline(test: StageInput, blobs: BlobStore) -> Pipeline:
    entries = [StageEntry("extract", _given_text(test.text, blobs))]
    entries += [StageEntry(name, _given_result(result)) for name, result in test.results.items()]
    if CHUNKS in test.stage.declaration.inputs:

        async def split(context: Context) -> Outcome:
            return await chunk(context, blobs=blobs, compute=_InThread())

        entries.append(StageEntry("chunk", split))
    entries.append(StageEntry(test.stage.name, adapt_stage(test.stage, blobs, test.settings)))
    return Pipeline("test", 1, tuple(entries))


def _given_text(text: str, blobs: BlobStore) -> Stage:
    async def given_text(context: Context) -> Outcome:
        encoded = encode_extraction(Extraction(text, "test"))
        content = await store_content(context, blobs, encoded.markdown)
        extraction = await store(context, blobs, "extraction", "json", "application/json", encoded.extraction)
        result = {
            "extraction": extraction.key,
            "markdown": content.key,
            "markdown_bytes": content.size,
            "markdown_sha256": content.sha256,
        }
        return Done(result, [content, extraction])

    return given_text


def _given_result(result: Mapping[str, object]) -> Stage:
    async def given_result(_context: Context) -> Outcome:
        return Done(dict(result))

    return given_result


class _InThread:
    """Runs what a worker runs in a child process."""

    async def run(self, function: Callable[..., T], *arguments: object, **_limits: Any) -> T:
        return await asyncio.to_thread(function, *plain_arguments(arguments))
