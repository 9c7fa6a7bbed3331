"""The filter of documents that lists, searches, questions and bulk actions share."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions on documents; both engines apply them inside the query.

    An empty tuple or None is no condition. A new filter is a field here and a condition in
    `ledger/document_filters.py`.
    """

    kinds: tuple[str, ...] = ()
    document_ids: tuple[str, ...] = ()
    excluded_document_ids: tuple[str, ...] = ()
    media_types: tuple[str, ...] = ()
    #: ISO 639-1 codes of the documents' main languages.
    languages: tuple[str, ...] = ()
    created_from: datetime | None = None
    created_before: datetime | None = None
    min_size: int | None = None
    max_size: int | None = None
    #: Documents of any of these collections; the empty text stands for documents without a collection.
    collections: tuple[str, ...] = ()
    #: Documents that have all of these tags.
    tags: tuple[str, ...] = ()
    #: Documents whose metadata has all of these keys with these values.
    metadata: tuple[tuple[str, str], ...] = ()
    statuses: tuple[str, ...] = ()
    #: Part of the name or of the title, in any case.
    name_part: str = ""


NO_FILTERS = Filters()
