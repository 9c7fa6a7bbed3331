"""The OpenAI call analyzer returns an analysis by the schema or a clear error."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.support.emulators import Fault, OpenAIEmulator
from tests.support.timeouts import REQUEST_SECONDS
from towpath.errors import Ambiguous, Refused, Rejected, Transient
from towpath.model.transcript import ActionItem, Quote, Segment, SpeakerSentiment, Transcript
from towpath.providers.openai.call_analyzer import OpenAICallAnalyzer
from towpath.providers.openai.prices import CHATS

CALL = Transcript(
    (
        Segment("Good morning, thank you for calling the brewery.", "Speaker 1", 0.0, 3.0),
        Segment(
            "The barrels came late and one barrel is broken. When can you replace the barrel?",
            "Speaker 2",
            3.0,
            8.0,
        ),
        Segment("I will send another barrel on Friday.", "Speaker 1", 8.0, 11.0),
    )
)


@pytest.fixture
async def analyzer(service: OpenAIEmulator) -> AsyncIterator[OpenAICallAnalyzer]:
    analyzer = OpenAICallAnalyzer(service.key, base_url=service.base_url, timeout=REQUEST_SECONDS)
    yield analyzer
    await analyzer.aclose()


async def test_a_call_is_analyzed_by_the_schema(
    service: OpenAIEmulator, analyzer: OpenAICallAnalyzer
) -> None:
    answer = await analyzer.analyze(CALL)
    analysis = analyzer.read(answer.body)

    assert "barrels came late" in analysis.summary
    assert "barrel" in analysis.topics
    assert analysis.action_items == (ActionItem("I will send another barrel on Friday.", "Speaker 1"),)
    assert analysis.questions == (Quote("When can you replace the barrel?"),)
    assert [(mood.speaker, mood.sentiment) for mood in analysis.moods] == [
        ("Speaker 1", "positive"),
        ("Speaker 2", "negative"),
    ]
    assert isinstance(analysis.moods[0], SpeakerSentiment)
    price = CHATS["gpt-4.1-mini"]
    prompt, completion = answer.units["prompt_tokens"], answer.units["completion_tokens"]
    assert prompt + completion == service.bill.units["tokens"]
    assert answer.cost == pytest.approx((prompt * price.input + completion * price.output) / 1e6)


async def test_a_truncated_answer_names_the_setting(service: OpenAIEmulator) -> None:
    terse = OpenAICallAnalyzer(service.key, base_url=service.base_url, max_answer_tokens=16)

    with pytest.raises(Rejected, match="Raise the setting") as caught:
        await terse.analyze(CALL)
    assert caught.value.code == "answer_truncated"
    await terse.aclose()


async def test_a_refusal_of_the_model_is_quoted(
    service: OpenAIEmulator, analyzer: OpenAICallAnalyzer
) -> None:
    service.faults.add(Fault("chat", "refuse"))

    with pytest.raises(Rejected, match="cannot assist") as caught:
        await analyzer.analyze(CALL)
    assert caught.value.code == "model_refused"


async def test_a_call_longer_than_the_model_can_hold_is_rejected(analyzer: OpenAICallAnalyzer) -> None:
    with pytest.raises(Rejected) as caught:
        await analyzer.analyze(Transcript((Segment("word " * 130_000, None, 0.0, 9.0),)))
    assert caught.value.code == "too_long"


async def test_an_empty_transcript_is_not_sent(service: OpenAIEmulator, analyzer: OpenAICallAnalyzer) -> None:
    with pytest.raises(Rejected, match="empty"):
        await analyzer.analyze(Transcript())
    assert service.requests == []


async def test_vendor_errors_are_translated(service: OpenAIEmulator, analyzer: OpenAICallAnalyzer) -> None:
    service.faults.add(Fault("chat", "status", status=401))
    service.faults.add(Fault("chat", "status", status=500))
    service.faults.add(Fault("chat", "drop"))

    with pytest.raises(Refused):
        await analyzer.analyze(CALL)
    with pytest.raises(Transient):
        await analyzer.analyze(CALL)
    with pytest.raises(Ambiguous):
        await analyzer.analyze(CALL)
    assert service.count("chat") == 3


def completion(finish: str = "stop", **message: Any) -> bytes:
    return json.dumps({"choices": [{"finish_reason": finish, "message": message}]}).encode()


def test_a_filtered_answer_is_rejected() -> None:
    with pytest.raises(Rejected, match="content filter"):
        OpenAICallAnalyzer("key").read(completion("content_filter", content=""))


@pytest.mark.parametrize("content", ["no json", '{"summary": "only this"}', "[]"])
def test_an_answer_that_does_not_match_the_schema_is_refused(content: str) -> None:
    with pytest.raises(Transient, match="does not match the schema"):
        OpenAICallAnalyzer("key").read(completion(content=content))


def test_an_answer_without_choices_is_ambiguous() -> None:
    with pytest.raises(Ambiguous, match="incomplete"):
        OpenAICallAnalyzer("key").read(b'{"choices": []}')


def test_the_answer_length_is_part_of_the_cache_key() -> None:
    assert (
        OpenAICallAnalyzer("key").parameters()
        != OpenAICallAnalyzer("key", max_answer_tokens=8000).parameters()
    )
