"""Both engines store any text of a parser or provider; unstorable characters are replaced."""

from __future__ import annotations

import pytest

from tests.contract.ledger_driver import LedgerDriver
from tests.support.factories import a_call, a_plan
from towpath.ledger.contract.provider_calls import CallAnswer, CallCached
from towpath.ledger.contract.settlements import Advance, Fail, Finish, Settled, Suspended
from towpath.model.job import JobStatus, WaitingReason

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
    """Replace the characters that no database can store by the replacement character."""
    return "".join("\ufffd" if char == "\x00" or "\ud800" <= char <= "\udfff" else char for char in text)


@pytest.mark.parametrize("text", AWKWARD.values(), ids=AWKWARD)
async def test_a_settlement_with_unstorable_text_is_stored(driver: LedgerDriver, text: str) -> None:
    # Given a document with the text in its name, options and payload
    await driver.submit(text, plan=a_plan(options={"title": text}, payload={text: [text]}))
    job = await driver.claim_one()
    assert (job.options, job.payload) == ({"title": _readable(text)}, {_readable(text): [_readable(text)]})

    # When its stages return the same text
    await driver.settle(
        Suspended(job.lease, driver.now, WaitingReason.PROVIDER_OPERATION, text, text, {"said": text})
    )
    job = await driver.claim_one()
    assert job.payload == {"said": _readable(text)}
    await driver.settle(Fail(job.lease, text, driver.now))
    job = await driver.claim_one()
    await driver.settle(Advance(job.lease, "chunk", 5, {"text": text}, {"next": text}, keep=False))
    job = await driver.claim_one()

    # Then nothing is refused, and both engines return the same text
    assert (job.results, job.payload) == ({"extract": {"text": _readable(text)}}, {"next": _readable(text)})
    await driver.settle(Fail(job.lease, text, driver.now, final=True))
    assert (await driver.run(job.run_id)).error == _readable(text)
    assert (await driver.job(job)).status is JobStatus.FAILED


@pytest.mark.parametrize("text", AWKWARD.values(), ids=AWKWARD)
async def test_a_provider_answer_with_unstorable_text_is_stored(driver: LedgerDriver, text: str) -> None:
    await driver.submit()
    job = await driver.claim_one()
    call = a_call()
    await driver.ledger.begin_call(job.lease, call, driver.now)
    await driver.ledger.fail_call(job.lease, call.key, text)
    await driver.ledger.begin_call(job.lease, call, driver.now)
    await driver.ledger.save_answer(job.lease, call.key, CallAnswer({"text": text}), driver.now)
    assert await driver.ledger.begin_call(job.lease, call, driver.now) == CallCached(
        {"text": _readable(text)}, None
    )
    await driver.settle(Finish(job.lease, {"text": text}))
    assert (await driver.job(job)).result == {"text": _readable(text)}
    new = await driver.reprocess(job.document_id, a_plan(options={"title": text}), from_stage="chunk")
    assert (await driver.run(new)).options == {"title": _readable(text)}
    assert (await driver.claim_one()).results == {"extract": {"text": _readable(text)}}


async def test_nan_and_infinity_in_a_result_are_stored_as_null(
    driver: LedgerDriver,
) -> None:
    for _ in range(2):
        await driver.submit()
    odd, plain = await driver.claim()
    result = {"score": float("nan"), "scores": [1.5, float("inf")], "deep": {"low": float("-inf")}}
    answers = await driver.ledger.settle(
        [Finish(odd.lease, result), Finish(plain.lease, {"score": 1})], driver.now
    )

    assert all(isinstance(answer, Settled) for answer in answers), (
        "one result with NaN does not fail the batch"
    )
    assert (await driver.job(odd)).result == {"score": None, "scores": [1.5, None], "deep": {"low": None}}
