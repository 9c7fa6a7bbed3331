"""Finds editions: documents that share much of their text. Their passages are not connected one by one.

The share is the containment of shingles (sequences of five words), estimated from those whose hash is a multiple of
a power of two, so that a book is compared as fast as a letter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from towpath.connections.passage_text import shingles

#: Documents are editions of each other if the smaller one shares at least this part of its text.
MIN_SHARED_TEXT = 0.5
#: A smaller document, in shingles (about as many words), is a passage: it is quoted, not an edition.
MIN_SHINGLES = 150
#: Text that more of the other documents have belongs to their form, as in invoices of one sender: it does not count,
MAX_DOCUMENTS_WITH_TEXT = 4
#: unless two documents are the same as a whole.
SAME_TEXT = 0.95
#: At least this many shingles of a document are compared: the share then has a standard error of 2 % at most.
SAMPLE_SIZE = 1_024


def editions(document: Sequence[str], others: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """The documents among ``others`` that are editions of this one, with the share of the text in both."""
    own = _shingles(document)
    by_document = {document_id: _shingles(texts) for document_id, texts in others.items()}
    in_documents = Counter(shingle for others_own in by_document.values() for shingle in own & others_own)
    found: dict[str, float] = {}
    for document_id, other in by_document.items():
        if min(len(own), len(other)) < MIN_SHINGLES:
            continue
        first, second = _sample(own, other)
        common = first & second
        smaller = min(len(first), len(second)) or 1
        share = len(common) / smaller
        own_text = sum(in_documents[shingle] <= MAX_DOCUMENTS_WITH_TEXT for shingle in common) / smaller
        if share >= SAME_TEXT or own_text >= MIN_SHARED_TEXT:
            found[document_id] = share
    return found


def _shingles(texts: Sequence[str]) -> set[int]:
    return set[int]().union(*map(shingles, texts))


def _sample(one: set[int], other: set[int]) -> tuple[set[int], set[int]]:
    """The shingles of both whose hashes are divisible by the same power of two."""
    step = 1
    while min(len(one), len(other)) >= 2 * step * SAMPLE_SIZE:
        step *= 2
    if step == 1:
        return one, other
    return {hashed for hashed in one if hashed % step == 0}, {
        hashed for hashed in other if hashed % step == 0
    }
