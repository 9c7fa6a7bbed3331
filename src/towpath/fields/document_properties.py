"""Finds fields of the document as a whole: word and page count, language, title, authors, dates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from towpath.fields.field_match import FieldMatch
from towpath.fields.language import guess_language
from towpath.fields.title import title_fields
from towpath.model.content import Extraction

# A Chinese or Japanese character counts as a word: there are no blanks between words.
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿]")
_WORDS = re.compile(r"[぀-ヿ㐀-鿿]|[^\W_぀-ヿ㐀-鿿]+(?:['’\-][^\W_぀-ヿ㐀-鿿]+)*")
_PUNCTUATION_TO_BLANK = bytes(c if c > 127 or chr(c).isalnum() else 32 for c in range(256))
_DATES = {"created": "created", "modified": "modified", "date": "document_date", "published": "published"}
PROPERTY_NAMES = frozenset(
    ("word_count", "page_count", "language", "title", "title_source", "author", *_DATES.values())
)
_CALENDAR_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?(?=$|[T ])")
_NO_AUTHORS = frozenset(
    ("none", "null", "unknown", "anonymous", "(anonymous)", "user", "admin", "administrator", "author", "owner",
     "default", "guest", "root", "microsoft office user", "windows user", "office user", "default user",
     "unspecified", "(unspecified)", "not specified", "your name", "n/a")
)  # fmt: skip
_LONG_NUMBER = re.compile(r"\d{4}")
#: Below this confidence the language of a document is not shown, rather than a wrong one.
_MIN_LANGUAGE_CONFIDENCE = 0.3
_MAX_AUTHORS = 100
_LANGUAGE_CODE = re.compile(r"([A-Za-z]{2,3})(?:[-_].*)?")


def document_properties(extraction: Extraction, file_name: str = "") -> Iterator[FieldMatch]:
    yield FieldMatch("word_count", str(count_words(extraction.markdown)), "number", 1.0)
    if extraction.pages:
        yield FieldMatch("page_count", str(len(extraction.pages)), "number", 1.0)
    yield from _language(extraction)
    yield from title_fields(extraction, file_name)
    authors = extraction.metadata.get("authors", "").split(";")[:_MAX_AUTHORS]
    text = extraction.markdown.casefold() if any(authors) else ""
    for author in authors:
        if _is_author(author.strip(), text):
            yield FieldMatch("author", " ".join(author.split()), "person", 0.9)
    for key, name in _DATES.items():
        value = extraction.metadata.get(key, "").strip()
        if _CALENDAR_DATE.match(value):
            yield FieldMatch(name, value, "date", 0.9)


def _is_author(name: str, casefolded_text: str) -> bool:
    """False for what programs write there: the name of an account, a placeholder, a number."""
    if sum(map(str.isalpha, name)) < 2 or name.casefold() in _NO_AUTHORS or _LONG_NUMBER.search(name):
        return False
    # One word may be an organization, which the text names, or an account.
    return " " in name or not name.isascii() or (not name.islower() and name.casefold() in casefolded_text)


def count_words(text: str) -> int:
    """The number of words. Texts with blanks between words take a path six times as fast."""
    if not text.isascii() and _UNSPACED.search(text):
        return sum(1 for _ in _WORDS.finditer(text))
    for mark in "–—…•·“”„«»|" if not text.isascii() else "":
        text = text.replace(mark, " ")
    return len(text.encode("utf-8", "replace").translate(_PUNCTUATION_TO_BLANK, b"'-_").split())


def language_of(extraction: Extraction) -> tuple[str, float] | None:
    """The language detected in the text, or else the language in the metadata of the file."""
    guess = guess_language(extraction.markdown)
    if guess and guess.confidence >= 0.6:
        return guess
    claimed = _LANGUAGE_CODE.fullmatch(extraction.metadata.get("language", "").strip())
    if claimed:
        return claimed[1].lower(), 0.6
    return guess if guess and guess.confidence >= _MIN_LANGUAGE_CONFIDENCE else None


def _language(extraction: Extraction) -> Iterator[FieldMatch]:
    language = language_of(extraction)
    if language:
        yield FieldMatch("language", language[0], "language", language[1])
