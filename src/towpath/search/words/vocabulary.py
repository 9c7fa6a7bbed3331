"""Completes the beginnings of words and corrects misspelled ones, by the words that occur in a library."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from math import log

import numpy as np

from towpath.ledger.database import Transaction
from towpath.search.words.segment_cache import IndexSnapshot, LiveSegment, PageKey, SegmentCache
from towpath.text.index_markers import WRITTEN
from towpath.text.stemming import lower_case
from towpath.text.word_index_segment import Page

MIN_PREFIX_LENGTH = 2
#: A misspelled word is not shorter than this, and neither is its correction.
MIN_CORRECTED_LENGTH = 3
MAX_CORRECTED_LENGTH = 30
#: Pages that are read of each segment for one beginning. A page has about 1,000 words.
MAX_PREFIX_PAGES = 16
#: A correction with the same first letter counts as if it were in this many times more documents.
SAME_FIRST_LETTER = 8

#: The letters with which a misspelled word is changed, by the first character of a range of scripts.
_ALPHABETS = (
    ("\u0530", "\u0590", "".join(map(chr, range(0x561, 0x588)))),
    ("\u0590", "\u0600", "".join(map(chr, range(0x5D0, 0x5EB)))),
    ("\u0600", "\u0750", "ابتثجحخدذرزسشصضطظعغفقكلمنهويءآأؤإئةىپچژگکی"),
    ("\u0900", "\u0980", "".join(map(chr, (*range(0x904, 0x93A), *range(0x93E, 0x94E))))),
    ("\u0400", "\u0530", "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґўјљњћђџ"),
    ("\u0370", "\u0400", "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώ"),
    ("\0", "\u0370", "abcdefghijklmnopqrstuvwxyzäöüßàâáãåæçéèêëíîïñóôõøúùûýčćďđěęąłńňřśšťůűőźżžğışășț"),
)


def completions(
    library: SegmentCache, tx: Transaction, view: IndexSnapshot, beginning: str, limit: int
) -> list[str]:
    """The words that begin so, those of most documents first."""
    lower = lower_case(beginning)
    if len(lower) < MIN_PREFIX_LENGTH:
        return []
    prefix = WRITTEN + lower
    pages: dict[PageKey, LiveSegment] = {}
    for segment in view.segments:
        first = segment.header.page_of(prefix) or 0
        last = segment.header.page_of(prefix + "\U0010ffff")
        if last is not None:
            for page in range(first, min(last + 1, first + MAX_PREFIX_PAGES)):
                pages[segment.segment_id, page] = segment
    counts: dict[str, int] = {}
    for key, page in library.pages(tx, pages).items():
        for at in range(bisect_left(page.terms, prefix), len(page.terms)):
            term = page.terms[at]
            if not term.startswith(prefix):
                break
            counts[term[1:]] = counts.get(term[1:], 0) + _documents(pages[key], page, at)
    found = [word for word, count in counts.items() if count]
    return sorted(found, key=lambda word: (-counts[word], len(word), word))[:limit]


def correction(library: SegmentCache, tx: Transaction, view: IndexSnapshot, word: str) -> str | None:
    """The word of the library that differs by one letter, or by two exchanged letters; None if there is none."""
    lower = lower_case(word)
    if not MIN_CORRECTED_LENGTH < len(lower) <= MAX_CORRECTED_LENGTH or not lower.isalpha():
        return None
    candidates = {candidate for candidate in _variants(lower) if len(candidate) >= MIN_CORRECTED_LENGTH}
    counts = _frequencies(library, tx, view, {lower, *candidates})
    if counts.get(lower) or not counts:
        return None
    return min(counts, key=lambda candidate: (-_likelihood(lower, candidate, counts[candidate]), candidate))


def _likelihood(word: str, candidate: str, documents: int) -> float:
    same_first_letter = candidate[0] == word[0] or candidate[:2] == word[1::-1]
    return log(documents) + (log(SAME_FIRST_LETTER) if same_first_letter else 0.0)


def _frequencies(
    library: SegmentCache, tx: Transaction, view: IndexSnapshot, words: Iterable[str]
) -> dict[str, int]:
    """In how many documents each of the words is; without those that are in none."""
    terms = sorted(WRITTEN + word for word in words)
    wanted: dict[PageKey, tuple[LiveSegment, list[str]]] = {}
    for segment in view.segments:
        for term in terms:
            page = segment.header.page_of(term)
            if page is not None:
                wanted.setdefault((segment.segment_id, page), (segment, []))[1].append(term)
    counts: dict[str, int] = {}
    for key, page in library.pages(tx, wanted).items():
        segment, page_terms = wanted[key]
        for term in page_terms:
            at = page.index.get(term)
            if at is not None and (documents := _documents(segment, page, at)):
                counts[term[1:]] = counts.get(term[1:], 0) + documents
    return counts


def _documents(segment: LiveSegment, page: Page, at: int) -> int:
    places = page.places[page.starts[at] : page.starts[at + 1]]
    return len(places) if segment.live is None else int(np.count_nonzero(segment.live[places]))


def _variants(word: str) -> Iterator[str]:
    """Every word that becomes this one by leaving out, adding, changing or exchanging one letter."""
    letters = _alphabet(word)
    for at in range(len(word) + 1):
        left, right = word[:at], word[at:]
        yield from (left + letter + right for letter in letters)
        if right:
            yield left + right[1:]
            yield from (left + letter + right[1:] for letter in letters if letter != right[0])
        if len(right) > 1:
            yield left + right[1] + right[0] + right[2:]


def _alphabet(word: str) -> Sequence[str]:
    for first, end, letters in _ALPHABETS:
        if any(first <= character < end for character in word):
            return letters
    return ""
