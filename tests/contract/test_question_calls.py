"""Calls for questions: answered once per organization, held by one process, and taken over after a crash."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.ledger_driver import LedgerDriver
from tests.support.factories import add_organizations, organization_id
from towpath.errors import LeaseLost
from towpath.ledger.contract.provider_calls import (
    CallAnswer,
    CallCached,
    CallInProgress,
    CallRequest,
    CallReserved,
)
from towpath.ledger.sql_question_calls import SqlQuestionCalls
from towpath.model.ids import DEFAULT_ORG_ID, new_id

CALL = CallRequest("question-key", "openai", "gpt-4.1-mini")
ANSWER = CallAnswer({"base64": "e30=", "chunk_ids": []}, None, {"prompt_tokens": 120.0}, 0.004)
HOLDER_SECONDS = 90.0


def _process(driver: LedgerDriver, *, sole: bool = False) -> SqlQuestionCalls:
    return SqlQuestionCalls(driver.ledger.database, holder_seconds=HOLDER_SECONDS, sole=sole)


def _row(driver: LedgerDriver) -> Any:
    (row,) = driver.sql("select * from provider_calls")
    return row


async def test_an_answer_is_reused_by_every_process(driver: LedgerDriver) -> None:
    first, second = _process(driver), _process(driver)
    assert await first.begin(DEFAULT_ORG_ID, CALL, None, driver.now) == CallReserved()
    await first.save_answer(DEFAULT_ORG_ID, CALL.key, ANSWER, driver.now)
    for process in (first, second, _process(driver, sole=True)):
        assert await process.begin(DEFAULT_ORG_ID, CALL, None, driver.now) == CallCached(ANSWER.answer, None)
    row = _row(driver)
    assert (row.status, row.reused, row.repeated, row.cost) == ("ANSWERED", 3, 0, 0.004)


async def test_the_call_of_another_process_is_awaited_and_then_taken_over(driver: LedgerDriver) -> None:
    first, second = _process(driver), _process(driver)
    await first.begin(DEFAULT_ORG_ID, CALL, None, driver.now)
    assert isinstance(await second.begin(DEFAULT_ORG_ID, CALL, None, driver.now), CallInProgress)
    driver.clock.advance(HOLDER_SECONDS + 1)
    assert await second.begin(DEFAULT_ORG_ID, CALL, None, driver.now) == CallReserved(repeated=True)
    with pytest.raises(LeaseLost):
        await first.save_answer(DEFAULT_ORG_ID, CALL.key, ANSWER, driver.now)
    await second.save_answer(DEFAULT_ORG_ID, CALL.key, ANSWER, driver.now)
    assert _row(driver).repeated == 1


async def test_the_only_process_takes_a_call_over_at_once_after_a_crash(driver: LedgerDriver) -> None:
    await _process(driver, sole=True).begin(DEFAULT_ORG_ID, CALL, None, driver.now)
    after_restart = _process(driver, sole=True)
    assert await after_restart.begin(DEFAULT_ORG_ID, CALL, None, driver.now) == CallReserved(repeated=True)


async def test_a_failed_call_may_be_made_again_and_counts_as_not_paid(driver: LedgerDriver) -> None:
    first, second = _process(driver), _process(driver)
    await first.begin(DEFAULT_ORG_ID, CALL, None, driver.now)
    await first.fail(DEFAULT_ORG_ID, CALL.key, "OpenAI could not be reached.")
    assert await second.begin(DEFAULT_ORG_ID, CALL, None, driver.now) == CallReserved(repeated=False)


async def test_organizations_do_not_share_answers(driver: LedgerDriver) -> None:
    add_organizations(driver.ledger.database, organization_id(0), organization_id(1))
    process = _process(driver)
    await process.begin(organization_id(0), CALL, None, driver.now)
    await process.save_answer(organization_id(0), CALL.key, ANSWER, driver.now)
    assert await process.begin(organization_id(1), CALL, None, driver.now) == CallReserved()


async def test_the_cost_belongs_to_the_document_of_the_question(driver: LedgerDriver) -> None:
    document_id = new_id()
    await _process(driver).begin(DEFAULT_ORG_ID, CALL, document_id, driver.now)
    assert str(_row(driver).document_id) == document_id
