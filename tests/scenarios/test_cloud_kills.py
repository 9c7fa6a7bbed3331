"""Workers are killed at each point between upload and completion: no provider call is paid twice."""

from __future__ import annotations

from pathlib import Path

from tests.scenarios.production_cluster import ProductionCluster, letter, open_cluster
from tests.support.emulators.process import EmulatorProcess

#: Fault points outside the open window between sending a call and saving its answer.
OUTSIDE = (
    "before:claim:1",
    "after:claim:1",
    "before:begin_call:1",
    "after:save_operation_id:1",
    "before:suspend:1",
    "after:suspend:1",
    "after:save_answer:1",
    "before:advance:1",
    "after:advance:1",
    "after:advance:3",
    "after:save_answer:2",
    "before:advance:4",
    "before:finish:1",
    "after:finish:1",
)
#: Fault points inside the open window. The first call of a document is its analysis, the second its embedding batch.
NOT_SENT_YET = ("after:begin_call:1", "after:begin_call:2")
SENT_NOT_SAVED = ("before:save_operation_id:1", "before:save_answer:2")
AT_ONCE = 3


async def _kill_at(cluster: ProductionCluster, fault_points: tuple[str, ...]) -> None:
    """Start three workers at a time, each with one fault point, and wait until all are killed."""
    for start in range(0, len(fault_points), AT_ONCE):
        # No other worker rescues jobs yet, so that each fault hits a different document.
        killed = [cluster.start_worker(fault_point) for fault_point in fault_points[start : start + AT_ONCE]]
        for process in killed:
            await cluster.wait_until(
                lambda process=process: not process.is_alive(), "the worker to be killed"
            )
            assert process.exitcode == -9, cluster.worker_logs()


async def _finish_with_three_workers(cluster: ProductionCluster, documents: list[str]) -> None:
    cluster.expire_leases()
    for _ in range(AT_ONCE):
        cluster.start_worker(worker_concurrency=4)
    await cluster.all_completed(documents)


async def test_killed_outside_the_open_window_everything_is_paid_for_exactly_once(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with open_cluster(dsn, emulators, tmp_path, polls=1) as cluster:
        bodies = [letter(number) for number in range(len(OUTSIDE) + 4)]
        documents = await cluster.upload(*bodies)
        await _kill_at(cluster, OUTSIDE)
        await _finish_with_three_workers(cluster, documents)
        assert cluster.repeated() == {}
        assert (cluster.analyses(), cluster.batches()) == (len(documents), len(documents))
        assert [cluster.analyses(body) for body in bodies] == [1] * len(bodies)


async def test_killed_inside_the_open_window_it_is_counted_and_shown(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with open_cluster(dsn, emulators, tmp_path) as cluster:
        documents = await cluster.upload(*(letter(number) for number in range(6)))
        await _kill_at(cluster, NOT_SENT_YET + SENT_NOT_SAVED)
        await _finish_with_three_workers(cluster, documents)
        # Each kill in the window is counted, whether or not the call was sent: the ledger cannot know
        assert cluster.repeated() == {"azure-document-intelligence": 2, "openai": 2}
        # And only calls that were really sent were paid twice
        assert (cluster.analyses(), cluster.batches()) == (len(documents) + 1, len(documents) + 1)
        # And the operations and the costs of the documents show it
        providers = (await cluster.client.get("/operations"))["providers"]
        assert {row["provider"]: row["repeated"] for row in providers if row["provider"] != "local"} == {
            "azure-document-intelligence": 2,
            "openai": 2,
        }
        costs = [await cluster.client.get(f"/documents/{document}/costs") for document in documents]
        assert sum(cost["repeated"] for cost in costs) == 4
