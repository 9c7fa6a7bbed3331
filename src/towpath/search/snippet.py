"""Makes the snippet of a search hit: the best part of the chunk, with the matched words highlighted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from towpath.search.query_parser import ParsedQuery, Term
from towpath.search.words.query_terms import MAX_LANGUAGES
from towpath.text.analyzer import plain_term_of, term_of
from towpath.text.stemming import lower_case
from towpath.text.word_tokenizer import Word, is_unsegmented, words

SNIPPET_LENGTH = 240
#: Characters of context before the first match.
CONTEXT_BEFORE = 60
#: If no blank is within this many characters, cut inside a word; some scripts have no blanks.
MAX_WORD_SNAP = 20
MAX_CHUNK_LENGTH = 20_000

# Markdown to remove: heading and quote marks, table rules, emphasis.
_LINE_PREFIX = re.compile(r"[ \t]*(?:#{1,6}|>)[ \t]+")
_TABLE_RULE_CHARACTERS = " \t|:-"
_MARKDOWN_SIGNS = ("#", ">", "---", "**")
_SENTENCE_START = re.compile(r"(?<=[.!?…。！？])\s*")

_ASCII_LETTER = re.compile("[A-Za-z0-9]")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snippet:
    text: str
    highlights: tuple[Span, ...] = ()


class _Match(NamedTuple):
    """An occurrence of the query term with number ``term``."""

    start: int
    end: int
    term: int


class _OtherTerm(NamedTuple):
    key: tuple[str, ...]
    is_prefix: bool


@dataclass(frozen=True, slots=True)
class _Matcher:
    """The query terms, prepared once for all chunks of a search."""

    #: Matches lower-case ASCII words with the first two letters of a form. A stem keeps these two letters.
    ascii_candidates: re.Pattern[str]
    #: The languages of the library, in which the words of a text are stemmed.
    languages: tuple[str | None, ...]
    #: Each form of a word of the query, and the form that stands for all of them.
    forms: Mapping[str, str]
    #: Numbers of the single-word terms, by that form.
    single_words: Mapping[str, int]
    #: The other terms: phrases, and single characters that match the start of a bigram.
    other_terms: tuple[tuple[int, _OtherTerm], ...]

    def key(self, word: str) -> str:
        """What stands for the word of a text: a form of the query if it is one, else any of its forms."""
        form = ""
        for language in self.languages:
            form = term_of(word, language)
            if form in self.forms:
                return self.forms[form]
        return self.forms.get(plain_term_of(word, self.languages[0]), form) if not word.isascii() else form


def make_snippet(
    chunk_text: str, parsed: ParsedQuery, languages: tuple[str, ...] = (), length: int = SNIPPET_LENGTH
) -> Snippet:
    """About ``length`` characters around the densest matches; the start of the text if nothing matches."""
    text = _plain_text(chunk_text)
    matches = _find_matches(text, _make_matcher(parsed.terms, languages))
    start, end = _window(text, matches, length)
    prefix, suffix = "… " if start > 0 else "", " …" if end < len(text) else ""
    shift = len(prefix) - start
    spans = [
        (mark.start + shift, mark.end + shift) for mark in matches if start <= mark.start and mark.end <= end
    ]
    return Snippet(f"{prefix}{text[start:end]}{suffix}", tuple(_merge_overlapping(spans)))


def plain_snippet(chunk_text: str, length: int = SNIPPET_LENGTH) -> Snippet:
    """The start of the text without highlights, for a search that has used its time."""
    text = " ".join(chunk_text[: 2 * length].split())
    return Snippet(f"{text[:length]} …" if len(text) > length else text)


def best_match_offset(chunk_text: str, parsed: ParsedQuery, languages: tuple[str, ...] = ()) -> int | None:
    """The offset of the densest matches in the chunk's plain text; None if nothing matches."""
    matches = _find_matches(_plain_text(chunk_text), _make_matcher(parsed.terms, languages))
    return _densest_window(matches, len(parsed.text) + MAX_WORD_SNAP) if matches else None


def _plain_text(chunk_text: str) -> str:
    text = chunk_text[:MAX_CHUNK_LENGTH]
    if any(sign in text for sign in _MARKDOWN_SIGNS):
        text = "\n".join(map(_without_markdown, text.split("\n")))
    # Most chunks are plain already, and checking is ten times as fast as splitting and joining.
    return text.strip() if text.isprintable() and "  " not in text else " ".join(text.split())


def _without_markdown(line: str) -> str:
    """The line without markdown signs; empty if it is the rule of a table. Linear in the length of the line."""
    if "---" in line and not line.strip(_TABLE_RULE_CHARACTERS):
        return ""
    prefix = _LINE_PREFIX.match(line)
    return (line[prefix.end() :] if prefix else line).replace("**", "")


