"""The process pool: a crash, a timeout or excessive memory in a child process fails one job and not the worker."""

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

from tests.integration import child_functions
from tests.support.timeouts import wait_until
from towpath.errors import Rejected
from towpath.process_runner import (
    ChildAborted,
    ChildCrashed,
    ChildKilled,
    ChildOutOfMemory,
    ChildOverBudget,
    ChildTimeout,
    CpuBudget,
    WorkOrigin,
    work_origin,
)
from towpath.worker import child_process
from towpath.worker.child_process import ChildProcess
from towpath.worker.process_pool import ProcessPool

TIME_LIMIT = 30.0


@pytest.fixture
def children() -> Iterator[ProcessPool]:
    pool = ProcessPool(2)
    yield pool
    pool.close()


def _child_processes() -> list[psutil.Process]:
    """The child processes of the pool, without servers that tests started."""
    processes: list[psutil.Process] = []
    for process in psutil.Process().children():
        with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            if "towpath.worker.child_process_main" in process.cmdline():
                processes.append(process)
    return processes


async def test_a_function_runs_in_a_child_process_and_its_result_is_returned(children: ProcessPool) -> None:
    assert await children.run(child_functions.add, 40, 2, seconds=TIME_LIMIT) == 42
    assert await children.run(child_functions.process_id, seconds=TIME_LIMIT) != os.getpid()


async def test_a_child_is_reused_and_replaced_after_a_number_of_jobs() -> None:
    pool = ProcessPool(2, jobs_per_child=20)
    try:
        pids = [await pool.run(child_functions.process_id, seconds=TIME_LIMIT) for _ in range(21)]
    finally:
        pool.close()
    assert len(set(pids[:20])) == 1
    assert pids[-1] != pids[0]


async def test_a_child_whose_memory_has_grown_is_replaced(
    children: ProcessPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child_process, "JOBS_PER_MEMORY_CHECK", 5)

    async def process_ids(count: int) -> list[int]:
        return [await children.run(child_functions.process_id, seconds=TIME_LIMIT) for _ in range(count)]

    first = await process_ids(5)
    await children.run(child_functions.leak, 300, seconds=TIME_LIMIT)
    assert set(await process_ids(4)) == set(first)
    assert not set(await process_ids(1)) & set(first)


async def test_niceness_lowers_the_cpu_priority_of_children() -> None:
    pool = ProcessPool(1, niceness=7)
    try:
        assert await pool.run(child_functions.niceness, seconds=TIME_LIMIT) == min(19, os.nice(0) + 7)
    finally:
        pool.close()


async def test_at_most_the_allowed_number_of_children_run_at_once(children: ProcessPool) -> None:
    jobs = [children.run(time.sleep, 0.05, seconds=TIME_LIMIT) for _ in range(6)]
    max_running = 0
    work = asyncio.gather(*jobs)
    while not work.done():
        max_running = max(max_running, len(_child_processes()))
        await asyncio.sleep(0.005)
    assert max_running == 2


async def test_a_segfault_is_reported_by_its_signal_and_the_next_job_gets_a_new_child(
    children: ProcessPool,
) -> None:
    with pytest.raises(ChildCrashed, match="SIGSEGV"):
        await children.run(child_functions.segfault, seconds=TIME_LIMIT)
    assert await children.run(child_functions.add, 1, 1, seconds=TIME_LIMIT) == 2


async def test_an_abort_of_a_library_is_told_apart_from_other_crashes(children: ProcessPool) -> None:
    with pytest.raises(ChildAborted, match="SIGABRT"):
        await children.run(child_functions.abort, seconds=TIME_LIMIT)


async def test_a_child_that_is_killed_from_outside_is_not_reported_as_a_crash(children: ProcessPool) -> None:
    work = asyncio.ensure_future(children.run(time.sleep, 600, seconds=TIME_LIMIT))
    (child,) = await asyncio.to_thread(wait_until, _child_processes, "the child process to start")
    child.kill()
    with pytest.raises(ChildKilled):
        await work
    assert await children.run(child_functions.add, 1, 1, seconds=TIME_LIMIT) == 2


