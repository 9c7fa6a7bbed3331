"""The drill's checks detect each planted bug when a worker is killed at the relevant point, on both engines.

`towpath drill` reaches these points at random; here they are chosen.
"""

from __future__ import annotations

import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from tests.crash.planted_bugs import CheckpointBeforeCommit, NoFence, NoFollowUps, PublishInTwoParts
from tests.support.databases import PostgresServer
from tests.support.timeouts import PROCESS_SECONDS, WAIT_SECONDS, async_wait_until
from towpath.drill import invariants
from towpath.drill.chaos import ChaosRunner
from towpath.drill.fault_injection import FaultInjectingLedger, FaultPoint, LedgerFactory
from towpath.drill.instance import Instance, open_instance
from towpath.drill.snapshot import differences, take_snapshot

NAME, BODY = (
    "canal.md",
    b"".join(
        f"# Lock {number}\n\nThe keeper of lock {number} opens the gate for barge {number}.\n\n".encode() * 12
        for number in range(1, 9)
    ),
)


class DrillInstances:
    """Instances of the drill on one engine."""

    def __init__(self, folder: Path, server: str | None) -> None:
        self._folder, self._server = folder, server

    @asynccontextmanager
    async def instance(
        self, ledger_factory: LedgerFactory = FaultInjectingLedger
    ) -> AsyncGenerator[Instance]:
        folder = self._folder / getattr(ledger_factory, "__name__", "ledger")
        async with open_instance(
            folder, self._server, child_processes=False, ledger_factory=ledger_factory
        ) as opened:
            yield opened


@pytest.fixture(params=["sqlite", "postgres"])
def drills(request: pytest.FixtureRequest, tmp_path: Path) -> DrillInstances:
    if request.param == "sqlite":
        return DrillInstances(tmp_path, None)
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return DrillInstances(tmp_path, server.dsn())


async def _processed(
    instance: Instance, fault_point: FaultPoint | None = None, complete: dict[str, int] | None = None
) -> ChaosRunner:
    """Process the document with a worker that has the fault, then with another; check what is visible meanwhile."""
    chaos = await _start_with_fault(instance, fault_point, complete)
    assert await chaos.wait_until_idle()
    return chaos


async def _start_with_fault(
    instance: Instance, fault_point: FaultPoint | None, complete: dict[str, int] | None = None
) -> ChaosRunner:
    chaos = ChaosRunner(instance, Random(0), None, expected_chunks=dict(complete or {}))
    await instance.submit(NAME, BODY)
    instance.pool.start([] if fault_point is None else [fault_point])
    if fault_point is not None:
        await async_wait_until(lambda: _fault_injected(chaos, fault_point), "the fault to be injected")
        instance.pool.start()
    return chaos


async def _fault_injected(chaos: ChaosRunner, fault_point: FaultPoint) -> bool:
    pool = chaos.instance.pool
    pool.reap(WAIT_SECONDS)
    await chaos.check_visible()
    effect = "killed" if fault_point.signal is signal.SIGKILL else "stopped"
    return pool.action_counts[f"{effect} {fault_point.moment} {fault_point.verb}"] > 0


async def _chunk_counts(instance: Instance) -> dict[str, int]:
    [document] = (await take_snapshot(instance)).documents.items()
    return {document[0]: len(document[1].chunks)}


async def test_without_a_planted_bug_the_drill_finds_nothing(drills: DrillInstances) -> None:
    async with drills.instance() as instance:
        chaos = await _processed(instance, FaultPoint(signal.SIGKILL, "after", "finish", 1))
        assert await invariants.lease_findings(instance) == []
        assert await invariants.missing_follow_ups(instance) == []
        assert (await _chunk_counts(instance)).popitem()[1] > 4
    assert chaos.checks > 0


async def test_a_missing_fence_is_found(drills: DrillInstances) -> None:
    async with drills.instance(NoFence) as instance:
        await _start_with_fault(instance, FaultPoint(signal.SIGSTOP, "before", "advance", 1))

        async def rescued() -> bool:
            return (await invariants.event_counts(instance)).get("LEASE_EXPIRED", 0) > 0

        await async_wait_until(rescued, "the lease of the stopped worker to expire")
        for pooled in instance.pool.workers:
            if pooled.wake_at is not None:
                pooled.wake_at = 0.0

        async def violations() -> list[str]:
            instance.pool.reap(0.0)
            return await invariants.lease_findings(instance)

        assert (
            "write without the lease"
            in (await async_wait_until(violations, "the stopped worker to write"))[0]
        )


async def test_a_checkpoint_before_its_commit_is_found(drills: DrillInstances) -> None:
    async with drills.instance() as undisturbed:
        await _processed(undisturbed)
        expected = await take_snapshot(undisturbed)
    async with drills.instance(CheckpointBeforeCommit) as instance:
        await _processed(instance, FaultPoint(signal.SIGKILL, "after", "finish", 1))
        findings = differences(expected, await take_snapshot(instance))
    assert any("has 0 chunks instead of" in finding for finding in findings)


@pytest.mark.parametrize("killed", [False, True])
async def test_content_that_is_published_in_two_parts_is_found(drills: DrillInstances, killed: bool) -> None:
    """Also when the worker is killed between the two parts, and half of the chunks stay visible until the rescue."""
    async with drills.instance() as undisturbed:
        await _processed(undisturbed)
        complete = await _chunk_counts(undisturbed)
    fault_point = FaultPoint(signal.SIGKILL, "before", "finish", 1) if killed else None
    async with drills.instance(PublishInTwoParts) as instance:
        chaos = await _processed(instance, fault_point, complete)
    assert "was seen with" in next(iter(chaos.partial_documents.values()))


async def test_a_lost_follow_up_is_found(drills: DrillInstances) -> None:
    async with drills.instance(NoFollowUps) as instance:
        await _processed(instance)
        [finding] = await invariants.missing_follow_ups(instance)
    assert finding == f"{NAME}: the follow-up connect of its last run was not completed"


async def test_a_worker_that_has_already_ended_can_be_stopped_and_retired(tmp_path: Path) -> None:
    """A worker may kill itself between two checks of the drill."""
    async with DrillInstances(tmp_path, None).instance() as instance:
        worker = instance.pool.start()
        worker.process.kill()
        worker.process.join(PROCESS_SECONDS)
        instance.pool.stop(worker, 0.0)
        instance.pool.retire()
    assert instance.pool.workers == []
