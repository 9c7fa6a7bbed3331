"""Counts the documents of a search by kind, language, media type, year, collection and tag."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import select

from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_tags, documents
from towpath.search.contract import Facets

#: Of more documents the best ones are counted.
MAX_FACET_DOCUMENTS = 2_000

_c = documents.c
_tags = document_tags.c


def count_facets(tx: Transaction, document_ids: Sequence[str]) -> Facets:
    kinds: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    media_types: Counter[str] = Counter()
    years: Counter[str] = Counter()
    collections: Counter[str] = Counter()
    language = _c.summary["language"].as_string()
    query = select(_c.kind, _c.media_type, language.label("language"), _c.created_at, _c.collection)
    rows = tx.connection.execute(query.where(_c.id.in_(document_ids))) if document_ids else ()
    for row in rows:
        kinds[row.kind] += 1
        media_types[row.media_type] += 1
        if row.language:
            languages[row.language] += 1
        years[str(row.created_at.year)] += 1
        if row.collection:
            collections[row.collection] += 1
    tagged = select(_tags.tag).where(_tags.document_id.in_(document_ids))
    tags: Counter[str] = Counter(tx.connection.execute(tagged).scalars() if document_ids else ())
    return Facets(
        *(dict(_ordered(counts)) for counts in (kinds, languages, media_types, years, collections, tags))
    )


def _ordered(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