@lru_cache(maxsize=256)
def _make_matcher(terms: tuple[Term, ...], languages: tuple[str, ...]) -> _Matcher:
    codes: tuple[str | None, ...] = languages[:MAX_LANGUAGES] or (None,)
    # Stopwords are highlighted only if the query has no other terms.
    highlighted = tuple(term for term in terms if not term.is_stopword) or terms
    forms: dict[str, str] = {}
    for word in dict.fromkeys(word for term in highlighted for word in term.words):
        own = dict.fromkeys(term_of(word, code) for code in codes)
        canonical = next((forms[form] for form in own if form in forms), next(iter(own)))
        forms |= dict.fromkeys(own, canonical)
        if not word.isascii():
            forms.setdefault(plain_term_of(word, codes[0]), canonical)
    keys = [tuple(forms[term_of(word, codes[0])] for word in term.words) for term in highlighted]
    prefixes = {form[:2] for form in forms if form.isascii() and form}
    ascii_candidates = re.compile(_prefix_pattern(sorted(prefixes)) + "[a-z0-9]*")
    single_words = {
        key[0]: number
        for number, (term, key) in enumerate(zip(highlighted, keys, strict=True))
        if len(term.words) == 1 and not term.is_prefix
    }
    other_terms = tuple(
        (number, _OtherTerm(key, term.is_prefix))
        for number, (term, key) in enumerate(zip(highlighted, keys, strict=True))
        if len(term.words) > 1 or term.is_prefix
    )
    return _Matcher(ascii_candidates, codes, forms, single_words, other_terms)


def _prefix_pattern(prefixes: Sequence[str]) -> str:
    if all(len(pair) == 2 for pair in prefixes):
        # The lookbehind comes after the letters: the engine then skips from candidate to candidate.
        return f"(?:{'|'.join(prefixes) or '(?!)'})(?<![a-z0-9]..)"
    return f"(?<![a-z0-9])(?:{'|'.join(prefixes)})"


def _find_matches(text: str, matcher: _Matcher) -> list[_Match]:
    tokens = _tokens(text, matcher)
    matches = [
        _Match(start, end, matcher.single_words[key])
        for key, start, end in tokens
        if key in matcher.single_words
    ]
    if matcher.other_terms:
        for number, term in matcher.other_terms:
            matches += _find_phrase(text, number, term, tokens)
        matches.sort(key=lambda mark: (mark.start, mark.end))
    return matches


def _find_phrase(text: str, number: int, term: _OtherTerm, tokens: Sequence[Word]) -> Iterator[_Match]:
    *first_keys, last_key = term.key
    for index in range(len(tokens) - len(first_keys)):
        if first_keys and tokens[index][0] != first_keys[0]:
            continue
        window = tokens[index : index + len(first_keys) + 1]
        key, start, end = window[-1]
        if [item[0] for item in window[:-1]] != first_keys or not _are_adjacent(text, window):
            continue
        if term.is_prefix and key.startswith(last_key):
            yield _Match(window[0][1], start + 1, number)
        elif key == last_key:
            yield _Match(window[0][1], end, number)


def _are_adjacent(text: str, tokens: Sequence[Word]) -> bool:
    return not any(
        _ASCII_LETTER.search(text, token[2], following[1]) for token, following in pairwise(tokens)
    )


def _tokens(text: str, matcher: _Matcher) -> list[Word]:
    """The tokens of the text as both indexes make them: stems, or bigrams with a final single character."""
    if text.isascii():
        return [
            (matcher.key(match[0]), *match.span())
            for match in matcher.ascii_candidates.finditer(text.lower())
        ]
    tokens: list[Word] = []
    for word, start, end in words(text):
        if is_unsegmented(word):
            for offset in range(len(word)):
                pair = word[offset : offset + 2]
                tokens.append((lower_case(pair), start + offset, start + offset + len(pair)))
        else:
            tokens.append((matcher.key(word), start, end))
    return tokens


def _window(text: str, matches: Sequence[_Match], length: int) -> Span:
    if len(text) <= length:
        return 0, len(text)
    start = _window_start(text, _densest_window(matches, length - CONTEXT_BEFORE), length)
    end = min(len(text), start + length)
    if end < len(text):
        blank = text.rfind(" ", end - MAX_WORD_SNAP, end + 1)
        end = blank if blank > start else end
    return start, end


def _densest_window(matches: Sequence[_Match], width: int) -> int:
    """The start of the window with most distinct terms, then most matches, then the lowest offset."""
    if not matches or matches[-1].start - matches[0].start < width:
        return matches[0].start if matches else 0
    best, best_start, end = (0, 0), 0, 0
    term_counts: dict[int, int] = {}
    for index, match in enumerate(matches):
        while end < len(matches) and matches[end].start < match.start + width:
            term_counts[matches[end].term] = term_counts.get(matches[end].term, 0) + 1
            end += 1
        score = (len(term_counts), end - index)
        if score > best:
            best, best_start = score, match.start
        term_counts[match.term] -= 1
        if not term_counts[match.term]:
            del term_counts[match.term]
    return best_start


def _window_start(text: str, match_start: int, length: int) -> int:
    """The start of the sentence if it is near, else a word start shortly before the match."""
    latest = min(match_start, len(text) - length)
    earliest = max(0, min(match_start - CONTEXT_BEFORE, latest))
    if earliest == 0:
        return 0
    sentences = [match.end() for match in _SENTENCE_START.finditer(text, earliest, latest + 1)]
    if sentences:
        return sentences[-1]
    blank = text.find(" ", earliest, min(match_start, earliest + MAX_WORD_SNAP))
    return blank + 1 if blank >= 0 else earliest


def _merge_overlapping(spans: Sequence[Span]) -> Iterator[Span]:
    """Merges overlapping spans."""
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
