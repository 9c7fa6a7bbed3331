"""Makes the terms of a text for the word index: stems, bigrams, and joined identifiers, with positions and offsets.

The index and the queries use this analysis, on both engines. A change of it needs a new `VERSION`: then every
library is indexed again in the background.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from towpath.text.identifiers import camel_case_parts, joined_identifiers
from towpath.text.stemming import lower_case, stem
from towpath.text.word_tokenizer import is_unsegmented, without_accents, words

#: The version of the analysis; stored with each indexed document.
VERSION = 2
#: Longer words are keys, hashes or encoded files; their first letters are indexed.
MAX_TERM_LENGTH = 64


class Token(NamedTuple):
    """A term of a text. An ``alternative`` is another form of the words at its position and adds no length."""

    term: str
    position: int
    start: int
    end: int
    alternative: bool = False


def tokens(text: str, language: str | None = None) -> list[Token]:
    """The terms of a text in order of position; ``language`` chooses the stemmer."""
    found: list[Token] = []
    position = 0
    known = _terms_of_words(language)
    for word, start, end in words(text):
        term = known.get(word)
        if term is not None:
            # Most words of a text were seen before and have one form.
            found.append(Token(term, position, start, end))
            position += 1
        elif is_unsegmented(word):
            position = _add_characters(found, word, start, position)
        else:
            position = _add_word(found, word, start, end, position, language)
    _add_joined(found, text, language)
    return found


#: Words whose only form is remembered, for each language.
_CACHED_WORDS = 100_000
_terms_by_language: dict[str | None, dict[str, str]] = {}


def _terms_of_words(language: str | None) -> dict[str, str]:
    known = _terms_by_language.setdefault(language, {})
    if len(known) > _CACHED_WORDS:
        known.clear()
    return known


def term_of(word: str, language: str | None = None) -> str:
    return stem(word, language)[:MAX_TERM_LENGTH]


def plain_term_of(word: str, language: str | None = None) -> str:
    """The term of the word as it is written without accents."""
    return stem(without_accents(lower_case(word, language)), language)[:MAX_TERM_LENGTH]


def _add_word(
    found: list[Token], word: str, start: int, end: int, position: int, language: str | None
) -> int:
    """Add the terms of a word; the next position."""
    parts = camel_case_parts(word) if not word.islower() and not word.isupper() else []
    if parts:
        for place, (part, part_start, part_end) in enumerate(parts):
            found.append(
                Token(term_of(part, language), position + place, start + part_start, start + part_end)
            )
        found.append(Token(term_of(word, language), position, start, end, alternative=True))
        return position + len(parts)
    term = term_of(word, language)
    found.append(Token(term, position, start, end))
    plain = term if word.isascii() else plain_term_of(word, language)
    # A lone accent has nothing left without it.
    if plain and plain != term:
        found.append(Token(plain, position, start, end, alternative=True))
    else:
        _terms_of_words(language)[word] = term
    return position + 1


def _add_characters(found: list[Token], run: str, start: int, position: int) -> int:
    """Add the bigrams of a run, and each of its characters as an alternative, for queries of one character."""
    folded = lower_case(run)
    if len(folded) != len(run):
        folded = run
    pairs = max(1, len(run) - 1)
    for place in range(pairs):
        pair = folded[place : place + 2]
        found.append(Token(pair, position + place, start + place, start + place + len(pair)))
    if len(run) > 1:
        for place, character in enumerate(folded):
            at = position + min(place, pairs - 1)
            found.append(Token(character, at, start + place, start + place + 1, alternative=True))
    return position + pairs


def _add_joined(found: list[Token], text: str, language: str | None) -> None:
    main: list[Token] = []
    seen: set[tuple[str, int]] = set()
    for joined, start, end in joined_identifiers(text):
        main = main or [token for token in found if not token.alternative]
        index = bisect_left(main, start, key=lambda token: token.start)
        term = term_of(joined, language)
        if index < len(main) and (term, start) not in seen and main[index].term != term:
            seen.add((term, start))
            found.append(Token(term, main[index].position, start, end, alternative=True))
