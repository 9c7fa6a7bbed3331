"""Stages of the crash tests: each records every execution; some fail or wait under their first lease epoch."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.crash.fault_points import KILLS, ZOMBIES, FaultPoint
from tests.crash.side_effects import EffectLog, epoch_of
from tests.support.timeouts import wait_until
from towpath.errors import Transient
from towpath.model.job import ProgressUnit, WaitingReason
from towpath.model.outcome import Done, Outcome, Suspend
from towpath.model.provider_answer import Answer, Pending
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.stages.contract import Context, ProviderCall, Stage
from towpath.worker.process_pool import ProcessPool

FIVE = tuple(f"drill/{number}" for number in range(1, 6))
BUSY = tuple(f"busy/{number}" for number in range(1, 4))
#: A file in the folder of the effects file: see ``_held_until_continued``.
CONTINUE_FILE = "continue"


def pipelines(file: Path) -> Sequence[Pipeline]:
    """All pipelines of the crash tests: one lane per fault point, and the pipelines of the other tests."""
    effects = EffectLog(file)
    done = _noted(effects, _plain)
    drill = {FIVE[0]: _if_paying(_plain), FIVE[2]: _if_paying(_pay(effects))}
    return [
        *(_lane(fault, effects, file.parent / CONTINUE_FILE) for fault in (*KILLS, *ZOMBIES)),
        Pipeline(
            "drill", 1, tuple(StageEntry(name, _noted(effects, drill.get(name, _short))) for name in FIVE)
        ),
        Pipeline("busy", 1, tuple(StageEntry(name, _noted(effects, _work(effects))) for name in BUSY)),
        Pipeline("calling", 1, (StageEntry("calling", _noted(effects, _keep_calling(effects))),)),
        Pipeline("blocking", 1, (StageEntry("blocking", _noted(effects, _block)),)),
        Pipeline(
            "waiting",
            1,
            (StageEntry("waiting", _noted(effects, _wait_forever(effects))), StageEntry("after", done)),
        ),
        Pipeline("sleeping", 1, (StageEntry("sleeping", _noted(effects, _sleep)), StageEntry("later", done))),
        Pipeline("child_process", 1, (StageEntry("child_process", _noted(effects, _run_in_child(effects))),)),
        Pipeline("crashing", 1, (StageEntry("crashing", _noted(effects, _crash)),)),
        Pipeline("crashing-reader", 1, (StageEntry("crashing-reader", _noted(effects, _crash_reader)),)),
    ]


def _lane(fault: FaultPoint, effects: EffectLog, continue_file: Path) -> Pipeline:
    first, *others = fault.stages
    stages = {first: BEHAVIOURS[fault.behaviour](effects), **dict.fromkeys(others, _plain)}
    if fault.kind == "zombie":
        stages = {name: _held_until_continued(continue_file, stage) for name, stage in stages.items()}
    return Pipeline(fault.lane, 1, tuple(StageEntry(name, _noted(effects, s)) for name, s in stages.items()))


def _held_until_continued(continue_file: Path, stage: Stage) -> Stage:
    """Under a later epoch, hold the job until the continue file exists, so that a second worker keeps the lease."""

    async def held_until_continued(context: Context) -> Outcome:
        if epoch_of(context) > 1:
            await asyncio.to_thread(wait_until, continue_file.exists, "the continue file")
        return await stage(context)

    return held_until_continued


def _noted(effects: EffectLog, stage: Stage) -> Stage:
    async def noted(context: Context) -> Outcome:
        effects.note("stage", context)
        return await stage(context)

    return noted


async def _plain(context: Context) -> Outcome:
    await context.progress(1, 1, ProgressUnit.PAGE)
    return Done({"epoch": epoch_of(context)})


async def _short(context: Context) -> Outcome:
    return Done({"epoch": epoch_of(context)})


def _if_paying(stage: Stage) -> Stage:
    async def if_paying(context: Context) -> Outcome:
        return await (stage if context.options["pays"] else _short)(context)

    return if_paying


def _wait_forever(_effects: EffectLog) -> Stage:
    """Never ends under the first epoch."""

    async def wait_forever(context: Context) -> Outcome:
        if epoch_of(context) == 1:
            await asyncio.Event().wait()
        return Done()

    return wait_forever


def _fail_once(_effects: EffectLog) -> Stage:
    async def fail_once(context: Context) -> Outcome:
        if epoch_of(context) == 1:
            raise Transient("a temporary error")
        return Done()

    return fail_once


def _suspend_once(_effects: EffectLog) -> Stage:
    async def suspend_once(context: Context) -> Outcome:
        if epoch_of(context) == 1:
            return Suspend(context.now(), WaitingReason.FREE_WORKER)
        return Done()

    return suspend_once


def _pay(effects: EffectLog) -> Stage:
    async def pay(context: Context) -> Outcome:
        async def call() -> Answer:
            effects.note("call", context)
            return Answer(b"an answer", {"pages": 1}, 0.01)

        await context.call_once(_call(context), call)
        return Done()

    return pay


def _operate(effects: EffectLog) -> Stage:
    async def operate(context: Context) -> Outcome:
        async def start() -> str:
            effects.note("start", context)
            return f"operation of epoch {epoch_of(context)}"

        async def poll(operation: str) -> Pending | Answer:
            effects.note("poll", context)
            return Answer(operation.encode()) if context.payload.get("polls") else Pending(0.0)

        answer = await context.run_operation(_call(context), start, poll)
        return Done({"answer": answer.body.decode()})

    return operate


BEHAVIOURS: dict[str, Callable[[EffectLog], Stage]] = {
    "plain": lambda _effects: _plain,
    "wait_forever": _wait_forever,
    "fail_once": _fail_once,
    "suspend_once": _suspend_once,
    "pay": _pay,
    "operate": _operate,
}


def _work(effects: EffectLog) -> Stage:
    """A stage that takes 10 ms and makes a paid call."""
    pay = _pay(effects)

    async def work(context: Context) -> Outcome:
        await asyncio.sleep(0.01)
        return await pay(context)

    return work


def _keep_calling(effects: EffectLog) -> Stage:
    """Call the provider every 10 ms under the first epoch, as long as the lease lasts."""

    async def keep_calling(context: Context) -> Outcome:
        while epoch_of(context) == 1:
            context.check_lease()
            effects.note("call", context)
            await asyncio.sleep(0.01)
        return Done()

    return keep_calling


async def _block(context: Context) -> Outcome:
    """Block the event loop with a synchronous sleep."""
    time.sleep(float(str(context.options["seconds"])))  # noqa: ASYNC251  (on purpose)
    return Done()


async def _sleep(context: Context) -> Outcome:
    await asyncio.sleep(float(str(context.options["seconds"])))
    return Done()


async def _crash(_context: Context) -> Outcome:
    """End the process that runs the stage, as a fault in native code does."""
    await asyncio.sleep(0.2)
    os.kill(os.getpid(), signal.SIGSEGV)
    return Done()


async def _crash_reader(_context: Context) -> Outcome:
    """End the child process in which a parser reads the document."""
    children = ProcessPool(1)
    try:
        await children.run(crash_in_child, seconds=60)
    finally:
        children.close()
    return Done()


def crash_in_child() -> None:
    """Read memory that is not mapped. The sandbox of child processes refuses the system call `kill`."""
    ctypes.string_at(0)


def sleep_in_child(seconds: float, progress: Callable[[int, int], None]) -> None:
    progress(0, 1)
    time.sleep(seconds)


def _run_in_child(effects: EffectLog) -> Stage:
    """Run the work in a child process, and record when the child has started."""

    async def run_in_child(context: Context) -> Outcome:
        children = ProcessPool(1)
        seconds = float(str(context.options["seconds"]))
        try:
            await children.run(
                sleep_in_child,
                seconds,
                seconds=60,
                on_progress=lambda _done, _total: effects.note("child", context),
            )
        finally:
            children.close()
        return Done()

    return run_in_child


def _call(context: Context) -> ProviderCall:
    return ProviderCall("emulator", "small", {"stage": context.stage}, context.document_id)
