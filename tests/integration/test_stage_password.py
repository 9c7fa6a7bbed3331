"""The executor opens a sealed password for the stage, and hands it on until the file is read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import cast

import pytest

from tests.integration.worker_harness import NO_BACKOFF, ArtifactFolder
from towpath.clock import ManualClock
from towpath.ledger.contract.ledger import Ledger
from towpath.ledger.contract.settlements import Advance, Settlement
from towpath.model.job import ClaimedJob, Lease
from towpath.model.outcome import Done, Outcome
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.stages.contract import Context
from towpath.worker.executor import Executor
from towpath.worker.heartbeat import HeldLease

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Passwords:
    """Stages that record the password that their context has."""

    def __init__(self) -> None:
        self.seen: list[str | None] = []
        entries = tuple(StageEntry(name, self._stage) for name in ("look", "extract", "chunk"))
        self._executor = Executor(
            cast("Ledger", None),
            {"document": Pipeline("document", 1, entries)},
            ArtifactFolder(),
            ManualClock(NOW),
            NO_BACKOFF,
            unseal=lambda sealed, subject: f"{sealed} of {subject}",
        )

    async def _stage(self, context: Context) -> Outcome:
        self.seen.append(context.password())
        return Done()

    async def run(self, stage: str, sealed: str | None) -> Settlement | None:
        lease = Lease("job", 1, "anna", NOW)
        job = ClaimedJob(
            lease, "org", "deed", "run", "document", stage, {}, {}, {}, 0, 5, 0, sealed_password=sealed
        )
        held = HeldLease(lease, float("inf"), lambda: None)
        return await self._executor.execute(job, held, keep=lambda _: True)


@pytest.mark.parametrize(("stage", "next_has"), [("look", "sealed"), ("extract", None)])
async def test_the_stage_that_reads_the_file_is_the_last_one_with_it(
    stage: str, next_has: str | None
) -> None:
    passwords = Passwords()

    settlement = await passwords.run(stage, "sealed")

    assert passwords.seen == ["sealed of deed"]
    assert isinstance(settlement, Advance)
    assert settlement.sealed_password == next_has
    assert "sealed" not in repr(settlement).replace("sealed_password", "")


async def test_most_runs_have_no_password() -> None:
    passwords = Passwords()
    await passwords.run("extract", None)
    assert passwords.seen == [None]
