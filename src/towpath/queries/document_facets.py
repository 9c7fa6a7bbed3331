"""Counts the documents that pass filters by collection, tag, kind, status, media type and language."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, func, select

from towpath.ledger.database import Transaction
from towpath.ledger.document_filters import DocumentLanguage, conditions, matching_count, matching_ids
from towpath.ledger.tables import document_tags, documents
from towpath.model.document_filters import NO_FILTERS, Filters
from towpath.queries.document_organizer_contract import DocumentFacets

#: Values of one property that are counted, those of most documents.
MAX_VALUES = 200

_docs = documents.c
_tags = document_tags.c


def count_facets(tx: Transaction, org_id: str, filters: Filters) -> DocumentFacets:
    collections = _count(tx, org_id, replace(filters, collections=()), _docs.collection)
    languages = _count(tx, org_id, replace(filters, languages=()), DocumentLanguage())
    return DocumentFacets(
        collections={name or "": number for name, number in collections.items()},
        tags=_count_tags(tx, org_id, filters),
        kinds=_count(tx, org_id, replace(filters, kinds=()), _docs.kind),
        statuses=_count(tx, org_id, replace(filters, statuses=()), _docs.status),
        media_types=_count(tx, org_id, replace(filters, media_types=()), _docs.media_type),
        languages={code: number for code, number in languages.items() if code},
        total=tx.connection.execute(matching_count(org_id, filters)).scalar_one(),
    )


def _count(tx: Transaction, org_id: str, filters: Filters, value: ColumnElement[Any]) -> dict[Any, int]:
    query = select(value.label("value"), func.count().label("documents")).where(
        _docs.org_id == org_id, *conditions(org_id, filters)
    )
    return _read(tx, query.group_by(value))


def _count_tags(tx: Transaction, org_id: str, filters: Filters) -> dict[str, int]:
    """Tags are combined by "and", so the counts of further tags keep the filter by the chosen ones."""
    query = select(_tags.tag.label("value"), func.count().label("documents")).where(_tags.org_id == org_id)
    if filters != NO_FILTERS:
        query = query.where(_tags.document_id.in_(matching_ids(org_id, filters)))
    return _read(tx, query.group_by(_tags.tag))


def _read(tx: Transaction, query: Any) -> dict[Any, int]:
    ordered = query.order_by(func.count().desc()).limit(MAX_VALUES)
    rows = tx.connection.execute(ordered).mappings()
    counts: dict[Any, int] = {row["value"]: int(row["documents"]) for row in rows}
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0] or "")))
