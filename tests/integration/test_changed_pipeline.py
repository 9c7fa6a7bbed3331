"""A changed pipeline leaves running runs alone; versions and inputs of stages decide which results are reused."""

from __future__ import annotations

import time
from collections.abc import Sequence

from tests.contract.ledger_driver import LEASE_SECONDS, LedgerDriver
from tests.integration.worker_harness import NO_BACKOFF, ArtifactFolder
from tests.support.databases import EngineUnderTest
from tests.support.factories import a_plan
from towpath.clock import ManualClock
from towpath.config.pipelines import PipelineSettings
from towpath.ledger.contract.ledger import RunPlan
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.outcome import Done, Outcome
from towpath.model.run_stages import OPTION
from towpath.model.stage_declaration import StageDeclaration
from towpath.pipelines.compose import ComposedPipeline, available_stages, compose
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.stages.contract import Context, Stage
from towpath.worker.executor import Executor
from towpath.worker.heartbeat import HeldLease

NAMES = ("read", "tags", "words", "index")


def _declared(versions: dict[str, int]) -> list[StageDeclaration]:
    """`tags` and `words` read the raw data independently of each other; `index` uses the words."""
    inputs = {"read": (), "tags": ("raw",), "words": ("raw",), "index": ("words",)}
    outputs = {"read": ("raw",), "tags": ("tags",), "words": ("words",), "index": ()}
    return [
        StageDeclaration(name, inputs[name], outputs[name], versions.get(name, 1), package="test")
        for name in NAMES
    ]


class Installation:
    """A worker with these stages and one pipeline of them, on a ledger."""

    def __init__(self, engine: EngineUnderTest, clock: ManualClock) -> None:
        self.driver = LedgerDriver(engine, clock)
        self.executed: list[str] = []
        self.configure(NAMES)

    def configure(self, stages: Sequence[str], **versions: int) -> None:
        """Restart with another pipeline, or with other versions of the stages."""
        declared = _declared(versions)
        settings = PipelineSettings("document", tuple(stages))
        self.composed: ComposedPipeline = compose(settings, available_stages(declared))
        entries = {name: StageEntry(name, self._stage(name)) for name in NAMES}
        pipeline = Pipeline(
            "document", 1, tuple(entries[name] for name in stages), run_stages=self.composed.run_stages()
        )
        self.executor = Executor(
            self.driver.ledger,
            {"document": pipeline},
            ArtifactFolder(),
            self.driver.clock,
            NO_BACKOFF,
            all_stages=entries,
        )

    def plan(self) -> RunPlan:
        options = {OPTION: self.composed.run_stages().to_json()}
        return a_plan(self.composed.stage_names, options=options)

    async def work(self, jobs: int = 100) -> list[str]:
        """Execute at most so many jobs; the stages that were executed."""
        self.executed = []
        for _ in range(jobs):
            claimed = await self.driver.claim(limit=1)
            if not claimed:
                break
            held = HeldLease(claimed[0].lease, time.monotonic() + LEASE_SECONDS, lambda: None)
            settlement = await self.executor.execute(claimed[0], held, keep=lambda _stage: False)
            assert settlement is not None
            await self.driver.settle(settlement)
        return self.executed

    def _stage(self, name: str) -> Stage:
        async def run(context: Context) -> Outcome:
            self.executed.append(name)
            return Done({"made": name})

        return run


async def test_a_running_run_keeps_the_stages_with_which_it_was_queued(
    engine: EngineUnderTest, clock: ManualClock
) -> None:
    installation = Installation(engine, clock)
    submitted = await installation.driver.submit(plan=installation.plan())
    assert await installation.work(jobs=2) == ["read", "tags"]

    # `words` and `index` are taken out of the pipeline while the run is at `words`.
    installation.configure(("read", "tags"))

    assert await installation.work() == ["words", "index"]
    run = await installation.driver.run(str(submitted.run_id))
    assert run.state == "COMPLETED"
    # A new run has the new stages.
    await installation.driver.reprocess(submitted.document_id, installation.plan())
    assert await installation.work() == ["read", "tags"]


async def test_a_new_version_of_a_stage_runs_again_with_what_depends_on_it(
    engine: EngineUnderTest, clock: ManualClock
) -> None:
    installation = Installation(engine, clock)
    submitted = await installation.driver.submit(plan=installation.plan())
    await installation.work()

    installation.configure(NAMES, tags=2)
    await installation.driver.reprocess(submitted.document_id, installation.plan(), from_stage="index")

    # `words` stands behind `tags` and does not depend on it: its result is reused.
    assert await installation.work() == ["tags", "index"]
    runs = await installation.driver.ledger.runs(submitted.document_id, org_id=DEFAULT_ORG_ID)
    jobs = await installation.driver.ledger.jobs(runs[-1].id, org_id=DEFAULT_ORG_ID)
    assert {job.stage: job.reused_from is not None for job in jobs} == {
        "read": True,
        "tags": False,
        "words": True,
        "index": False,
    }

    installation.configure(NAMES, tags=2, words=2)
    await installation.driver.reprocess(submitted.document_id, installation.plan(), from_stage="index")
    assert await installation.work() == ["words", "index"]


async def test_a_stage_that_was_inserted_runs_and_unchanged_ones_before_the_start_do_not(
    engine: EngineUnderTest, clock: ManualClock
) -> None:
    installation = Installation(engine, clock)
    installation.configure(("read", "words", "index"))
    submitted = await installation.driver.submit(plan=installation.plan())
    assert await installation.work() == ["read", "words", "index"]

    installation.configure(NAMES)
    await installation.driver.reprocess(submitted.document_id, installation.plan(), from_stage="index")

    assert await installation.work() == ["tags", "index"]


async def test_a_resumed_run_keeps_its_stages_and_skips_reused_ones(
    engine: EngineUnderTest, clock: ManualClock
) -> None:
    installation = Installation(engine, clock)
    submitted = await installation.driver.submit(plan=installation.plan())
    await installation.work()
    installation.configure(NAMES, tags=2)
    await installation.driver.reprocess(submitted.document_id, installation.plan(), from_stage="index")

    await installation.driver.claim_one()
    installation.configure(("read",))
    await installation.driver.ledger.recover(clock.now())

    assert await installation.work() == ["tags", "index"]


async def test_a_job_of_a_stage_that_is_not_installed_waits_and_says_so(
    engine: EngineUnderTest, clock: ManualClock
) -> None:
    installation = Installation(engine, clock)
    plan = a_plan(("gone",), options={OPTION: {"order": ["gone"], "follow_ups": []}})
    await installation.driver.submit(plan=plan)

    job = await installation.driver.claim_one()
    held = HeldLease(job.lease, time.monotonic() + LEASE_SECONDS, lambda: None)
    settlement = await installation.executor.execute(job, held, keep=lambda _stage: False)

    assert getattr(settlement, "reason", None) == "unknown_stage"
    assert getattr(settlement, "detail", None) == "document/gone"
