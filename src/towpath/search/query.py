"""Reads what somebody typed: words, and phrases in quotes. Everything is allowed, nothing is an operator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from towpath.language.letters import pairs, runs_on, words
from towpath.language.stems import is_cyrillic, stem
from towpath.language.stopwords import STOPWORDS

#: Of a text that was pasted whole, the beginning says what is looked for.
LONGEST_TEXT = 4_000
MOST_TERMS = 32
LONGEST_PHRASE = 24
#: From so many words on, a text may well be a sentence that somebody has seen.
SENTENCE = 5
#: Longer ones are no words: keys, hashes, encoded files. Postgres refuses them from 2 kB.
LONGEST_WORD = 100
#: Letters; a longer run is a sentence, whose pairs of letters need not all stand in a row.
LONGEST_HAN_WORD = 4
LONGEST_THAI_WORD = 12

_QUOTED = re.compile(r'"([^"]*)"|“([^”]*)”|«([^»]*)»|„([^“”]*)[“”]|「([^」]*)」')
# Not text: control characters, and halves of surrogate pairs, which no encoding can carry.
_UNSPEAKABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Term:
    """Words that stand one after the other; mostly it is one. ``quoted`` ones must be in every text hit."""

    words: tuple[str, ...]
    quoted: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(stem(word) for word in self.words)

    @property
    def is_prefix(self) -> bool:
        """It ends in a single letter of a script that runs on, which begins a pair wherever it stands."""
        return len(self.words[-1]) == 1 and runs_on(self.words[-1])

    @property
    def is_slight(self) -> bool:
        return not self.quoted and all(word.casefold() in STOPWORDS for word in self.words)

    @property
    def cyrillic_stem(self) -> str | None:
        """The stem, where it is long enough to look for all that begins with it."""
        found = stem(self.words[0]) if len(self.words) == 1 and not self.quoted else ""
        return found if len(found) >= 3 and is_cyrillic(found) else None


@dataclass(frozen=True, slots=True)
class Wish:
    """A query as read. ``text`` is what an embedder is given."""

    text: str
    terms: tuple[Term, ...]

    @property
    def sentence(self) -> re.Pattern[str] | None:
        """Finds all the words in a row, where they can be a sentence and nothing in it was quoted."""
        found = _words(self.text)
        if len(found) < SENTENCE or self.phrases:
            return None
        return re.compile(r"\W+".join(map(re.escape, found)), re.IGNORECASE)

    @property
    def phrases(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.quoted)


def read(text: str) -> Wish:
    clean = _UNSPEAKABLE.sub(" ", text[:LONGEST_TEXT]).strip()
    terms: dict[tuple[tuple[str, ...], bool], Term] = {}
    for term in _terms(clean):
        terms.setdefault((term.key, term.quoted), term)
        if len(terms) == MOST_TERMS:
            break
    return Wish(clean, tuple(terms.values()))


def _terms(text: str) -> Iterator[Term]:
    at = 0
    for found in _QUOTED.finditer(text):
        yield from _loose(text[at : found.start()])
        phrase = _phrase(" ".join(part for part in found.groups() if part))
        if phrase:
            yield Term(phrase[:LONGEST_PHRASE], quoted=True)
        at = found.end()
    yield from _loose(text[at:])


def _phrase(text: str) -> tuple[str, ...]:
    found = _words(text)
    tokens: list[str] = []
    for word in found:
        if not runs_on(word):
            tokens.append(word)
        elif word is found[-1]:
            tokens += pairs(word)
        else:
            # Both indexes close a run with its last letter alone.
            tokens += [*pairs(word), word[-1]] if len(word) > 1 else [word]
    return tuple(tokens)


def _loose(text: str) -> Iterator[Term]:
    """What stands between blanks is one term: «foo-bar» and «1,234.56» mean their parts in a row."""
    for piece in text.split():
        for together, found in groupby(_words(piece), key=lambda word: not runs_on(word)):
            if together:
                yield from _joined(list(found), LONGEST_PHRASE)
            else:
                for run in found:
                    # Thai, Lao, Burmese and Khmer spell their words out, in letters below U+2000.
                    longest = LONGEST_THAI_WORD if run < "\u2000" else LONGEST_HAN_WORD
                    yield from _joined(pairs(run), longest - 1)


def _joined(tokens: list[str], most: int) -> Iterator[Term]:
    if len(tokens) <= most:
        yield Term(tuple(tokens))
    else:
        yield from (Term((token,)) for token in tokens)


def _words(text: str) -> list[str]:
    return [word for word, _, _ in words(text) if runs_on(word) or len(word) <= LONGEST_WORD]