async def test_a_child_that_exits_is_reported_with_its_exit_code(children: ProcessPool) -> None:
    with pytest.raises(ChildCrashed, match="code 3"):
        await children.run(child_functions.exit_process, seconds=TIME_LIMIT)


async def test_an_endless_loop_is_killed_after_its_time_limit(children: ProcessPool) -> None:
    started = time.monotonic()
    with pytest.raises(ChildTimeout, match="1 seconds"):
        await children.run(child_functions.loop_for_ever, seconds=1.0)
    assert time.monotonic() - started >= 1.0
    assert await children.run(child_functions.add, 1, 1, seconds=TIME_LIMIT) == 2


async def test_a_child_that_uses_up_its_cpu_budget_is_killed(children: ProcessPool) -> None:
    with pytest.raises(ChildOverBudget, match="2 seconds of CPU"):
        await children.run(child_functions.loop_for_ever, seconds=600.0, budget=CpuBudget(2.0, 100.0))
    # Progress starts a step again, but not the total.
    with pytest.raises(ChildOverBudget, match="3 seconds of CPU"):
        await children.run(
            child_functions.loop_with_progress,
            seconds=600.0,
            on_progress=lambda done, total: None,
            budget=CpuBudget(2.0, 3.0),
        )
    assert await children.run(child_functions.add, 1, 1, seconds=TIME_LIMIT) == 2


async def test_a_child_that_waits_uses_no_cpu_budget(children: ProcessPool) -> None:
    await children.run(time.sleep, 3.0, seconds=TIME_LIMIT, budget=CpuBudget(1.0, 1.0))


def _start(pool: ProcessPool, origin: WorkOrigin, *, endless: bool) -> asyncio.Task[int | None]:
    """Start a call for a document."""
    work_origin.set(origin)
    if endless:
        return asyncio.create_task(pool.run(child_functions.loop_for_ever, seconds=600.0))
    return asyncio.create_task(pool.run(child_functions.add, 1, 1, seconds=TIME_LIMIT))


