"""The analysis of a call without a model: what was said most tellingly, picked out and not rephrased.

English only in its lists of words; a call in another language gets a summary and topics all the same.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from towpath.errors import Rejected
from towpath.model.encode_call import dump_analysis, load_analysis
from towpath.model.transcript import ActionItem, CallAnalysis, Mood, Sentiment
from towpath.providers.contract import Answer
from towpath.providers.local.runner import Runner

SENTENCES, TOPICS, ITEMS = 4, 6, 20
_SPEAKER = re.compile(r"^(Speaker \d+): ")
_SENTENCE = re.compile(r"[^.!?…]+[.!?…]*")
_WORD = re.compile(r"[^\W\d_][\w'’-]+")
_PROMISE = re.compile(
    r"\b(?:i|we)(?:'ll|’ll| will| shall| am going to| are going to| need to| have to| must)\b"
    r"|\b(?:please|could you|can you|would you|let's|let’s|make sure|follow up|don't forget)\b",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"\b(?:by|before|on|until)\s+((?:next\s+)?(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"tomorrow|noon|tonight|the end of the (?:day|week|month)|next (?:week|month)))\b",
    re.IGNORECASE,
)
_SMALL = frozenset(
    "a about after again all also am an and any are as at be because been before being but by can could did do does "
    "done down for from get go going good got had has have he her here hers him his how i i'll i'm if in into is it "
    "it's its just know let like me more most much my no not now of off oh ok okay on one only or other our out over "
    "really right said say see she should so some than thank thanks that that's the their them then there these they "
    "thing think this those time to too up us very was way we we'll well were what when where which who why will "
    "with would yeah yes you you're your".split()
)
_GLAD = frozenset(
    "agree agreed best better brilliant excellent fine glad good great happy helpful love lovely nice perfect "
    "pleased pleasure right solved super thank thanks welcome wonderful works".split()
)
_SAD = frozenset(
    "afraid angry annoyed bad broken complain complaint delay delayed disappointed fail failed fault late lost "
    "missing mistake never problem problems refuse sorry stuck terrible trouble unacceptable unhappy upset worse "
    "worst wrong".split()
)


@dataclass(frozen=True, slots=True)
class LocalAnalyst:
    runner: Runner
    provider: str = "local"
    model: str = "extractive-1"

    def parameters(self) -> Mapping[str, str]:
        return {}

    async def analyze(self, transcript: str) -> Answer:
        if not transcript.strip():
            raise Rejected("empty", "The transcript is empty; there is nothing to analyze.")
        return Answer(await self.runner.run(analyze_text, transcript, seconds=60))

    def read(self, answer: bytes) -> CallAnalysis:
        return load_analysis(answer)


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    speaker: str | None
    words: tuple[str, ...]


def analyze_text(transcript: str) -> bytes:
    """Runs in a child: the JSON of the analysis of a transcript, one utterance a line."""
    sentences = list(_sentences(transcript))
    telling = Counter(word for one in sentences for word in set(one.words))
    questions = [one.text for one in sentences if one.text.endswith("?") and len(one.words) > 1]
    return dump_analysis(
        CallAnalysis(
            _summary(sentences, telling),
            tuple(_topics(sentences)),
            tuple(_items(sentences)),
            tuple(dict.fromkeys(questions))[:ITEMS],
            tuple(_moods(sentences)),
        )
    )


def _sentences(transcript: str) -> Iterable[_Sentence]:
    for line in transcript.splitlines():
        named = _SPEAKER.match(line)
        said = line[named.end() :] if named else line
        for found in _SENTENCE.findall(said):
            words = tuple(word for word in _words(found) if word not in _SMALL)
            if text := found.strip():
                yield _Sentence(text, named[1] if named else None, words)


def _summary(sentences: Sequence[_Sentence], telling: Counter[str]) -> str:
    """The sentences whose words come back most often elsewhere, in the order in which they were said."""

    def weight(one: _Sentence) -> float:
        return sum(math.log1p(telling[word]) for word in set(one.words)) / math.sqrt(len(one.words) + 4)

    ranked = sorted(range(len(sentences)), key=lambda at: (-weight(sentences[at]), at))
    return " ".join(sentences[at].text for at in sorted(ranked[:SENTENCES]))


def _topics(sentences: Sequence[_Sentence]) -> Iterable[str]:
    """Pairs of words that come back, then single ones."""
    pairs = Counter(f"{a} {b}" for one in sentences for a, b in pairwise(one.words))
    singles = Counter(word for one in sentences for word in one.words if len(word) > 3)
    found = [pair for pair, times in pairs.most_common(TOPICS) if times > 1]
    found += [word for word, _ in singles.most_common(3 * TOPICS) if not any(word in pair for pair in found)]
    return found[:TOPICS]


def _items(sentences: Sequence[_Sentence]) -> Iterable[ActionItem]:
    promises = [one for one in sentences if _PROMISE.search(one.text) and len(one.words) > 1]
    for one in promises[:ITEMS]:
        due = _DUE.search(one.text)
        mine = re.match(r"(?i)(?:i|we)\b", one.text)
        yield ActionItem(one.text, one.speaker if mine else None, due[1] if due else None)


def _moods(sentences: Sequence[_Sentence]) -> Iterable[Mood]:
    for speaker in sorted({one.speaker for one in sentences if one.speaker}):
        words = Counter(word for one in sentences if one.speaker == speaker for word in _words(one.text))
        glad, sad = (sum(words[word] for word in mood) for mood in (_GLAD, _SAD))
        proof = [word for word, _ in words.most_common() if word in _GLAD | _SAD][:3]
        yield Mood(speaker, _mood(glad, sad), f"Said: {', '.join(proof)}." if proof else "")


def _mood(glad: int, sad: int) -> Sentiment:
    if not glad and not sad:
        return "neutral"
    if min(glad, sad) * 2 > max(glad, sad):
        return "mixed"
    return "positive" if glad > sad else "negative"


def _words(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]
