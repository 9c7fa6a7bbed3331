"""The answer of an emulated chat model to a question: sentences of the passages that have the words of the question."""

from __future__ import annotations

import re
from typing import Any

Json = dict[str, Any]

_PASSAGE = re.compile(r"^Passage (\d+):\n(.*?)(?=^Passage \d+:\n|^Question: )", re.MULTILINE | re.DOTALL)
_QUESTION = re.compile(r"^Question: (.*)\Z", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_QUESTION_WORDS = frozenset(
    "what does do did is are was were who whom whose which when where why how many much long the and for with from "
    "that this have has will would could should can may there their about into".split()
)
#: At least this share of the question's words must be in a sentence that answers it.
MIN_SHARE = 0.6


def is_question(schema: Json) -> bool:
    """Whether the schema asks for sentences with citations."""
    return "sentences" in schema.get("properties", {})


def answer(message: str, *, invent: bool = False) -> Json:
    """The sentences of the passages that answer the question in the message; none if no passage does.

    ``invent``: add a sentence whose quote is in no passage, one without a citation, and one with a wrong number.
    """
    question = _QUESTION.search(message)
    wanted = _words(question[1] if question else "")
    best: list[tuple[float, int, str]] = []
    for number, text in _PASSAGE.findall(message):
        for sentence in map(str.strip, _SENTENCE.findall(text)):
            share = len(wanted & _words(sentence)) / max(1, len(wanted))
            if share >= MIN_SHARE:
                best.append((-share, int(number), sentence))
    sentences: list[Json] = [
        {"text": sentence, "citations": [{"passage": number, "quote": sentence}]}
        for _, number, sentence in sorted(best)[:2]
    ]
    if invent:
        quote = "words that no passage of this library contains anywhere"
        sentences.insert(0, {"text": "An invention.", "citations": [{"passage": 1, "quote": quote}]})
        sentences.insert(0, {"text": "A sentence without a source.", "citations": []})
        for sentence in sentences[2:]:
            sentence["citations"] = [{**cited, "passage": 99} for cited in sentence["citations"]]
    return {"sentences": sentences}


def _words(text: str) -> set[str]:
    found = {word.lower() for word in re.findall(r"\w{3,}", text)}
    # A plural or a verb form matches its stem of five letters.
    return {word[:5] for word in found - _QUESTION_WORDS}
