"""Verifies the citations of a sentence: each quote must be in a passage that was found for the question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from towpath.ask.answer_parser import CitedQuote, WrittenSentence
from towpath.ask.contract import Citation, Sentence
from towpath.model.passage import Passage
from towpath.text.quote_lookup import find_quote


def verify_citations(written: WrittenSentence, passages: Sequence[Passage]) -> Sentence | None:
    """The sentence with its verified citations; None if it has none."""
    citations = {(item.passage.chunk_id, item.start, item.end): item for item in _verified(written, passages)}
    return Sentence(written.text, tuple(citations.values())) if citations else None


def _verified(written: WrittenSentence, passages: Sequence[Passage]) -> Iterator[Citation]:
    for cited in written.citations:
        for passage in _candidates(cited, passages):
            span = find_quote(cited.quote, passage.text)
            if span is not None:
                start, end = span
                yield Citation(passage, passage.text[start:end], start, end)
                break


def _candidates(cited: CitedQuote, passages: Sequence[Passage]) -> list[Passage]:
    """The passage with this number first, then the others: models confuse numbers more often than words."""
    own = passages[cited.passage - 1 : cited.passage] if cited.passage >= 1 else ()
    return [*own, *(passage for passage in passages if passage not in own)]
