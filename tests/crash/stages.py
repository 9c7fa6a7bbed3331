"""Stages for the crash suite: each leaves a trace of every execution; some misbehave on their first epoch."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.crash.effects import Effects, epoch_of
from tests.crash.perils import KILLS, ZOMBIES, Peril
from tests.support.processes import wait_for
from towpath.errors import Transient
from towpath.model.work import Done, Outcome, Suspend
from towpath.pipelines.pipeline import Pipeline, Step
from towpath.providers.contract import Answer, Pending
from towpath.stages.contract import Context, PaidCall, Stage
from towpath.worker.children import Children

FIVE = tuple(f"drill/{number}" for number in range(1, 6))
BUSY = tuple(f"busy/{number}" for number in range(1, 4))
#: A file beside that of the effects: see ``_gated``.
GATE = "gate"


def pipelines(file: Path) -> Sequence[Pipeline]:
    """Everything the suite has: a lane for each peril, and the pipelines of the longer stories."""
    effects = Effects(file)
    done = _noted(effects, _plain)
    drill = {FIVE[0]: _if_paying(_plain), FIVE[2]: _if_paying(_pay(effects))}
    return [
        *(_lane(peril, effects, file.parent / GATE) for peril in (*KILLS, *ZOMBIES)),
        Pipeline("drill", 1, tuple(Step(name, _noted(effects, drill.get(name, _short))) for name in FIVE)),
        Pipeline("busy", 1, tuple(Step(name, _noted(effects, _work(effects))) for name in BUSY)),
        Pipeline("calling", 1, (Step("calling", _noted(effects, _keep_calling(effects))),)),
        Pipeline("blocking", 1, (Step("blocking", _noted(effects, _block)),)),
        Pipeline("lingering", 1, (Step("lingering", _noted(effects, _linger(effects))), Step("after", done))),
        Pipeline("napping", 1, (Step("napping", _noted(effects, _nap)), Step("later", done))),
        Pipeline("delegating", 1, (Step("delegating", _noted(effects, _delegate(effects))),)),
    ]


def _lane(peril: Peril, effects: Effects, gate: Path) -> Pipeline:
    first, *others = peril.stages
    stages = {first: BEHAVIOURS[peril.behaviour](effects), **dict.fromkeys(others, _plain)}
    if peril.kind == "zombie":
        stages = {name: _gated(gate, stage) for name, stage in stages.items()}
    return Pipeline(peril.lane, 1, tuple(Step(name, _noted(effects, s)) for name, s in stages.items()))


def _gated(gate: Path, stage: Stage) -> Stage:
    """On a later epoch, holds the job until the gate is opened: so long it is in a second worker's hands."""

    async def gated(context: Context) -> Outcome:
        if epoch_of(context) > 1:
            await asyncio.to_thread(wait_for, gate.exists, "the gate to be opened")
        return await stage(context)

    return gated


def _noted(effects: Effects, stage: Stage) -> Stage:
    async def noted(context: Context) -> Outcome:
        effects.note("stage", context)
        return await stage(context)

    return noted


async def _plain(context: Context) -> Outcome:
    await context.progress(1, 1)
    return Done({"epoch": epoch_of(context)})


async def _short(context: Context) -> Outcome:
    return Done({"epoch": epoch_of(context)})


def _if_paying(stage: Stage) -> Stage:
    async def if_paying(context: Context) -> Outcome:
        return await (stage if context.options["pays"] else _short)(context)

    return if_paying


def _linger(_effects: Effects) -> Stage:
    """Takes for ever the first time."""

    async def linger(context: Context) -> Outcome:
        if epoch_of(context) == 1:
            await asyncio.Event().wait()
        return Done()

    return linger


def _stumble(_effects: Effects) -> Stage:
    async def stumble(context: Context) -> Outcome:
        if epoch_of(context) == 1:
            raise Transient("a stone on the path")
        return Done()

    return stumble


def _rest(_effects: Effects) -> Stage:
    async def rest(context: Context) -> Outcome:
        if epoch_of(context) == 1:
            return Suspend(context.now(), "a moment's rest")
        return Done()

    return rest


def _pay(effects: Effects) -> Stage:
    async def pay(context: Context) -> Outcome:
        async def call() -> Answer:
            effects.note("call", context)
            return Answer(b"an answer", {"pages": 1}, 0.01)

        await context.once(_call(context), call)
        return Done()

    return pay


def _operate(effects: Effects) -> Stage:
    async def operate(context: Context) -> Outcome:
        async def start() -> str:
            effects.note("start", context)
            return f"operation of epoch {epoch_of(context)}"

        async def poll(operation: str) -> Pending | Answer:
            effects.note("poll", context)
            return Answer(operation.encode()) if context.payload.get("polls") else Pending(0.0)

        answer = await context.operation(_call(context), start, poll)
        return Done({"answer": answer.body.decode()})

    return operate


BEHAVIOURS: dict[str, Callable[[Effects], Stage]] = {
    "plain": lambda _effects: _plain,
    "linger": _linger,
    "stumble": _stumble,
    "rest": _rest,
    "pay": _pay,
    "operate": _operate,
}


def _work(effects: Effects) -> Stage:
    """A stage of some length with a paid call in its middle."""
    pay = _pay(effects)

    async def work(context: Context) -> Outcome:
        await asyncio.sleep(0.01)
        return await pay(context)

    return work


def _keep_calling(effects: Effects) -> Stage:
    """Asks its provider every 10 ms for as long as it may, on its first epoch."""

    async def keep_calling(context: Context) -> Outcome:
        while epoch_of(context) == 1:
            context.check()
            effects.note("call", context)
            await asyncio.sleep(0.01)
        return Done()

    return keep_calling


async def _block(context: Context) -> Outcome:
    """Blocks the event loop, as a careless stage would."""
    time.sleep(float(str(context.options["seconds"])))  # noqa: ASYNC251  (that is the misdeed)
    return Done()


async def _nap(context: Context) -> Outcome:
    await asyncio.sleep(float(str(context.options["seconds"])))
    return Done()


def sleep_in_child(seconds: float, progress: Callable[[int, int], None]) -> None:
    progress(0, 1)
    time.sleep(seconds)


def _delegate(effects: Effects) -> Stage:
    """Has its work done by a child process, and tells when that is at it."""

    async def delegate(context: Context) -> Outcome:
        children = Children(1)
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

    return delegate


def _call(context: Context) -> PaidCall:
    return PaidCall("emulator", "small", {"stage": context.stage}, context.document_id)
