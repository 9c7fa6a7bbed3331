"""Parses a search query into terms: words, and phrases in quotes. There are no operators and no syntax errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, islice

from towpath.text.stemming import lower_case
from towpath.text.stopwords import STOPWORDS
from towpath.text.word_tokenizer import bigrams, is_unsegmented, words

#: Characters of a query that are used; the rest is ignored.
MAX_TEXT_LENGTH = 4_000
MAX_TERMS = 200
MAX_PHRASE_WORDS = 24
#: A query of at least this many words is also searched for as a whole sentence.
MIN_SENTENCE_WORDS = 5
#: Longer tokens are keys, hashes or encoded files. Postgres rejects lexemes of 2 kB and more.
MAX_WORD_LENGTH = 100
#: In characters. A longer run is a sentence, whose bigrams need not all be adjacent.
MAX_HAN_WORD_LENGTH = 4
MAX_THAI_WORD_LENGTH = 12

_QUOTED = re.compile(
    r'"([^"]{0,500})"|“([^“”]{0,500})”|«([^«»]{0,500})»|„([^„“”]{0,500})[“”]|「([^「」]{0,500})」'
)
_LAST_WORD = re.compile(r"(?<![^\W\d_])[^\W\d_]+\Z")
# Control characters, and halves of surrogate pairs, which cannot be encoded.
_CONTROL_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Term:
    """One word, or several adjacent words. A ``quoted`` term must be in every hit."""

    words: tuple[str, ...]
    quoted: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(lower_case(word) for word in self.words)

    @property
    def is_prefix(self) -> bool:
        """True if it ends in a single character of an unsegmented script, which is part of bigrams."""
        return len(self.words[-1]) == 1 and is_unsegmented(self.words[-1])

    @property
    def is_stopword(self) -> bool:
        return not self.quoted and all(word.casefold() in STOPWORDS for word in self.words)


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A parsed query. ``text`` is the text to embed."""

    text: str
    terms: tuple[Term, ...]
    #: The last word, if it is still being typed.
    unfinished_word: str = ""

    @property
    def sentence_pattern(self) -> re.Pattern[str] | None:
        """A pattern of all words in order; None if the query is short or has quoted phrases."""
        query_words = _words(self.text)
        if len(query_words) < MIN_SENTENCE_WORDS or self.phrases:
            return None
        return re.compile(r"\W+".join(map(re.escape, query_words)), re.IGNORECASE)

    def without_quotes(self) -> ParsedQuery:
        """The same query with the words of its phrases as ordinary words."""
        return ParsedQuery(self.text, tuple(Term(term.words) for term in self.terms))

    @property
    def phrases(self) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.quoted)


def parse_query(text: str, *, prefix: bool = False) -> ParsedQuery:
    """``prefix``: the last word may be unfinished, unless a blank or another sign follows it."""
    typed = _CONTROL_CHARACTERS.sub(" ", text[:MAX_TEXT_LENGTH])
    clean = typed.strip()
    unfinished = _LAST_WORD.search(typed) if prefix else None
    return ParsedQuery(
        clean, tuple(islice(_terms(clean), MAX_TERMS)), unfinished[0] if unfinished is not None else ""
    )


def _terms(text: str) -> Iterator[Term]:
    offset = 0
    for quoted in _QUOTED.finditer(text):
        yield from _unquoted_terms(text[offset : quoted.start()])
        phrase = _phrase_tokens(" ".join(part for part in quoted.groups() if part))
        if phrase:
            yield Term(phrase[:MAX_PHRASE_WORDS], quoted=True)
        offset = quoted.end()
    yield from _unquoted_terms(text[offset:])


def _phrase_tokens(text: str) -> tuple[str, ...]:
    phrase_words = _words(text)
    tokens: list[str] = []
    for word in phrase_words:
        if not is_unsegmented(word):
            tokens.append(word)
        elif word is phrase_words[-1]:
            tokens += bigrams(word)
        else:
            # Both indexes end a run with its last character as a token.
            tokens += [*bigrams(word), word[-1]] if len(word) > 1 else [word]
    return tuple(tokens)


def _unquoted_terms(text: str) -> Iterator[Term]:
    """Text between blanks is one term: ``foo-bar`` and ``1,234.56`` are phrases of their parts."""
    for part in text.split():
        for is_segmented, group in groupby(_words(part), key=lambda word: not is_unsegmented(word)):
            if is_segmented:
                yield from _one_term_or_many(list(group), MAX_PHRASE_WORDS)
            else:
                for run in group:
                    # Thai, Lao, Burmese and Khmer (below U+2000) have alphabets and longer words.
                    max_length = MAX_THAI_WORD_LENGTH if run < "\u2000" else MAX_HAN_WORD_LENGTH
                    yield from _one_term_or_many(bigrams(run), max_length - 1)


def _one_term_or_many(tokens: list[str], max_words: int) -> Iterator[Term]:
    if len(tokens) <= max_words:
        yield Term(tuple(tokens))
    else:
        yield from (Term((token,)) for token in tokens)


def _words(text: str) -> list[str]:
    return [word for word, _, _ in words(text) if is_unsegmented(word) or len(word) <= MAX_WORD_LENGTH]
