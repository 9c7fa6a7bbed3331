"""Cuts the piece of a passage that shows why it was found, and marks the words that were looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from towpath.language.letters import Word, runs_on, words
from towpath.language.stems import stem
from towpath.search.query import Term, Wish

LENGTH = 240
#: Room before the first mark, so that it does not open the snippet without its context.
LEAD = 60
#: Further than this from a blank, a cut may go through a word; some scripts have no blanks at all.
SNAP = 20
LONGEST_PASSAGE = 20_000

# Marks of markdown that mean nothing in a line of plain text: headings, quotes, rules of tables, emphasis.
_MARKDOWN = re.compile(r"(?m)^[ \t]*(?:#{1,6}|>)[ \t]+|^[ \t]*\|?(?:[ \t]*:?-{3,}:?[ \t]*\|?)+[ \t]*$|\*\*")
_MAYBE_MARKDOWN = ("#", ">", "|", "**")
_SENTENCE_START = re.compile(r"(?<=[.!?…。！？])\s*")

_ANY_LETTER = re.compile("[A-Za-z0-9]")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snippet:
    text: str
    highlights: tuple[Span, ...] = ()


class _Mark(NamedTuple):
    """A place where a term stands."""

    start: int
    end: int
    term: int


@dataclass(frozen=True, slots=True)
class _Sought:
    """What to mark, prepared once for all passages of a search."""

    #: For ASCII in small letters: words that begin as a term does. A stem keeps its word's first two letters.
    alike: re.Pattern[str]
    #: The terms of one word, by its stem.
    singles: Mapping[str, int]
    #: The other terms: phrases, and single letters that begin a pair.
    others: tuple[tuple[int, Term], ...]


def cut(passage: str, wish: Wish, length: int = LENGTH) -> Snippet:
    """About ``length`` characters around the best place; the beginning where no word is found."""
    text = _plain(passage)
    marks = _marks(text, _sought(wish.terms))
    start, end = _window(text, marks, length)
    before, after = "… " if start > 0 else "", " …" if end < len(text) else ""
    shift = len(before) - start
    spans = [
        (mark.start + shift, mark.end + shift) for mark in marks if start <= mark.start and mark.end <= end
    ]
    return Snippet(f"{before}{text[start:end]}{after}", tuple(_merged(spans)))


def place(passage: str, wish: Wish) -> int | None:
    """Where in the passage the words stand closest together; None where there are none."""
    marks = _marks(_plain(passage), _sought(wish.terms))
    return _densest(marks, len(wish.text) + SNAP) if marks else None


def _plain(passage: str) -> str:
    text = passage[:LONGEST_PASSAGE]
    if any(sign in text for sign in _MAYBE_MARKDOWN):
        text = _MARKDOWN.sub("", text)
    # Most passages are plain already, and looking is ten times as fast as taking apart and joining.
    return text.strip() if text.isprintable() and "  " not in text else " ".join(text.split())


@lru_cache(maxsize=256)
def _sought(terms: tuple[Term, ...]) -> _Sought:
    # Without the small words, unless there are no others.
    telling = tuple(term for term in terms if not term.is_slight) or terms
    beginnings = {part[:2] for term in telling for part in term.key if part and part.isascii()}
    alike = re.compile(_beginning(sorted(beginnings)) + "[a-z0-9]*")
    simple = {n: term for n, term in enumerate(telling) if len(term.words) == 1 and not term.is_prefix}
    others = tuple((n, term) for n, term in enumerate(telling) if n not in simple)
    return _Sought(alike, {term.key[0]: n for n, term in simple.items()}, others)


def _beginning(letters: Sequence[str]) -> str:
    if all(len(pair) == 2 for pair in letters):
        # Looking back after the letters and not before them, the search leaps from one such letter to the next.
        return f"(?:{'|'.join(letters) or '(?!)'})(?<![a-z0-9]..)"
    return f"(?<![a-z0-9])(?:{'|'.join(letters)})"


def _marks(text: str, sought: _Sought) -> list[_Mark]:
    items = _items(text, sought)
    marks = [_Mark(start, end, sought.singles[key]) for key, start, end in items if key in sought.singles]
    if sought.others:
        for number, term in sought.others:
            marks += _marks_of(text, number, term, items)
        marks.sort(key=lambda mark: (mark.start, mark.end))
    return marks


def _marks_of(text: str, number: int, term: Term, items: Sequence[Word]) -> Iterator[_Mark]:
    *begin, last = term.key
    for place in range(len(items) - len(begin)):
        if begin and items[place][0] != begin[0]:
            continue
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


def _items(text: str, sought: _Sought) -> list[Word]:
    """The text as the indexes see it: stems, or pairs of letters that close with a single one."""
    if text.isascii():
        return [(stem(found[0]), *found.span()) for found in sought.alike.finditer(text.lower())]
    items: list[Word] = []
    for word, start, end in words(text):
        if runs_on(word):
            for at in range(len(word)):
                pair = word[at : at + 2]
                items.append((stem(pair), start + at, start + at + len(pair)))
        else:
            items.append((stem(word), start, end))
    return items


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
    if not marks or marks[-1].start - marks[0].start < reach:
        return marks[0].start if marks else 0
    best, best_start, end = (0, 0), 0, 0
    inside: dict[int, int] = {}
    for at, mark in enumerate(marks):
        while end < len(marks) and marks[end].start < mark.start + reach:
            inside[marks[end].term] = inside.get(marks[end].term, 0) + 1
            end += 1
        value = (len(inside), end - at)
        if value > best:
            best, best_start = value, mark.start
        inside[mark.term] -= 1
        if not inside[mark.term]:
            del inside[mark.term]
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
