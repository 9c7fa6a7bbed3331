"""Turns a parsed query into terms of the word index, in every language of the library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from towpath.search.embedding_model_profile import query_language
from towpath.search.query_parser import ParsedQuery, Term
from towpath.text.abbreviations import SHORT_FORMS
from towpath.text.analyzer import plain_term_of, term_of, tokens
from towpath.text.function_words import is_function_word
from towpath.text.identifiers import adjacent_joins, joined_identifiers, without_prefix
from towpath.text.index_markers import name_marker
from towpath.text.language_detection import likely_language
from towpath.text.stopword_lists import STOPWORDS_BY_LANGUAGE
from towpath.text.word_tokenizer import is_unsegmented, words

#: The languages in which a query is analyzed: the most frequent ones of the library.
MAX_LANGUAGES = 12
#: Terms of a query that are scored; of a longer query those that come first.
MAX_TERMS = 128
#: How much a word such as "of" counts beside words that say more. Measured on questions of a sentence: see docs/why/.
FUNCTION_WORD_WEIGHT = 0.3
#: Words of a query whose adjacent joins are looked up.
MAX_JOINED_WORDS = 24


@dataclass(frozen=True, slots=True)
class WordTerm:
    """A word of the query: any of its ``forms`` in a chunk is a match. ``plain`` forms (without accents, or completions
    of a word that is being typed) are used if no chunk has one of the others."""

    word: str
    forms: tuple[str, ...]
    plain: tuple[str, ...] = ()
    #: How often the query has the word.
    weight: float = 1.0
    #: A word such as "of" adds little to the score, and says nothing about how much of the query a chunk covers.
    is_function_word: bool = False
    #: For a form that the word has in some languages only: in these. Chunks in the others do not match by it.
    languages: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])


@dataclass(frozen=True, slots=True)
class JoinedTerm:
    """Adjacent words of the query written as one, such as an identifier without its separators."""

    form: str
    #: The places of its words among the terms of the query.
    words: frozenset[int]
    #: Those of its words that it only repeats: "l'accord" is no rarer word than "accord".
    repeated: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PhraseTerm:
    """Words that must follow each other in every hit, each in any of its forms."""

    words: tuple[str, ...]
    forms: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class WordQuery:
    terms: tuple[WordTerm, ...]
    joined: tuple[JoinedTerm, ...] = ()
    phrases: tuple[PhraseTerm, ...] = ()
    #: Whether every hit must contain them.
    requires_phrases: bool = True
    #: The marker of a document whose name is the whole query.
    name: str = ""
    #: The languages in which the query was analyzed; an empty code stands for chunks whose language is not known.
    languages: frozenset[str] = frozenset()


def word_query(
    parsed: ParsedQuery,
    languages: Sequence[str],
    completions: Sequence[str] = (),
    *,
    has_unknown_language: bool = False,
) -> WordQuery:
    """The terms of a query in the languages of a library. ``completions`` count as its last word if no chunk has it."""
    codes: tuple[str | None, ...] = tuple(languages[:MAX_LANGUAGES])
    if has_unknown_language or not codes:
        codes = (*codes, None)
    # The library's languages may be several, and a stop word of one is a content word of another.
    language = query_language(parsed.text, languages) or likely_language(parsed.text) or ""
    stopwords = STOPWORDS_BY_LANGUAGE.get(language, frozenset[str]())
    spoken_languages = [*languages, language]
    unquoted = [term for term in parsed.terms if not term.quoted]
    terms: dict[tuple[str, ...], WordTerm] = {}
    places: list[int | None] = []
    spoken: list[str] = []
    for word in _words(unquoted):
        spellings = [word]
        if "en" in codes and (whole := SHORT_FORMS.get(word.lower())) is not None:
            spellings.append(whole)
        forms = tuple(dict.fromkeys(form for spelling in spellings for form in _forms(spelling, codes)))
        known = terms.get(forms)
        if known is None and len(terms) == MAX_TERMS:
            break
        weight = 1.0 if known is None else known.weight + 1.0
        small = is_function_word(word.lower(), spoken_languages) or word.lower() in stopwords
        plain = _plain_forms(word, codes, forms)
        terms[forms] = WordTerm(word, forms, plain, weight, small, _languages_by_form(spellings, codes))
        places.append(list(terms).index(forms) if known is not None else len(terms) - 1)
        spoken.append(word)
    if any(not term.is_function_word for term in terms.values()):
        terms = {forms: _reduced(term) if term.is_function_word else term for forms, term in terms.items()}
    if completions and terms:
        last = next(reversed(terms))
        completed = dict.fromkeys(form for word in completions for form in _forms(word, codes))
        terms[last] = replace(terms[last], plain=(*terms[last].plain, *completed))
    joined = _joined_terms(parsed, spoken, places, codes)
    function_words = [term.is_function_word for term in terms.values()]
    phrases = tuple(_phrase(term, codes) for term in parsed.phrases)
    analyzed = frozenset(code or "" for code in codes)
    return WordQuery(
        tuple(terms.values()),
        tuple(replace(term, repeated=_repeated(term, function_words)) for term in joined),
        phrases,
        name=name_marker(parsed.text),
        languages=analyzed,
    )


def _reduced(term: WordTerm) -> WordTerm:
    return replace(term, weight=term.weight * FUNCTION_WORD_WEIGHT)


def _words(terms: Sequence[Term]) -> Iterator[str]:
    """The words of terms as the index splits texts."""
    for term in terms:
        for word in term.words:
            if is_unsegmented(word):
                yield word
            else:
                yield from (word[token.start : token.end] for token in tokens(word) if not token.alternative)


def _forms(word: str, languages: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(term_of(word, language) for language in languages))


def _languages_by_form(
    spellings: Sequence[str], languages: Sequence[str | None]
) -> dict[str, frozenset[str]]:
    """The languages of each form that the word does not have in all of them.

    The Turkish stem of a word may be a word of another language, which has nothing to do with it.
    """
    if len(languages) == 1:
        return {}
    found: dict[str, set[str]] = {}
    for language in languages:
        for spelling in spellings:
            found.setdefault(term_of(spelling, language), set()).add(language or "")
            if not spelling.isascii():
                found.setdefault(plain_term_of(spelling, language), set()).add(language or "")
    return {form: frozenset(codes) for form, codes in found.items() if len(codes) < len(languages)}


def _plain_forms(word: str, languages: Sequence[str | None], forms: tuple[str, ...]) -> tuple[str, ...]:
    if word.isascii() or is_unsegmented(word):
        return ()
    plain = dict.fromkeys(plain_term_of(word, language) for language in languages)
    return tuple(form for form in plain if form not in forms)


def _joined_terms(
    parsed: ParsedQuery, spoken: list[str], places: Sequence[int | None], languages: Sequence[str | None]
) -> Iterator[JoinedTerm]:
    seen: set[str] = {form for word in spoken for form in _forms(word, languages)}
    candidates = [
        (joined, frozenset(place for place in places[start:end] if place is not None))
        for joined, start, end in adjacent_joins([word.lower() for word in spoken[:MAX_JOINED_WORDS]])
    ]
    candidates += [
        (rest, frozenset({place} if place is not None else ()))
        for word, place in zip(spoken, places, strict=True)
        if (rest := without_prefix(word.lower()))
    ]
    for joined, start, end in joined_identifiers(parsed.text):
        parts = {word for word, _, _ in words(parsed.text[start:end])}
        covered = frozenset(
            place for word, place in zip(spoken, places, strict=True) if word in parts and place is not None
        )
        candidates.append((joined, covered))
    for joined, covered in candidates:
        for form in _forms(joined, languages):
            if form not in seen:
                seen.add(form)
                yield JoinedTerm(form, covered)


def _repeated(joined: JoinedTerm, function_words: Sequence[bool]) -> frozenset[int]:
    """The words that a joined form repeats if one of them is a function word, as in "l'accord" and "faut-il"."""
    if any(character.isdigit() for character in joined.form):
        return frozenset()
    content = frozenset(place for place in joined.words if not function_words[place])
    return frozenset() if content == joined.words else content or joined.words


def _phrase(term: Term, languages: Sequence[str | None]) -> PhraseTerm:
    split = tuple(_words([term]))
    forms = ((*_forms(word, languages), *_plain_forms(word, languages, ())) for word in split)
    return PhraseTerm(split, tuple(forms))
