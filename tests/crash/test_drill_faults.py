"""Each fault, struck at the point where it hurts, is seen by the drill's own eyes, on both engines.

`towpath drill` comes to these points by chance, again and again; here they are chosen.
"""

from __future__ import annotations

import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

import pytest

from tests.integration.workshop import until
from tests.support.databases import PostgresServer
from towpath.drill import laws
from towpath.drill.copies import LEASE_SECONDS, Copy, opened_copy
from towpath.drill.picture import differences, picture
from towpath.drill.storm import Storm
from towpath.drill.strikes import Strike

PATIENCE = 60.0
NAME, BODY = (
    "canal.md",
    b"".join(
        f"# Lock {number}\n\nThe keeper of lock {number} opens the gate for barge {number}.\n\n".encode() * 12
        for number in range(1, 9)
    ),
)


class Rehearsal:
    """Copies of one document on one engine."""

    def __init__(self, folder: Path, server: str | None) -> None:
        self._folder, self._server = folder, server

    @asynccontextmanager
    async def copy(self, fault: str | None) -> AsyncGenerator[Copy]:
        folder = self._folder / (fault or "calm")
        async with opened_copy(folder, self._server, own_processes=False, fault=fault) as opened:
            yield opened


@pytest.fixture(params=["sqlite", "postgres"])
def rehearsal(request: pytest.FixtureRequest, tmp_path: Path) -> Rehearsal:
    if request.param == "sqlite":
        return Rehearsal(tmp_path, None)
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return Rehearsal(tmp_path, server.dsn())


async def _worked(copy: Copy, strike: Strike | None = None, complete: dict[str, int] | None = None) -> Storm:
    """The document is worked by one worker that may be struck, and by another after it; looked at all the time."""
    storm = await _struck(copy, strike, complete)
    assert await storm.at_rest()
    return storm


async def _struck(copy: Copy, strike: Strike | None, complete: dict[str, int] | None = None) -> Storm:
    storm = Storm(copy, Random(0), None, complete=dict(complete or {}))
    await copy.submit(NAME, BODY)
    copy.crew.start([] if strike is None else [strike])
    if strike is not None:
        await until(lambda: _fell(storm, strike), "the worker to be struck", PATIENCE)
        copy.crew.start()
    return storm


async def _fell(storm: Storm, strike: Strike) -> bool:
    crew = storm.copy.crew
    crew.look_after(LEASE_SECONDS * 1.5)
    await storm.look()
    deed = "killed" if strike.signal is signal.SIGKILL else "stopped"
    return crew.deeds[f"{deed} {strike.moment} {strike.verb}"] > 0


async def _passages(copy: Copy) -> dict[str, int]:
    [paper] = (await picture(copy)).papers.items()
    return {paper[0]: len(paper[1].chunks)}


async def test_without_a_fault_nothing_is_seen(rehearsal: Rehearsal) -> None:
    async with rehearsal.copy(None) as copy:
        storm = await _worked(copy, Strike(signal.SIGKILL, "after", "finish", 1))
        assert await laws.unfenced(copy) == []
        assert (await _passages(copy)).popitem()[1] > 4
    assert storm.looks > 0


async def test_a_worker_that_wakes_without_a_fence_is_seen(rehearsal: Rehearsal) -> None:
    async with rehearsal.copy("fence") as copy:
        await _struck(copy, Strike(signal.SIGSTOP, "before", "advance", 1))

        async def crossed() -> list[str]:
            copy.crew.look_after(0.0)
            return await laws.unfenced(copy)

        assert "the fence was crossed" in (await until(crossed, "the sleeper to write", PATIENCE))[0]


async def test_a_kill_between_the_checkpoint_and_its_commit_is_seen(rehearsal: Rehearsal) -> None:
    async with rehearsal.copy(None) as calm:
        await _worked(calm)
        wanted = await picture(calm)
    async with rehearsal.copy("checkpoint") as copy:
        await _worked(copy, Strike(signal.SIGKILL, "after", "finish", 1))
        told = differences(wanted, await picture(copy))
    assert any("has 0 chunks instead of" in finding for finding in told)


@pytest.mark.parametrize("struck", [False, True])
async def test_content_that_is_published_in_pieces_is_seen(rehearsal: Rehearsal, struck: bool) -> None:
    """Also when the worker is killed between the two pieces, and half a document stays there till the rescue."""
    async with rehearsal.copy(None) as calm:
        await _worked(calm)
        complete = await _passages(calm)
    strike = Strike(signal.SIGKILL, "before", "finish", 1) if struck else None
    async with rehearsal.copy("publish") as copy:
        storm = await _worked(copy, strike, complete)
    assert "was seen with" in next(iter(storm.half_seen.values()))


async def test_a_worker_that_is_dead_already_can_be_stopped_woken_and_retired(tmp_path: Path) -> None:
    """It strikes itself down when it pleases, also between two looks of the drill."""
    async with Rehearsal(tmp_path, None).copy(None) as copy:
        member = copy.crew.start()
        member.process.kill()
        member.process.join(PATIENCE)
        copy.crew.stop(member, 0.0)
        copy.crew.retire()
    assert copy.crew.members == []
