"""towpath.testing: a stage is run on a real ledger, and a kill at every await shows whether it pays twice."""

from __future__ import annotations

import pytest

from towpath.sdk import Context, Done, Field, Reject, Suspend, Transient, stage
from towpath.testing import ManualClock, PaidCalls, StageTest


@stage("summarize", inputs=("text",), version=1, label="Summarize")
async def summarize(context: Context) -> Done:
    text = await context.text()
    paid = paid_calls

    async def ask(key: str) -> str:
        return await paid(text)

    answer = await context.once("acme", ask, input=text, model="small")
    await context.progress(1, 1, "document")
    return Done({"summary": answer.text})


@stage("careless", inputs=("text",))
async def careless(context: Context) -> Done:
    answer = await paid_calls(await context.text())
    await context.progress(1, 1, "document")
    return Done({"summary": answer})


paid_calls = PaidCalls("a summary")


def test_a_stage_runs_on_a_real_ledger() -> None:
    run = StageTest(summarize, text="A long text.", paid=paid_calls).run()

    assert (run.status, run.result) == ("COMPLETED", {"summary": "a summary"})
    assert (run.executions, run.calls_made, paid_calls.count) == (1, 1, 1)


def test_a_remembered_call_is_paid_once_whereever_the_worker_is_killed() -> None:
    report = StageTest(summarize, text="A long text.", paid=paid_calls).kill_at_every_await()

    report.assert_paid_once()
    assert report.calls == 1
    assert len(report.points) >= 8
    # The kill between the payment and the storage of the answer is among them, and it is counted.
    assert max(point.open_windows for point in report.points) == 1
    assert max(point.billed for point in report.points) == 2
    assert all(point.billed == 1 for point in report.points if point.open_windows == 0)


def test_with_an_idempotency_key_the_open_window_is_closed() -> None:
    paid = PaidCalls("a summary")

    @stage("keyed", inputs=("text",))
    async def keyed(context: Context) -> Done:
        text = await context.text()

        async def ask(key: str) -> str:
            return await paid(text, idempotency_key=key)

        return Done({"summary": (await context.once("acme", ask, input=text)).text})

    report = StageTest(keyed, text="A long text.", paid=paid).kill_at_every_await()

    report.assert_paid_once()
    assert {point.billed for point in report.points} == {1}


def test_a_call_outside_of_once_is_found() -> None:
    report = StageTest(careless, text="A long text.", paid=paid_calls).kill_at_every_await()

    with pytest.raises(AssertionError, match="1 calls outside of `once` were billed again"):
        report.assert_paid_once()


def test_a_suspended_stage_finds_its_state_when_the_owned_clock_has_moved() -> None:
    clock = ManualClock()
    started = clock.now()

    @stage("waiting")
    async def waiting(context: Context) -> Done | Suspend:
        if not context.state:
            return Suspend(90.0, provider="acme", state={"ticket": 7})
        return Done({"ticket": context.state["ticket"]})

    run = StageTest(waiting, clock=clock).run()

    assert (run.status, run.result, run.executions) == ("COMPLETED", {"ticket": 7}, 2)
    assert (clock.now() - started).total_seconds() >= 90.0


def test_an_error_uses_an_attempt_and_a_rejection_ends_the_run() -> None:
    @stage("failing")
    async def failing(context: Context) -> Done:
        raise Transient("the service is down")

    @stage("refusing")
    async def refusing(context: Context) -> Reject:
        return Reject("This is no invoice.")

    failed, rejected = StageTest(failing).run(), StageTest(refusing).run()

    assert (failed.status, failed.executions) == ("FAILED", 2)
    assert "the service is down" in str(failed.error)
    assert (rejected.status, rejected.executions, rejected.error) == ("FAILED", 1, "This is no invoice.")


def test_text_results_settings_and_chunks_are_given_to_the_stage() -> None:
    @stage("all_inputs", inputs=("text", "chunks"), outputs=("text", "fields"))
    async def all_inputs(context: Context) -> Done:
        chunks = await context.chunks()
        async with context.original() as path:
            size = len(path.read_bytes())
        key = await context.store("copy", b"bytes")
        copied = await context.load(key) == b"bytes"
        result = {"chunks": len(chunks), "size": size, "copied": copied, "code": context.results["lookup"]}
        upper = (await context.text()).upper()
        return Done(result | dict(context.settings), text=upper, fields=[Field("code", "7")])

    run = StageTest(
        all_inputs, text="# Hello\n\nA text.", results={"lookup": {"code": 7}}, settings={"url": "http://a"}
    ).run()

    assert run.status == "COMPLETED", run.error
    assert run.result == {"chunks": 1, "size": 16, "copied": True, "code": {"code": 7}, "url": "http://a"}
    assert run.text == "# HELLO\n\nA TEXT."


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (Done({"calls": 1}), "must not have the name `calls`"),
        (Done({"a": object()}), "is not JSON"),
        (Done({"a": "x" * 70_000}), "Store large results with `context.store`"),
        (Done(text="new"), "Add `text` to its `outputs`"),
        (Done(fields=[Field("a", "b")]), "Add `fields` to its `outputs`"),
        ("done", "must return Done, Suspend or Reject"),
    ],
)
def test_a_wrong_outcome_is_an_error_with_the_name_of_the_stage(outcome: Done, sentence: str) -> None:
    @stage("wrong")
    async def wrong(context: Context) -> Done:
        return outcome

    run = StageTest(wrong, max_attempts=1).run()

    assert run.status == "FAILED"
    assert sentence in str(run.error)
    assert "wrong" in str(run.error)


async def test_it_can_be_used_in_an_async_test() -> None:
    assert StageTest(summarize, text="Another text.", paid=paid_calls).run().status == "COMPLETED"
