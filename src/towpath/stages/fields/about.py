"""What a document is as a whole: its size, language, title, authors and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator

from towpath.model.content import Extraction
from towpath.stages.fields.found import Found
from towpath.stages.fields.language import guess_language
from towpath.stages.markdown_blocks import find_blocks

#: A title is looked for in this many characters.
BEGINNING = 20_000
LONGEST_TITLE = 200

# A Chinese or Japanese character counts as a word: there are no blanks to tell words apart.
_UNSPACED = re.compile(r"[぀-ヿ㐀-鿿]")
_WORDS = re.compile(r"[぀-ヿ㐀-鿿]|[^\W_぀-ヿ㐀-鿿]+(?:['’\-][^\W_぀-ヿ㐀-鿿]+)*")
_BLANKED = bytes(c if c > 127 or chr(c).isalnum() else 32 for c in range(256))
_NO_TITLE = re.compile(
    r"microsoft (?:word|powerpoint|excel) - .*|untitled.*|document\d*|slide \d+"
    r"|.*\.(?:docx?|pdf|indd|tex|dvi|rtf|xlsx?)",
    re.IGNORECASE,
)
_DATES = {"created": "created", "modified": "modified", "date": "document_date", "published": "published"}
FACTS = frozenset(("word_count", "page_count", "language", "title", "author", *_DATES.values()))
_CALENDAR_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?(?=$|[T ])")
_LANGUAGE_CODE = re.compile(r"([A-Za-z]{2,3})(?:[-_].*)?")


def about(extraction: Extraction) -> Iterator[Found]:
    yield Found("word_count", str(count_words(extraction.markdown)), "number", 1.0)
    if extraction.pages:
        yield Found("page_count", str(len(extraction.pages)), "number", 1.0)
    yield from _language(extraction)
    yield from _title(extraction)
    for author in extraction.metadata.get("authors", "").split(";"):
        if author.strip():
            yield Found("author", " ".join(author.split()), "person", 0.9)
    for key, name in _DATES.items():
        value = extraction.metadata.get(key, "").strip()
        if _CALENDAR_DATE.match(value):
            yield Found(name, value, "date", 0.9)


def count_words(text: str) -> int:
    """How many words a reader would count. Texts with blanks between words take a path six times as fast."""
    if not text.isascii() and _UNSPACED.search(text):
        return sum(1 for _ in _WORDS.finditer(text))
    for mark in "–—…•·“”„«»|" if not text.isascii() else "":
        text = text.replace(mark, " ")
    return len(text.encode("utf-8", "replace").translate(_BLANKED, b"'-_").split())


def language_of(extraction: Extraction) -> tuple[str, float] | None:
    """What the text itself speaks, or else what the file claims."""
    guess = guess_language(extraction.markdown)
    if guess and guess.confidence >= 0.6:
        return guess
    claimed = _LANGUAGE_CODE.fullmatch(extraction.metadata.get("language", "").strip())
    if claimed:
        return claimed[1].lower(), 0.6
    return guess


def _language(extraction: Extraction) -> Iterator[Found]:
    found = language_of(extraction)
    if found:
        yield Found("language", found[0], "language", found[1])


def _title(extraction: Extraction) -> Iterator[Found]:
    claimed = " ".join(extraction.metadata.get("title", "").split())
    if claimed and not _NO_TITLE.fullmatch(claimed):
        yield Found("title", claimed[:LONGEST_TITLE], "text", 0.9)
        return
    beginning = extraction.markdown[:BEGINNING]
    for block in find_blocks(beginning):
        if block.kind == "heading":
            yield Found("title", block.title[:LONGEST_TITLE], "text", 0.8, block.start, block.end)
            return
    first = re.search(r"\S[^\n]*", beginning)
    if first:
        words = first[0][:LONGEST_TITLE].rstrip()
        yield Found(
            "title", words.strip("*_ ") or words, "text", 0.5, first.start(), first.start() + len(words)
        )
