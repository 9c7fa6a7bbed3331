"""Sentences are complete as soon as their JSON object is, however the text is cut into parts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from towpath.ask.answer_parser import AnswerParser, CitedQuote, WrittenSentence

SENTENCES: list[Any] = [
    {"text": 'A "brace" } and a \\ sign.', "citations": [{"passage": 1, "quote": "]}{["}]},
    {"text": "Zwei Sätze.", "citations": [{"passage": 2, "quote": "a"}, {"passage": 3, "quote": "b"}]},
    {"text": "No source.", "citations": []},
]
EXPECTED = [
    WrittenSentence(
        item["text"], tuple(CitedQuote(cited["passage"], cited["quote"]) for cited in item["citations"])
    )
    for item in SENTENCES
]


@pytest.mark.parametrize("size", [1, 2, 7, 10_000])
@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```", "Here it is [1]: {}"])
def test_every_cut_gives_the_same_sentences(size: int, fence: str) -> None:
    text = fence.replace("{}", json.dumps({"sentences": SENTENCES}))
    parser = AnswerParser()
    parts = [text[start : start + size] for start in range(0, len(text), size)]
    assert [sentence for part in parts for sentence in parser.feed(part)] == EXPECTED
    assert parser.complete


def test_a_sentence_is_complete_before_the_rest_arrives() -> None:
    text = json.dumps({"sentences": SENTENCES})
    parser = AnswerParser()
    assert list(parser.feed(text[: text.index("Zwei")])) == EXPECTED[:1]
    assert not parser.complete


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I do not know.",
        '{"sentences": []}',
        '{"sentences": [{"text": "A."}]}',
        '{"other": [{"a": {"b": 1}}]}',
    ],
)
def test_a_text_without_sentences_gives_none(text: str) -> None:
    assert list(AnswerParser().feed(text)) == []
