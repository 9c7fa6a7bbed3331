"""Answers a question without a chat model: quotes the parts of the best passages that share most words with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from towpath.ask.contract import Citation, Sentence
from towpath.model.passage import Passage
from towpath.text.analyzer import tokens
from towpath.text.function_words import is_function_word
from towpath.text.language_detection import detect_language
from towpath.text.word_tokenizer import is_unsegmented, words

#: A passage is an answer if it has at least this share of the question's content words.
MIN_COVERAGE = 0.6
#: A quotation is left out if it has less than this share of the words of the best quotation.
MIN_SHARE_OF_BEST = 0.6
MAX_QUOTES = 3
#: A quotation is the best sentence with the sentences after it that fit into this many characters.
QUOTE_LENGTH = 320

# Sentences end at their signs, also before numbers of notes such as `[12]`; blank lines, list items, headings and
# table rows begin new ones.
_SENTENCE_BREAK = re.compile(
    r"(?<=[.!?…])(?:\[\d{1,4}\])*\s+|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*#|>]|\d+[.)]\s))"
)
#: A heading, or a line in bold: it names what follows and answers nothing.
_HEADING = re.compile(r"#{1,6}\s|\*\*[^*]+\*\*$")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Quotation:
    passage: Passage
    start: int
    end: int
    #: The share of the question's content words in the quotation, the name of the document and the headings above.
    share: float

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]


def extract_answer(question: str, passages: Sequence[Passage]) -> list[Sentence]:
    """The quotations in the order of the search; empty if no passage has enough words of the question."""
    quotations = [quotation for passage in passages if (quotation := _quote(question, passage))]
    best = max((quotation.share for quotation in quotations), default=0.0)
    chosen: dict[str, Quotation] = {}
    for quotation in quotations:
        # The same words in several documents are quoted once.
        if quotation.share >= MIN_SHARE_OF_BEST * best:
            chosen.setdefault(" ".join(quotation.text.split()), quotation)
    return [
        Sentence(text, (Citation(quotation.passage, quotation.text, quotation.start, quotation.end),))
        for text, quotation in list(chosen.items())[:MAX_QUOTES]
    ]


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


def _quote(question: str, passage: Passage) -> Quotation | None:
    """The best part of the passage; None if the passage does not have enough words of the question."""
    language = _language(passage.text)
    wanted = content_terms(question, language)
    inside = wanted & content_terms(passage.text, language)
    # "The total of the Kiosk invoice" is in a document of that name, whose lines do not repeat it.
    outside = wanted & content_terms(_context(passage), language)
    if not inside or len(inside | outside) < MIN_COVERAGE * len(wanted):
        return None
    start, end = _best_part(passage.text, inside, inside - outside, language)
    quoted = wanted & content_terms(passage.text[start:end], language)
    return Quotation(passage, start, end, len(quoted | outside) / len(wanted))


def _context(passage: Passage) -> str:
    """The name of the document and the headings above the passage."""
    headings = cast("Sequence[str]", passage.anchor.get("heading_path") or ())
    return "\n".join([passage.document_name, *headings])


def _best_part(text: str, wanted: set[str], new: set[str], language: str | None) -> Span:
    """The run of sentences with most new terms, then most wanted terms; of equal runs the shortest, then the first."""
    sentences = list(_sentences(text))
    starts = [span for span in sentences if not _HEADING.match(text, *span)] or sentences
    best, best_key = starts[0], (-1, 0, 0)
    for start, first_end in starts:
        for end in [end for _, end in starts if end >= first_end]:
            if end - start > QUOTE_LENGTH and end != first_end:
                break
            terms = content_terms(text[start:end], language)
            key = (len(new & terms), len(wanted & terms), start - end)
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
