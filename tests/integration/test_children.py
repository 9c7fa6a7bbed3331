"""Child processes: whatever a parser does wrong is an error of one job, and never the end of the worker."""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.integration import misdeeds
from tests.support.processes import wait_for
from towpath.errors import Rejected
from towpath.worker.children import (
    JOBS_PER_CHILD,
    Child,
    ChildCrashed,
    ChildOutOfMemory,
    Children,
    ChildTimeout,
)

PLENTY = 30.0


@pytest.fixture
def children() -> Iterator[Children]:
    pool = Children(2)
    yield pool
    pool.close()


def _living() -> list[psutil.Process]:
    """The children of this process that work for it; its servers are none of them."""
    found: list[psutil.Process] = []
    for process in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            if "towpath.worker.child" in process.cmdline():
                found.append(process)
    return found


async def test_a_function_is_run_elsewhere_and_its_answer_comes_back(children: Children) -> None:
    assert await children.run(misdeeds.add, 40, 2, seconds=PLENTY) == 42
    assert await children.run(misdeeds.process_id, seconds=PLENTY) != os.getpid()


async def test_a_child_is_kept_warm_for_the_next_job_and_replaced_when_it_has_had_its_share(
    children: Children,
) -> None:
    pids = [await children.run(misdeeds.process_id, seconds=PLENTY) for _ in range(JOBS_PER_CHILD + 1)]
    assert len(set(pids[:JOBS_PER_CHILD])) == 1
    assert pids[-1] != pids[0]


async def test_children_for_what_nobody_waits_for_give_way_to_others() -> None:
    pool = Children(1, niceness=7)
    try:
        assert await pool.run(misdeeds.niceness, seconds=PLENTY) == min(19, os.nice(0) + 7)
    finally:
        pool.close()


async def test_no_more_children_work_at_once_than_allowed(children: Children) -> None:
    jobs = [children.run(time.sleep, 0.05, seconds=PLENTY) for _ in range(6)]
    most = 0
    work = asyncio.gather(*jobs)
    while not work.done():
        most = max(most, len(_living()))
        await asyncio.sleep(0.005)
    assert most == 2


async def test_a_segfault_is_told_by_its_name_and_the_next_job_finds_a_healthy_child(
    children: Children,
) -> None:
    with pytest.raises(ChildCrashed, match="SIGSEGV"):
        await children.run(misdeeds.segfault, seconds=PLENTY)
    assert await children.run(misdeeds.add, 1, 1, seconds=PLENTY) == 2


async def test_a_child_that_leaves_is_told_by_its_exit_code(children: Children) -> None:
    with pytest.raises(ChildCrashed, match="code 3"):
        await children.run(misdeeds.leave, seconds=PLENTY)


async def test_a_runaway_loop_is_killed_when_its_time_is_up(children: Children) -> None:
    started = time.monotonic()
    with pytest.raises(ChildTimeout, match="1 seconds"):
        await children.run(misdeeds.loop_for_ever, seconds=1.0)
    assert time.monotonic() - started < 3.0
    assert await children.run(misdeeds.add, 1, 1, seconds=PLENTY) == 2


async def test_a_memory_bomb_hurts_only_itself(children: Children) -> None:
    with pytest.raises(ChildOutOfMemory):
        await children.run(misdeeds.allocate_without_bound, seconds=PLENTY, memory_bytes=512 << 20)
    assert await children.run(misdeeds.add, 1, 1, seconds=PLENTY) == 2


async def test_a_cap_holds_for_its_own_job_only(children: Children) -> None:
    await children.run(misdeeds.add, 1, 1, seconds=PLENTY, memory_bytes=128 << 20)
    assert len(await children.run(misdeeds.megabytes, 130, seconds=PLENTY)) == 130 << 20


async def test_fifty_megabytes_come_back_whole(children: Children) -> None:
    answer = await children.run(misdeeds.megabytes, 50, seconds=PLENTY)
    assert len(answer) == 50 << 20


async def test_progress_is_reported_in_order_and_in_the_callers_thread(children: Children) -> None:
    heard: list[tuple[int, int]] = []
    assert asyncio.get_running_loop()

    def hear(done: int, total: int) -> None:
        assert asyncio.get_running_loop()
        heard.append((done, total))

    await children.run(misdeeds.count_to, 5, seconds=PLENTY, on_progress=hear)
    await asyncio.sleep(0)
    assert heard == [(number, 5) for number in range(1, 6)]


async def test_a_rejection_arrives_with_its_code_and_its_sentence(children: Children) -> None:
    with pytest.raises(Rejected) as caught:
        await children.run(misdeeds.reject, seconds=PLENTY)
    assert caught.value.code == "encrypted"
    assert caught.value.reason.startswith("This file is locked")


async def test_an_error_that_cannot_travel_arrives_by_its_words(children: Children) -> None:
    with pytest.raises(RuntimeError, match="Unmovable: page 7: no such font"):
        await children.run(misdeeds.raise_unmovable, seconds=PLENTY)


async def test_an_answer_that_cannot_travel_is_an_error_and_not_a_crash(children: Children) -> None:
    with pytest.raises(RuntimeError, match="could not be sent back"):
        await children.run(misdeeds.answer_unmovable, seconds=PLENTY)


async def test_a_cancelled_caller_takes_its_child_along(children: Children, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    work = asyncio.create_task(children.run(misdeeds.loop_for_ever, note, seconds=PLENTY))
    pid = await asyncio.to_thread(wait_for, lambda: note.exists() and note.read_text(), "the child to work")
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not psutil.pid_exists(int(str(pid)))
    assert await children.run(misdeeds.add, 1, 1, seconds=PLENTY) == 2


async def test_callers_cancelled_at_any_moment_leave_no_child_behind(children: Children) -> None:
    for milliseconds in range(0, 40, 2):
        work = asyncio.create_task(children.run(misdeeds.loop_for_ever, seconds=PLENTY))
        await asyncio.sleep(milliseconds / 1000)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
    children.close()
    assert await asyncio.to_thread(wait_for, lambda: not _living(), "every child to be gone")


async def test_ending_a_child_twice_closes_nobody_elses_file(tmp_path: Path) -> None:
    child = Child()
    child.kill()
    # New descriptors take the lowest free numbers: those that were the child's a moment ago.
    strangers = [os.open(tmp_path / str(number), os.O_CREAT) for number in range(8)]
    child.kill()
    for stranger in strangers:
        os.close(stranger)


def test_killing_the_parent_leaves_no_child_behind(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from tests.integration import misdeeds\n"
        "from towpath.worker.children import Children\n"
        "asyncio.run(Children(1).run(misdeeds.loop_for_ever, Path(sys.argv[1]), seconds=600))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program, str(note)])
    child = psutil.Process(int(wait_for(lambda: note.exists() and note.read_text(), "the child to work")))
    parent.kill()
    parent.wait()
    wait_for(lambda: not child.is_running(), "the child to follow its parent", 5.0)
