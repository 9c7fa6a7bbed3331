"""Analyzes the text of one passage for comparison: terms, identifiers, shingles, and whether it is prose."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np

from towpath.text.comparison_terms import CACHED_WORDS, count_words, spellings, terms
from towpath.text.function_words import FOREIGN, is_english
from towpath.text.stopwords import STOPWORDS
from towpath.text.word_tokenizer import is_unsegmented, word_list

#: Words per shingle: five words in the same order are hardly ever shared by chance.
SHINGLE_WORDS = 5
#: Texts whose analysis is cached: each is compared with several others.
CACHED_TEXTS = 4_096
#: An odd multiplier: the hash of a shingle is the sum of its words' hashes times powers of it, modulo 2 to the 64.
_HASH_FACTOR = 0x9E3779B97F4A7C15
#: The share of function words that is assumed for scripts without blanks, where they are not counted.
UNSEGMENTED_PROSE_SHARE = 0.35

_FUNCTION_WORDS = STOPWORDS | FOREIGN
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_CITATION = re.compile(r"\[[A-Z][A-Za-z]+(?:\+|\d{2,4})\w*\]")
# A word with separators inside; it is a code if it has enough digits.
_TOKEN = re.compile(r"[A-Za-z0-9][\w./-]{3,}\w")
_DIGIT = re.compile(r"\d")
MIN_CODE_DIGITS = 3
_DATE_OR_AMOUNT = re.compile(
    r"\d{1,4}(?:[./-]\d{1,2}){1,2}(?:[./-]\d{2,4})?|[\d.,/-]{1,5}|\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?"
)
_SEPARATORS = re.compile(r"[\W_]+")
# What separates the items of an enumeration: a comma, a semicolon or the mark of a list item.
_ITEM_SEPARATOR = re.compile(r"[,;]|\n[ \t]*(?:[-*+•]|\d+[.)])\s")
#: Three items in a row of at most three words and 30 characters are an enumeration.
MIN_ITEMS, MAX_ITEM_WORDS, MAX_ITEM_LENGTH = 3, 3, 30
_SECTION_NUMBER = re.compile(r"\d\.\d")
_CONTENTS_SIGNS = ("→", "►", "....", "](#")
# Sentences of licences and warranty disclaimers: documents of unrelated subjects have the same ones.
_LICENCE = re.compile(
    r"permission\s+is\s+(?:hereby\s+)?granted|implied\s+warrant|without\s+any\s+warranty|fitness\s+for\s+a\s+particular\s+purpose",
    re.IGNORECASE,
)
# Markup that no reader sees as text: the targets of links and images, addresses, placeholders of templates, and the
# language of a code block. Its words are not what a passage is about.
_MARKUP = re.compile(
    r"(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)|\b(?:https?|ftp|mailto):[^\s<>\"'`)\]]+|\{\{.*?\}\}|<%.*?%>"
    r"|(?<=```)[\w+-]+$",
    re.MULTILINE,
)
# Cheaper than the expression above, and true of all text that it changes.
_MARKUP_SIGNS = ("](", "://", "mailto:", "{{", "<%", "```")
# Clauses that contracts and terms of use of unrelated subjects have, by the words that lawyers write them in.
_CLAUSES = (
    # Liability, indemnity, force majeure.
    r"limitation of liability|(?:be|held) liable|punitive|theory of liability|consequential damages|indemnif",
    r"hold harmless|force majeure|haftungsbeschränkung|haftungsausschluss|schadlos|höhere gewalt",
    r"limitation de (?:la )?responsabilité",
    # Governing law, severability, entire agreement.
    r"governing law|(?:governed by|subject to) the laws?|exclusive jurisdiction|severab|entire agreement",
    r"held (?:to be )?(?:invalid|unenforceable)|supersedes? all|gerichtsstand|unterlieg\w* de[mn] (?:recht|gesetz)",
    r"gelten die gesetze|salvatorische|droit applicable|juridiction compétente|loi applicable",
    # Changes of the terms, termination.
    r"(?:may|reserve the right to) (?:update|change|modify|amend|revise) (?:this|these|our|the) (?:\w+ )?"
    r"(?:polic|terms|notice|agreement|statement)",
    r"terminate (?:this|the|your) (?:agreement|account|access)|vereinbarung (?:jederzeit|kündigen|beendet)",
    r"(?:diese|vorliegenden?) bedingungen \w+|modifier (?:les|ces) (?:présentes )?conditions",
    # Subscriptions, licences, confidentiality, prohibited uses.
    r"automatic(?:ally)? renew|auto-renew|renews automatically|subscription fees?|non-?exclusive|royalty-free",
    r"nicht ausschließliche|nichtexklusive|non exclusive|trade secrets|unsolicited",
    r"(?:confidential|proprietary|business) information\W{1,3}(?:means|includes?|shall)",
)
_STANDARD_CLAUSE = re.compile("|".join(_CLAUSES), re.IGNORECASE)
# A capitalized word inside a sentence. The first word of a sentence, a line or a list item says nothing.
_CAPITALIZED = re.compile(r"(?<=[\w,;)]\s)[^\W\d_a-z][\w-]{2,}")
#: A table of contents has a mark for every line, and a line has about this many words.
WORDS_PER_CONTENTS_LINE = 6


class PassageText:
    """What one text contributes to the comparison of passages; each part is computed when it is needed."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _visible_text(self) -> str:
        """The text without markup."""
        return (
            _MARKUP.sub(" ", self._text) if any(map(self._text.__contains__, _MARKUP_SIGNS)) else self._text
        )

    @cached_property
    def terms(self) -> Mapping[str, float]:
        """The terms with 1 + ln(count), so that a term that is repeated counts little more than once.

        The items of an enumeration are mentioned in passing: they do not tell what a passage is about.
        """
        counts = terms(self._counts_outside_enumerations, english=self.english)
        return {term: 1.0 if count == 1 else 1.0 + math.log(count) for term, count in counts.items()}

    @cached_property
    def spellings(self) -> Mapping[str, str]:
        return spellings(self._counts, english=self.english)

    @cached_property
    def identifiers(self) -> Mapping[str, str]:
        return identifiers(self._text)

    @cached_property
    def names(self) -> frozenset[str]:
        """The words with a capital letter inside a sentence: mostly names; in German all nouns."""
        words = _CAPITALIZED.findall(self._visible_text)
        return frozenset(word.casefold() for word in words if word[0].isupper())

    @cached_property
    def words(self) -> int:
        if not self._unsegmented:
            return self._word_count
        return sum(count * _length(word) for word, count in self._counts.items())

    @cached_property
    def prose_share(self) -> float:
        """The share of function words: low in tables, lists, code and syntax diagrams."""
        if 4 * self._unsegmented > self._word_count:
            return UNSEGMENTED_PROSE_SHARE
        function_words = self._counts.keys() & _FUNCTION_WORDS
        return sum(map(self._counts.__getitem__, function_words)) / max(1, self._word_count)

    @cached_property
    def contents_share(self) -> float:
        """Marks of a table of contents per word, at most 1."""
        marks = len(_SECTION_NUMBER.findall(self._text)) + sum(map(self._text.count, _CONTENTS_SIGNS))
        marks += sum(line[-1:].isdecimal() for line in self._text.splitlines())
        return min(1.0, WORDS_PER_CONTENTS_LINE * marks / max(1, self._word_count))

    @cached_property
    def is_licence(self) -> bool:
        return _LICENCE.search(self._text) is not None

    @cached_property
    def is_standard_clause(self) -> bool:
        return _STANDARD_CLAUSE.search(self._text) is not None

    @cached_property
    def english(self) -> bool:
        return is_english(self._counts)

    @cached_property
    def _counts(self) -> Mapping[str, int]:
        return count_words(self._visible_text)

    @cached_property
    def _counts_outside_enumerations(self) -> Mapping[str, int]:
        text = self._visible_text
        remaining = without_enumerations(text)
        return self._counts if remaining == text else count_words(remaining)

    @cached_property
    def _word_count(self) -> int:
        return sum(self._counts.values())

    @cached_property
    def _unsegmented(self) -> int:
        """The number of words in scripts without blanks."""
        if self._text.isascii():
            return 0
        return sum(count for word, count in self._counts.items() if is_unsegmented(word))


