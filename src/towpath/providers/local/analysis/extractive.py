"""Analyzes a call without a model: selects sentences of the transcript by word frequency.

The word lists are English. A call in another language gets a summary and topics only.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from towpath.errors import Rejected
from towpath.model.answer import Answer
from towpath.model.codec import decode, encode
from towpath.model.transcript import ActionItem, CallAnalysis, Sentiment, SpeakerSentiment
from towpath.process_runner import ProcessRunner

SUMMARY_SENTENCES, MAX_TOPICS, MAX_ITEMS = 4, 6, 20
_SPEAKER = re.compile(r"^(Speaker \d+): ")
_SENTENCE = re.compile(r"[^.!?…]+[.!?…]*")
_WORD = re.compile(r"[^\W\d_][\w'’-]+")
_COMMITMENT = re.compile(
    r"\b(?:i|we)(?:'ll|’ll| will| shall| am going to| are going to| need to| have to| must)\b"
    r"|\b(?:please|could you|can you|would you|let's|let’s|make sure|follow up|don't forget)\b",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"\b(?:by|before|on|until)\s+((?:next\s+)?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"tomorrow|noon|tonight|the end of the (?:day|week|month)|next (?:week|month)))\b",
    re.IGNORECASE,
)
_STOPWORDS = frozenset(
    "a about after again all also am an and any are as at be because been before being but by can could did do does "
    "done down for from get go going good got had has have he her here hers him his how i i'll i'm if in into is it "
    "it's its just know let like me more most much my no not now of off oh ok okay on one only or other our out over "
    "really right said say see she should so some than thank thanks that that's the their them then there these they "
    "thing think this those time to too up us very was way we we'll well were what when where which who why will "
    "with would yeah yes you you're your".split()
)
_POSITIVE_WORDS = frozenset(
    "agree agreed best better brilliant excellent fine positive good great happy helpful love lovely nice perfect "
    "pleased pleasure right solved super thank thanks welcome wonderful works".split()
)
_NEGATIVE_WORDS = frozenset(
    "afraid angry annoyed bad broken complain complaint delay delayed disappointed fail failed fault late lost "
    "missing mistake never problem problems refuse sorry stuck terrible trouble unacceptable unhappy upset worse "
    "worst wrong".split()
)


@dataclass(frozen=True, slots=True)
class ExtractiveCallAnalyzer:
    runner: ProcessRunner
    provider: str = "local"
    model: str = "extractive-1"

    def parameters(self) -> Mapping[str, str]:
        return {}

    async def analyze(self, transcript: str) -> Answer:
        if not transcript.strip():
            raise Rejected("empty", "The transcript is empty. There is nothing to analyze.")
        return Answer(await self.runner.run(analyze_text, transcript, seconds=60))

    def read(self, answer: bytes) -> CallAnalysis:
        return decode(answer, CallAnalysis)


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    speaker: str | None
    words: tuple[str, ...]


def analyze_text(transcript: str) -> bytes:
    """Analyze a transcript with one utterance per line; runs in a child process. Returns JSON."""
    sentences = list(_sentences(transcript))
    sentence_frequency = Counter(word for sentence in sentences for word in set(sentence.words))
    questions = [
        sentence.text for sentence in sentences if sentence.text.endswith("?") and len(sentence.words) > 1
    ]
    return encode(
        CallAnalysis(
            _summary(sentences, sentence_frequency),
            tuple(_topics(sentences)),
            tuple(_action_items(sentences)),
            tuple(dict.fromkeys(questions))[:MAX_ITEMS],
            tuple(_speaker_sentiments(sentences)),
        )
    )


def _sentences(transcript: str) -> Iterable[_Sentence]:
    for line in transcript.splitlines():
        speaker = _SPEAKER.match(line)
        utterance = line[speaker.end() :] if speaker else line
        for sentence in _SENTENCE.findall(utterance):
            words = tuple(word for word in _words(sentence) if word not in _STOPWORDS)
            if text := sentence.strip():
                yield _Sentence(text, speaker[1] if speaker else None, words)


def _summary(sentences: Sequence[_Sentence], sentence_frequency: Counter[str]) -> str:
    """The sentences whose words occur most often in other sentences, in their original order."""

    def weight(sentence: _Sentence) -> float:
        return sum(math.log1p(sentence_frequency[word]) for word in set(sentence.words)) / math.sqrt(
            len(sentence.words) + 4
        )

    ranked = sorted(range(len(sentences)), key=lambda index: (-weight(sentences[index]), index))
    return " ".join(sentences[index].text for index in sorted(ranked[:SUMMARY_SENTENCES]))


def _topics(sentences: Sequence[_Sentence]) -> Iterable[str]:
    """Repeated word pairs first, then single words."""
    pairs = Counter(f"{a} {b}" for sentence in sentences for a, b in pairwise(sentence.words))
    singles = Counter(word for sentence in sentences for word in sentence.words if len(word) > 3)
    topics = [pair for pair, times in pairs.most_common(MAX_TOPICS) if times > 1]
    topics += [
        word for word, _ in singles.most_common(3 * MAX_TOPICS) if not any(word in pair for pair in topics)
    ]
    return topics[:MAX_TOPICS]


def _action_items(sentences: Sequence[_Sentence]) -> Iterable[ActionItem]:
    commitments = [
        sentence for sentence in sentences if _COMMITMENT.search(sentence.text) and len(sentence.words) > 1
    ]
    for sentence in commitments[:MAX_ITEMS]:
        due = _DUE.search(sentence.text)
        first_person = re.match(r"(?i)(?:i|we)\b", sentence.text)
        yield ActionItem(sentence.text, sentence.speaker if first_person else None, due[1] if due else None)


def _speaker_sentiments(sentences: Sequence[_Sentence]) -> Iterable[SpeakerSentiment]:
    for speaker in sorted({sentence.speaker for sentence in sentences if sentence.speaker}):
        words = Counter(
            word for sentence in sentences if sentence.speaker == speaker for word in _words(sentence.text)
        )
        positive, negative = (
            sum(words[word] for word in mood) for mood in (_POSITIVE_WORDS, _NEGATIVE_WORDS)
        )
        evidence = [word for word, _ in words.most_common() if word in _POSITIVE_WORDS | _NEGATIVE_WORDS][:3]
        yield SpeakerSentiment(
            speaker, _sentiment(positive, negative), f"Said: {', '.join(evidence)}." if evidence else ""
        )


def _sentiment(positive: int, negative: int) -> Sentiment:
    if not positive and not negative:
        return "neutral"
    if min(positive, negative) * 2 > max(positive, negative):
        return "mixed"
    return "positive" if positive > negative else "negative"


def _words(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]
