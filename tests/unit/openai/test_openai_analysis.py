"""Analyzing a call: an answer in the given form, or a plain reason why there is none."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.emulators import Fault, OpenAIEmulator
from towpath.errors import Ambiguous, Refused, Rejected, Transient
from towpath.model.transcript import ActionItem, Mood
from towpath.providers.openai.analysis import OpenAIAnalyst
from towpath.providers.openai.prices import CHATS

CALL = """Speaker 1: Good morning, thank you for calling the brewery.
Speaker 2: The barrels came late and one barrel is broken. When can you replace the barrel?
Speaker 1: I will send another barrel on Friday."""


@pytest.fixture
async def analyst(service: OpenAIEmulator) -> AsyncIterator[OpenAIAnalyst]:
    analyst = OpenAIAnalyst(service.key, base_url=service.base_url, timeout=2.0)
    yield analyst
    await analyst.aclose()


async def test_a_call_is_told_in_the_given_form(service: OpenAIEmulator, analyst: OpenAIAnalyst) -> None:
    answer = await analyst.analyze(CALL)
    analysis = analyst.read(answer.body)

    assert "barrels came late" in analysis.summary
    assert "barrel" in analysis.topics
    assert analysis.action_items == (ActionItem("I will send another barrel on Friday.", "Speaker 1"),)
    assert analysis.questions == ("When can you replace the barrel?",)
    assert [(mood.speaker, mood.sentiment) for mood in analysis.moods] == [
        ("Speaker 1", "positive"),
        ("Speaker 2", "negative"),
    ]
    assert isinstance(analysis.moods[0], Mood)
    price = CHATS["gpt-4.1-mini"]
    prompt, completion = answer.units["prompt_tokens"], answer.units["completion_tokens"]
    assert prompt + completion == service.bill.units["tokens"]
    assert answer.cost == pytest.approx((prompt * price.input + completion * price.output) / 1e6)


async def test_an_answer_cut_off_is_told_with_the_remedy(service: OpenAIEmulator) -> None:
    terse = OpenAIAnalyst(service.key, base_url=service.base_url, max_answer_tokens=16)

    with pytest.raises(Rejected, match="Raise the setting") as caught:
        await terse.analyze(CALL)
    assert caught.value.code == "answer_truncated"
    await terse.aclose()


async def test_a_model_that_declines_is_quoted(service: OpenAIEmulator, analyst: OpenAIAnalyst) -> None:
    service.faults.add(Fault("chat", "refuse"))

    with pytest.raises(Rejected, match="cannot assist") as caught:
        await analyst.analyze(CALL)
    assert caught.value.code == "model_refused"


async def test_a_call_longer_than_the_model_can_hold_is_rejected(analyst: OpenAIAnalyst) -> None:
    with pytest.raises(Rejected) as caught:
        await analyst.analyze("word " * 130_000)
    assert caught.value.code == "too_long"


async def test_silence_is_not_sent(service: OpenAIEmulator, analyst: OpenAIAnalyst) -> None:
    with pytest.raises(Rejected, match="empty"):
        await analyst.analyze(" \n")
    assert service.requests == []


async def test_failures_are_those_of_the_vendor(service: OpenAIEmulator, analyst: OpenAIAnalyst) -> None:
    service.faults.add(Fault("chat", "status", status=401))
    service.faults.add(Fault("chat", "status", status=500))
    service.faults.add(Fault("chat", "drop"))

    with pytest.raises(Refused):
        await analyst.analyze(CALL)
    with pytest.raises(Transient):
        await analyst.analyze(CALL)
    with pytest.raises(Ambiguous):
        await analyst.analyze(CALL)
    assert service.count("chat") == 3


def completion(finish: str = "stop", **message: Any) -> bytes:
    return json.dumps({"choices": [{"finish_reason": finish, "message": message}]}).encode()


def test_a_filtered_answer_is_rejected() -> None:
    with pytest.raises(Rejected, match="content filter"):
        OpenAIAnalyst("key").read(completion("content_filter", content=""))


@pytest.mark.parametrize("content", ["no json", '{"summary": "only this"}', "[]"])
def test_an_answer_in_another_form_is_not_half_read(content: str) -> None:
    with pytest.raises(Transient, match="did not keep to the form"):
        OpenAIAnalyst("key").read(completion(content=content))


def test_an_answer_without_choices_may_have_been_paid_for() -> None:
    with pytest.raises(Ambiguous, match="not complete"):
        OpenAIAnalyst("key").read(b'{"choices": []}')


def test_a_longer_answer_is_another_answer() -> None:
    assert OpenAIAnalyst("key").parameters() != OpenAIAnalyst("key", max_answer_tokens=8000).parameters()
