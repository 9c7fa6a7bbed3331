"""Answers a question without a chat model: quotes the parts of the best passages that share most words with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from towpath.ask.contract import Citation, Sentence
from towpath.model.passage import Passage
from towpath.text.analyzer import tokens
from towpath.text.function_words import is_function_word
from towpath.text.language_detection import detect_language
from towpath.text.word_tokenizer import is_unsegmented, words

#: A passage is an answer if it has at least this share of the question's content words.
MIN_COVERAGE = 0.6
MAX_QUOTES = 3
#: A quotation is the best sentence with the sentences after it that fit into this many characters.
QUOTE_LENGTH = 320

# Sentences end at their signs; blank lines, list items, headings and table rows begin new ones.
_SENTENCE_BREAK = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*#|>]|\d+[.)]\s))")

Span = tuple[int, int]


def extract_answer(question: str, passages: Sequence[Passage]) -> list[Sentence]:
    """The quotations, best first; empty if no passage has enough words of the question."""
    scored: list[tuple[float, Passage, set[str], str | None]] = []
    for passage in passages:
        language = _language(passage.text)
        wanted = content_terms(question, language)
        share = len(wanted & content_terms(passage.text, language)) / len(wanted) if wanted else 0.0
        if share >= MIN_COVERAGE:
            scored.append((share, passage, wanted, language))
    # `sorted` keeps the order of the search among equals.
    best = sorted(scored, key=lambda item: -item[0])[:MAX_QUOTES]
    return [_quote(passage, wanted, language) for _, passage, wanted, language in best]


def content_terms(text: str, language: str | None) -> set[str]:
    """The terms of the text in this language without those of function words."""
    languages = ("en",) if language is None else (language, "en")
    small = {word.lower() for word, _, _ in words(text) if is_function_word(word.lower(), languages)}
    return {
        token.term
        for token in tokens(text, language)
        if text[token.start : token.end].lower() not in small
        and (len(token.term) > 1 or is_unsegmented(token.term) or token.term.isdigit())
    }


def _quote(passage: Passage, wanted: set[str], language: str | None) -> Sentence:
    start, end = _best_part(passage.text, wanted, language)
    quote = passage.text[start:end]
    return Sentence(" ".join(quote.split()), (Citation(passage, quote, start, end),))


def _best_part(text: str, wanted: set[str], language: str | None) -> Span:
    """The run of sentences with most wanted terms: the shortest, then the first of equal ones."""
    sentences = list(_sentences(text))
    best, best_key = sentences[0], (-1, 0)
    for index, (start, _) in enumerate(sentences):
        for _, end in sentences[index:]:
            if end - start > QUOTE_LENGTH and (start, end) != sentences[index]:
                break
            key = (len(wanted & content_terms(text[start:end], language)), start - end)
            if key > best_key:
                best, best_key = (start, end), key
    return best


def _sentences(text: str) -> Iterator[Span]:
    start = 0
    for gap in (*_SENTENCE_BREAK.finditer(text), None):
        end = len(text) if gap is None else gap.start()
        part = text[start:end]
        if part.strip():
            yield start + len(part) - len(part.lstrip()), start + len(part.rstrip())
        start = len(text) if gap is None else gap.end()


def _language(text: str) -> str | None:
    guess = detect_language(text)
    return None if guess is None else guess.code
