"""Workers killed with -9 at each point between upload and completion: what was paid for stays paid for."""

from __future__ import annotations

from pathlib import Path

from tests.scenarios.town import Town, letter, opened_town
from tests.support.emulators.process import EmulatorProcess

#: Everywhere but between sending a call and saving what came of it.
OUTSIDE = (
    "before:claim:1",
    "after:claim:1",
    "before:call_begin:1",
    "after:call_operation:1",
    "before:suspend:1",
    "after:suspend:1",
    "after:call_answer:1",
    "before:advance:1",
    "after:advance:1",
    "after:advance:3",
    "after:call_answer:2",
    "before:advance:4",
    "before:finish:1",
    "after:finish:1",
)
#: Inside the one open window. The first call of a document is its analysis, the second its batch of vectors.
NOT_SENT_YET = ("after:call_begin:1", "after:call_begin:2")
SENT_NOT_SAVED = ("before:call_operation:1", "before:call_answer:2")
AT_ONCE = 3


async def _struck_down(town: Town, strikes: tuple[str, ...]) -> None:
    """Three workers at a time, each with its own moment of death, until all have died."""
    for start in range(0, len(strikes), AT_ONCE):
        # Nobody rescues anything yet, so that each strikes a document of its own.
        fallen = [
            town.start_worker(strike, lease_seconds=300.0, heartbeat_seconds=5.0)
            for strike in strikes[start : start + AT_ONCE]
        ]
        for process in fallen:
            await town.until(lambda process=process: not process.is_alive(), "the worker to be struck")
            assert process.exitcode == -9, town.said()


async def _finished_by_three_others(town: Town, documents: list[str]) -> None:
    town.sql(
        "update document_processing_jobs set lease_until = now() where status = 'PROCESSING' returning 1"
    )
    for _ in range(AT_ONCE):
        town.start_worker(worker_concurrency=4)
    await town.all_completed(documents)


async def test_killed_outside_the_open_window_everything_is_paid_for_exactly_once(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with opened_town(dsn, emulators, tmp_path, polls=1) as town:
        bodies = [letter(number) for number in range(len(OUTSIDE) + 4)]
        documents = await town.upload(*bodies)
        await _struck_down(town, OUTSIDE)
        await _finished_by_three_others(town, documents)
        assert town.reopened() == {}
        assert (town.analyses(), town.batches()) == (len(documents), len(documents))
        assert [town.analyses(body) for body in bodies] == [1] * len(bodies)


async def test_killed_inside_the_open_window_it_is_counted_and_shown(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with opened_town(dsn, emulators, tmp_path) as town:
        documents = await town.upload(*(letter(number) for number in range(6)))
        await _struck_down(town, NOT_SENT_YET + SENT_NOT_SAVED)
        await _finished_by_three_others(town, documents)
        # Each kill in the window is counted, whether or not the call had gone out: nobody can know
        assert town.reopened() == {"azure-document-intelligence": 2, "openai": 2}
        # And only what had really been sent was paid for twice
        assert (town.analyses(), town.batches()) == (len(documents) + 1, len(documents) + 1)
        # And it is shown: in the operations, and in what the documents cost
        providers = (await town.desk.get("/operations"))["providers"]
        assert {one["provider"]: one["paid_twice"] for one in providers if one["provider"] != "local"} == {
            "azure-document-intelligence": 2,
            "openai": 2,
        }
        costs = [await town.desk.get(f"/documents/{document}/costs") for document in documents]
        assert sum(one["reopened"] for one in costs) == 4