async def _cancel(task: asyncio.Task[int | None]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_documents_that_failed_before_never_have_the_last_child_process(children: ProcessPool) -> None:
    hog = _start(children, WorkOrigin("a", has_failed=True), endless=True)
    await asyncio.sleep(0)
    waiting = _start(children, WorkOrigin("b", has_failed=True), endless=False)
    await asyncio.sleep(0)
    for name in ("c", "d"):
        assert await _start(children, WorkOrigin(name), endless=False) == 2
    assert not waiting.done()
    await _cancel(hog)
    assert await waiting == 2


async def test_a_free_child_process_goes_to_another_document_first(children: ProcessPool) -> None:
    first, second = (_start(children, WorkOrigin("a"), endless=True) for _ in range(2))
    await asyncio.sleep(0)
    third = _start(children, WorkOrigin("a"), endless=True)
    await asyncio.sleep(0)
    other = _start(children, WorkOrigin("b"), endless=False)
    await asyncio.sleep(0)
    await _cancel(first)
    assert await other == 2
    assert not third.done()
    for task in (second, third):
        await _cancel(task)


async def test_exceeding_the_memory_limit_fails_only_that_job(children: ProcessPool) -> None:
    with pytest.raises(ChildOutOfMemory):
        await children.run(child_functions.allocate_without_bound, seconds=TIME_LIMIT, memory_bytes=512 << 20)
    assert await children.run(child_functions.add, 1, 1, seconds=TIME_LIMIT) == 2


async def test_memory_that_earlier_jobs_left_in_a_child_does_not_fail_a_job(children: ProcessPool) -> None:
    limit = 512 << 20
    first = await children.run(child_functions.keep_megabytes, 300, seconds=TIME_LIMIT, memory_bytes=limit)
    second = await children.run(child_functions.keep_megabytes, 300, seconds=TIME_LIMIT, memory_bytes=limit)
    assert second != first


async def test_a_memory_limit_holds_for_its_own_job_only(children: ProcessPool) -> None:
    await children.run(child_functions.add, 1, 1, seconds=TIME_LIMIT, memory_bytes=128 << 20)
    assert len(await children.run(child_functions.megabytes, 130, seconds=TIME_LIMIT)) == 130 << 20


async def test_a_result_of_fifty_megabytes_is_returned_unchanged(children: ProcessPool) -> None:
    answer = await children.run(child_functions.megabytes, 50, seconds=TIME_LIMIT)
    assert len(answer) == 50 << 20


async def test_progress_is_reported_in_order_and_in_the_callers_thread(children: ProcessPool) -> None:
    reported: list[tuple[int, int]] = []
    assert asyncio.get_running_loop()

    def record(done: int, total: int) -> None:
        assert asyncio.get_running_loop()
        reported.append((done, total))

    await children.run(child_functions.count_to, 5, seconds=TIME_LIMIT, on_progress=record)
    await asyncio.sleep(0)
    assert reported == [(number, 5) for number in range(1, 6)]


async def test_a_rejection_keeps_its_code_and_its_message(children: ProcessPool) -> None:
    with pytest.raises(Rejected) as caught:
        await children.run(child_functions.reject, seconds=TIME_LIMIT)
    assert caught.value.code == "encrypted"
    assert caught.value.reason.startswith("This file is locked")


async def test_an_error_that_cannot_be_pickled_is_returned_as_text(children: ProcessPool) -> None:
    with pytest.raises(RuntimeError, match="Unpicklable: page 7: no such font"):
        await children.run(child_functions.raise_unpicklable, seconds=TIME_LIMIT)


async def test_a_result_that_cannot_be_pickled_is_an_error_and_not_a_crash(children: ProcessPool) -> None:
    with pytest.raises(RuntimeError, match="could not be pickled"):
        await children.run(child_functions.return_unpicklable, seconds=TIME_LIMIT)


async def test_cancelling_the_caller_kills_its_child(children: ProcessPool, tmp_path: Path) -> None:
    note = tmp_path / "pid"
    work = asyncio.create_task(children.run(child_functions.loop_for_ever, note, seconds=TIME_LIMIT))
    pid = await asyncio.to_thread(wait_until, lambda: note.exists() and note.read_text(), "the child to work")
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not psutil.pid_exists(int(str(pid)))
    assert await children.run(child_functions.add, 1, 1, seconds=TIME_LIMIT) == 2


async def test_callers_cancelled_at_any_moment_leave_no_child_behind(children: ProcessPool) -> None:
    for milliseconds in range(0, 40, 2):
        work = asyncio.create_task(children.run(child_functions.loop_for_ever, seconds=TIME_LIMIT))
        await asyncio.sleep(milliseconds / 1000)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
    children.close()
    assert await asyncio.to_thread(wait_until, lambda: not _child_processes(), "every child process to end")


async def test_killing_a_child_twice_closes_no_reused_file_descriptor(tmp_path: Path) -> None:
    child = ChildProcess()
    child.kill()
    # New descriptors get the lowest free numbers, which the child used before.
    descriptors = [os.open(tmp_path / str(number), os.O_CREAT) for number in range(8)]
    child.kill()
    # os.fstat raises OSError for a descriptor that the second kill closed.
    inodes = [os.fstat(descriptor).st_ino for descriptor in descriptors]
    for descriptor in descriptors:
        os.close(descriptor)
    assert inodes == [(tmp_path / str(number)).stat().st_ino for number in range(8)]


def test_killing_the_parent_leaves_no_child_behind(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    program = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from tests.integration import child_functions\n"
        "from towpath.worker.process_pool import ProcessPool\n"
        "asyncio.run(ProcessPool(1).run(child_functions.loop_for_ever, Path(sys.argv[1]), seconds=600))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program, str(note)])
    child = psutil.Process(int(wait_until(lambda: note.exists() and note.read_text(), "the child to work")))
    parent.kill()
    parent.wait()
    wait_until(lambda: not child.is_running(), "the child process to end after its parent")
