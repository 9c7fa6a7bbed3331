"""Cuts the piece of a passage that shows why it was found, and marks the words that were looked for."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from towpath.search.letters import Word, runs_on, words
from towpath.search.query import Term, Wish
from towpath.search.stems import stem

LENGTH = 240
#: Room before the first mark, so that it does not open the snippet without its context.
LEAD = 60
#: Further than this from a blank, a cut may go through a word; some scripts have no blanks at all.
SNAP = 20
LONGEST_PASSAGE = 20_000

# Marks of markdown that mean nothing in a line of plain text: headings, quotes, rules of tables, emphasis.
_MARKDOWN = re.compile(r"(?m)^[ \t]*(?:#{1,6}|>)[ \t]+|^[ \t]*\|?(?:[ \t]*:?-{3,}:?[ \t]*\|?)+[ \t]*$|\*\*")
_SENTENCE_START = re.compile(r"(?<=[.!?…。！？])\s*")

_ANY_LETTER = re.compile("[A-Za-z0-9]")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snippet:
    text: str
    highlights: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class _Mark:
    """A place where a term stands."""

    start: int
    end: int
    term: int


def cut(passage: str, wish: Wish, length: int = LENGTH) -> Snippet:
    """About ``length`` characters around the best place; the beginning where no word is found."""
    text = " ".join(_MARKDOWN.sub("", passage[:LONGEST_PASSAGE]).split())
    marks = _marks(text, _telling(wish.terms))
    start, end = _window(text, marks, length)
    before, after = "… " if start > 0 else "", " …" if end < len(text) else ""
    shift = len(before) - start
    spans = [
        (mark.start + shift, mark.end + shift) for mark in marks if start <= mark.start and mark.end <= end
    ]
    return Snippet(f"{before}{text[start:end]}{after}", tuple(_merged(spans)))


def _telling(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Without the small words, unless there are no others."""
    return tuple(term for term in terms if not term.is_slight) or terms


def _marks(text: str, terms: tuple[Term, ...]) -> list[_Mark]:
    items = _items(text, terms)
    places: dict[str, list[int]] = {term.key[0]: [] for term in terms}
    for place, item in enumerate(items):
        if item[0] in places:
            places[item[0]].append(place)
    marks = [
        mark for number, term in enumerate(terms) for mark in _marks_of(text, number, term, items, places)
    ]
    return sorted(marks, key=lambda mark: (mark.start, mark.end))


def _marks_of(
    text: str, number: int, term: Term, items: Sequence[Word], places: Mapping[str, Sequence[int]]
) -> Iterator[_Mark]:
    *begin, last = term.key
    if not begin and not term.is_prefix:
        yield from (_Mark(items[place][1], items[place][2], number) for place in places[last])
        return
    possible = places[begin[0]] if begin else range(len(items))
    for place in possible:
        row = items[place : place + len(begin) + 1]
        key, start, end = row[-1]
        if [item[0] for item in row[:-1]] != begin or not _adjoin(text, row):
            continue
        if term.is_prefix and key.startswith(last):
            yield _Mark(row[0][1], start + 1, number)
        elif key == last:
            yield _Mark(row[0][1], end, number)


def _adjoin(text: str, row: Sequence[Word]) -> bool:
    return not any(_ANY_LETTER.search(text, one[2], other[1]) for one, other in pairwise(row))


def _items(text: str, terms: tuple[Term, ...]) -> list[Word]:
    """The text as the indexes see it: stems, or pairs of letters that close with a single one."""
    if text.isascii():
        # Only words that begin as one of the terms does: three times as fast as stemming them all.
        return [(stem(found[0]), found.start(), found.end()) for found in _alike(terms).finditer(text)]
    items: list[Word] = []
    for word, start, end in words(text):
        if runs_on(word):
            for at in range(len(word)):
                pair = word[at : at + 2]
                items.append((stem(pair), start + at, start + at + len(pair)))
        else:
            items.append((stem(word), start, end))
    return items


@lru_cache(maxsize=256)
def _alike(terms: tuple[Term, ...]) -> re.Pattern[str]:
    # A stem keeps the first two letters of its word, whatever becomes of the rest.
    beginnings = {part[:2] for term in terms for part in term.key if part.isascii()}
    return re.compile(f"(?i)(?<![a-z0-9])(?:{'|'.join(sorted(beginnings)) or '(?!)'})[a-z0-9]*")


def _window(text: str, marks: Sequence[_Mark], length: int) -> Span:
    if len(text) <= length:
        return 0, len(text)
    start = _opening(text, _densest(marks, length - LEAD), length)
    end = min(len(text), start + length)
    if end < len(text):
        blank = text.rfind(" ", end - SNAP, end + 1)
        end = blank if blank > start else end
    return start, end


def _densest(marks: Sequence[_Mark], reach: int) -> int:
    """Where the window with most different terms begins; among equals that with most marks, or the first."""
    best, best_start = (0, 0), 0
    starts = [mark.start for mark in marks]
    for at, mark in enumerate(marks):
        inside = marks[at : bisect_left(starts, mark.start + reach)]
        value = (len({other.term for other in inside}), len(inside))
        if value > best:
            best, best_start = value, mark.start
    return best_start


def _opening(text: str, mark: int, length: int) -> int:
    """The start of the sentence if it is near, else a word's start a little before the mark."""
    latest = min(mark, len(text) - length)
    earliest = max(0, min(mark - LEAD, latest))
    if earliest == 0:
        return 0
    sentences = [found.end() for found in _SENTENCE_START.finditer(text, earliest, latest + 1)]
    if sentences:
        return sentences[-1]
    blank = text.find(" ", earliest, min(mark, earliest + SNAP))
    return blank + 1 if blank >= 0 else earliest


def _merged(spans: Sequence[Span]) -> Iterator[Span]:
    """Overlapping marks become one."""
    current: Span | None = None
    for start, end in spans:
        if current and start < current[1]:
            current = current[0], max(current[1], end)
            continue
        if current:
            yield current
        current = start, end
    if current:
        yield current