@lru_cache(maxsize=CACHED_TEXTS)
def analyze(text: str) -> PassageText:
    return PassageText(text)


def without_enumerations(text: str) -> str:
    """The text without the short items that follow each other in an enumeration."""
    items = _ITEM_SEPARATOR.split(text)
    if len(items) < MIN_ITEMS:
        return text
    kept: list[str] = []
    run: list[str] = []
    for item in (*items, None):
        if item is not None and len(item) <= MAX_ITEM_LENGTH and 0 < len(item.split()) <= MAX_ITEM_WORDS:
            run.append(item)
            continue
        if len(run) < MIN_ITEMS:
            kept += run
        run.clear()
        if item is not None:
            kept.append(item)
    return text if len(kept) == len(items) else " , ".join(kept)


def identifiers(text: str) -> dict[str, str]:
    """Numbers, codes, e-mail addresses, IBANs and citation keys: normalized form to spelling. No dates or amounts."""
    matches = [match[0] for match in _EMAIL.finditer(text)] if "@" in text else []
    if _DIGIT.search(text):
        matches += [match[0] for pattern in (_IBAN, _CITATION) for match in pattern.finditer(text)]
        matches += [
            token
            for token in _TOKEN.findall(text)
            if not token.isalpha()
            and len(_DIGIT.findall(token)) >= MIN_CODE_DIGITS
            and not _DATE_OR_AMOUNT.fullmatch(token)
        ]
    return {_SEPARATORS.sub("", match).casefold(): match.strip("[].") for match in matches}


@lru_cache(maxsize=CACHED_TEXTS)
def shingles(text: str) -> frozenset[int]:
    """Hashes of all sequences of `SHINGLE_WORDS` words; characters count as words in scripts without blanks."""
    words: Sequence[str] = word_list(text.casefold())
    if not text.isascii():
        words = [part for word in words for part in (word if is_unsegmented(word) else (word,))]
    count = len(words) - SHINGLE_WORDS + 1
    if count <= 0:
        return frozenset()
    hashed = np.fromiter(map(_word_hash, words), np.uint64, len(words))
    total = np.zeros(count, np.uint64)
    for offset in range(SHINGLE_WORDS):
        total = total * np.uint64(_HASH_FACTOR) + hashed[offset : offset + count]
    return frozenset(total.tolist())


@lru_cache(maxsize=CACHED_WORDS)
def _word_hash(word: str) -> int:
    """The same in every process, so that a repeated comparison has the same result."""
    return zlib.crc32(word.encode("utf-8", "replace"))


def contained_share(one: str, other: str) -> float:
    """The share of the smaller text's shingles that the other contains: 1 if it is part of the other."""
    first, second = shingles(one), shingles(other)
    return len(first & second) / (min(len(first), len(second)) or 1)


def _length(word: str) -> int:
    """A word of a script without blanks has about two characters."""
    return max(1, len(word) // 2) if is_unsegmented(word) else 1
