"""Collects what the word index stores about each chunk of a document: text, headings, names and language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from towpath.text.language_detection import detect_language
from towpath.text.word_index_segment import ChunkText

#: Values of fields that are indexed, and the characters of each.
MAX_FIELDS = 100
MAX_FIELD_LENGTH = 200

_SEPARATORS = re.compile(r"[\W_]+")


def chunk_texts(
    document_id: str,
    name: str,
    summary: Mapping[str, object],
    rows: Sequence[tuple[int, str, Sequence[str]]],
    fields: Sequence[str] = (),
) -> list[ChunkText]:
    """What is indexed of a document's chunks, given as number, text and headings in reading order.

    ``fields`` are the values of the document's fields.
    """
    language = summary.get("language")
    prior = language if isinstance(language, str) else None
    title = str(summary.get("title") or "")
    # A file name is found with and without its separators.
    joined = _SEPARATORS.sub("", name)
    names = tuple(dict.fromkeys(filter(None, (name, joined, title if title != name else ""))))
    values = _values_outside_of_text(fields, rows)
    texts: list[ChunkText] = []
    for place, (number, text, headings) in enumerate(rows):
        guess = detect_language(text, prior)
        # The headings directly above a chunk are part of its text.
        above = tuple(heading for heading in headings if heading not in text)
        texts.append(
            ChunkText(
                number,
                document_id,
                text,
                above,
                names if place == 0 else (),
                guess.code if guess else prior,
                values if place == 0 else (),
            )
        )
    return texts


def _values_outside_of_text(
    fields: Sequence[str], rows: Sequence[tuple[int, str, Sequence[str]]]
) -> tuple[str, ...]:
    """The values that no chunk has as they are: properties of the file, and normalised dates and numbers."""
    values = dict.fromkeys(value[:MAX_FIELD_LENGTH] for value in fields if value.strip())
    whole = "\n".join(text for _, text, _ in rows)
    return tuple(value for value in values if value not in whole)[:MAX_FIELDS]
