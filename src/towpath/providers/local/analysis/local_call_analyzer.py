"""Analyzes a call without a model: collects what was said word for word, with its time.

Questions, promises, names, numbers and dates. There is no summary, no topic and no sentiment: rules get them wrong.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from towpath.errors import Rejected
from towpath.model.codec import decode, encode
from towpath.model.provider_answer import Answer
from towpath.model.transcript import ActionItem, CallAnalysis, Quote, Transcript
from towpath.process_runner import ProcessRunner
from towpath.providers.local.analysis.phrases import Phrases, phrases
from towpath.text.spoken_sentences import SpokenSentence, spoken_sentences

MAX_ITEMS = 50
#: A shorter question is a tag such as "Right?" or "Okay?". Scripts without blanks are counted by characters.
MIN_QUESTION_WORDS, MIN_QUESTION_CHARACTERS = 3, 6
_QUESTION_MARKS = ("?", "？", "؟")
_UNIT = r"%|percent|per cent|dollars?|euros?|pounds?|cents?|Prozent|pour cent|por ciento|рубл\w+|евро|долларов|€|£|\$"
#: Amounts and percentages of any size, and other numbers of at least three digits: 5 is seldom worth a mention.
_NUMBER = re.compile(
    rf"(?:[€£$]\s?\d[\d.,]*\d|[€£$]\s?\d|\b\d[\d.,]{{0,20}}\s?(?:{_UNIT})(?!\w)|(?<![\w.,-])\+?\d[\d .-]{{5,}}\d\b|"
    r"(?<![\w.,])\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?\b|(?<![\w.,])\d{3,}\b)"
)


@dataclass(frozen=True, slots=True)
class LocalCallAnalyzer:
    runner: ProcessRunner
    provider: str = "local"
    model: str = "spoken-facts-1"

    def parameters(self) -> Mapping[str, str]:
        return {}

    def input_hash(self, transcript: Transcript) -> str:
        """The whole transcript: the answer contains times and depends on the language."""
        return hashlib.sha256(encode(transcript)).hexdigest()

    async def analyze(self, transcript: Transcript) -> Answer:
        if not transcript.text.strip():
            raise Rejected("empty", "The transcript is empty. There is nothing to analyze.")
        return Answer(await self.runner.run(analyze_transcript, encode(transcript), seconds=60))

    def read(self, answer: bytes) -> CallAnalysis:
        return decode(answer, CallAnalysis)


def analyze_transcript(body: bytes) -> bytes:
    """Analyze the JSON of a transcript; runs in a child process. Returns JSON."""
    transcript = decode(body, Transcript)
    sentences = [sentence for segment in transcript.segments for sentence in spoken_sentences(segment)]
    known = phrases(transcript.language)
    analysis = CallAnalysis(
        summary="",
        action_items=tuple(_promises(sentences, known))[:MAX_ITEMS],
        questions=tuple(_quote(sentence) for sentence in sentences if _is_question(sentence.text))[
            :MAX_ITEMS
        ],
        names=_distinct(_matches(sentences, known.name)),
        numbers=_distinct(_numbers(sentences, known.date)),
        dates=_distinct(_matches(sentences, known.date)),
    )
    return encode(analysis)


def _quote(sentence: SpokenSentence) -> Quote:
    return Quote(sentence.text, sentence.speaker, sentence.start)


def _is_question(text: str) -> bool:
    if not text.rstrip("\"'”’» ").endswith(_QUESTION_MARKS):
        return False
    words = text.split()
    return len(words) >= MIN_QUESTION_WORDS or (
        len(words) == 1 and len(text) >= MIN_QUESTION_CHARACTERS and not text.isascii()
    )


def _promises(sentences: Iterable[SpokenSentence], known: Phrases) -> Iterator[ActionItem]:
    """What a speaker announced to do. The due date is a date that the sentence names."""
    if known.promise is None:
        return
    for sentence in sentences:
        if sentence.text.endswith(_QUESTION_MARKS) or not known.promise.search(sentence.text):
            continue
        due = known.date.search(sentence.text)
        yield ActionItem(sentence.text, sentence.speaker, due[0] if due else None, sentence.start)


def _matches(sentences: Iterable[SpokenSentence], pattern: re.Pattern[str] | None) -> Iterator[Quote]:
    if pattern is None:
        return
    for sentence in sentences:
        for match in pattern.finditer(sentence.text):
            text = match[1] if pattern.groups else match[0]
            yield Quote(text.strip(), sentence.speaker, sentence.start)


def _numbers(sentences: Iterable[SpokenSentence], date: re.Pattern[str]) -> Iterator[Quote]:
    """The numbers outside of dates."""
    for sentence in sentences:
        text = date.sub(lambda match: " " * len(match[0]), sentence.text)
        for match in _NUMBER.finditer(text):
            yield Quote(match[0].strip(" .,-"), sentence.speaker, sentence.start)


def _distinct(quotes: Iterable[Quote]) -> tuple[Quote, ...]:
    """Each text once, where it was said first."""
    first: dict[str, Quote] = {}
    for quote in quotes:
        first.setdefault(quote.text.casefold(), quote)
    found: Sequence[Quote] = list(first.values())
    return tuple(found[:MAX_ITEMS])
