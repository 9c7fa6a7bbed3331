"""Whatever bytes a parser or a provider puts into a message, the ledger takes it, alike on both engines."""

from __future__ import annotations

import pytest

from tests.contract.story import Story
from tests.support.factories import a_call, a_plan
from towpath.ledger.contract import Advance, CallAnswer, CallAnswered, Fail, Finish, Settled, Suspended
from towpath.model.work import JobStatus

AWKWARD = {
    "a zero byte": "half \x00 done",
    "a lone surrogate": "caf\udce9.pdf",
    "an emoji": "it works \N{PARTY POPPER}",
    "a written escape": r"C:\u0000\new",
    "right to left": "שלום",
    "quotes and percent": "100% 'quoted' \"twice\" %(name)s :name",
    "a very long one": "x" * 100_000,
}


def _readable(text: str) -> str:
    """What can be kept of a text: what no database can store becomes the replacement character."""
    return "".join("\ufffd" if char == "\x00" or "\ud800" <= char <= "\udfff" else char for char in text)


@pytest.mark.parametrize("text", AWKWARD.values(), ids=AWKWARD)
async def test_given_awkward_text_when_settled_then_the_settlement_is_durable(
    story: Story, text: str
) -> None:
    # Given a document with such a name, such options and such a payload
    await story.submit(text, plan=a_plan(options={"title": text}, payload={text: [text]}))
    job = await story.claim_one()
    assert (job.options, job.payload) == ({"title": _readable(text)}, {_readable(text): [_readable(text)]})

    # When its stages answer with more of it
    await story.settle(Suspended(job.lease, story.now, text, {"said": text}))
    job = await story.claim_one()
    assert job.payload == {"said": _readable(text)}
    await story.settle(Fail(job.lease, text, story.now))
    job = await story.claim_one()
    await story.settle(Advance(job.lease, "chunk", 5, {"text": text}, {"next": text}, keep=False))
    job = await story.claim_one()

    # Then nothing was refused, and it reads the same on both engines
    assert (job.known, job.payload) == ({"extract": {"text": _readable(text)}}, {"next": _readable(text)})
    await story.settle(Fail(job.lease, text, story.now, final=True))
    assert (await story.run(job.run_id)).error == _readable(text)
    assert (await story.job(job)).status is JobStatus.FAILED


@pytest.mark.parametrize("text", AWKWARD.values(), ids=AWKWARD)
async def test_given_awkward_text_in_an_answer_that_was_paid_for_then_it_is_kept(
    story: Story, text: str
) -> None:
    await story.submit()
    job = await story.claim_one()
    call = a_call()
    await story.ledger.call_begin(job.lease, call, story.now)
    await story.ledger.call_failed(job.lease, call.key, text)
    await story.ledger.call_begin(job.lease, call, story.now)
    await story.ledger.call_answer(job.lease, call.key, CallAnswer({"text": text}), story.now)
    assert await story.ledger.call_begin(job.lease, call, story.now) == CallAnswered(
        {"text": _readable(text)}, None
    )
    await story.settle(Finish(job.lease, {"text": text}))
    assert (await story.job(job)).result == {"text": _readable(text)}
    new = await story.reprocess(job.document_id, a_plan(options={"title": text}), from_stage="chunk")
    assert (await story.run(new)).options == {"title": _readable(text)}
    assert (await story.claim_one()).known == {"extract": {"text": _readable(text)}}


async def test_given_a_number_that_is_none_when_settled_then_it_is_kept_as_nothing(story: Story) -> None:
    for _ in range(2):
        await story.submit()
    odd, plain = await story.claim()
    result = {"score": float("nan"), "scores": [1.5, float("inf")], "deep": {"low": float("-inf")}}
    answers = await story.ledger.settle(
        [Finish(odd.lease, result), Finish(plain.lease, {"score": 1})], story.now
    )

    assert all(isinstance(answer, Settled) for answer in answers), "one odd result stops no batch"
    assert (await story.job(odd)).result == {"score": None, "scores": [1.5, None], "deep": {"low": None}}
