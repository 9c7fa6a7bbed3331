"""Writes the collection, tags and metadata of documents, and the rows by which documents are filtered."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, select, update
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from towpath.errors import UserError
from towpath.ledger.columns import to_instant, to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_metadata, document_tags, documents
from towpath.model.labels import MAX_TAGS, Labels, merge_metadata, metadata_values

_docs = documents.c
_tags = document_tags.c
#: Rows sent in one statement; SQLite allows 32,766 parameters in one.
_BATCH = 500


def add_labels(tx: Transaction, org_id: str, document_id: str, labels: Labels, now: datetime) -> None:
    """Add the labels of an upload. A document that is in a collection stays there."""
    row = _label_row(tx, org_id, document_id)
    if labels.collection is not None and row.collection is None:
        set_collection(tx, org_id, [document_id], labels.collection, now)
    add_tags(tx, org_id, [document_id], labels.tags, now)
    if labels.metadata:
        set_metadata(tx, org_id, document_id, merge_metadata(to_json(row.metadata), labels.metadata), now)


def copy_labels(
    tx: Transaction, org_id: str, document_id: str, target_ids: Sequence[str], now: datetime
) -> None:
    """Give new children the collection and the tags of their parent, so that filters find them too."""
    if not target_ids:
        return
    collection = _label_row(tx, org_id, document_id).collection
    if collection is not None:
        set_collection(tx, org_id, target_ids, collection, now)
    of_parent = select(_tags.tag).where(_tags.org_id == org_id, _tags.document_id == document_id)
    add_tags(tx, org_id, target_ids, list(tx.connection.execute(of_parent).scalars()), now)


def set_collection(
    tx: Transaction, org_id: str, document_ids: Collection[str], collection: str | None, now: datetime
) -> None:
    _update(tx, org_id, document_ids, collection=collection, updated_at=now)


def add_tags(
    tx: Transaction, org_id: str, document_ids: Sequence[str], tags: Sequence[str], now: datetime
) -> None:
    """Add tags to documents; those that they have stay. Raises UserError if a document would have too many."""
    if not tags or not document_ids:
        return
    created = tx.connection.execute(
        select(_docs.id, _docs.created_at).where(_docs.org_id == org_id, _docs.id.in_(document_ids))
    ).all()
    rows = [
        {
            "org_id": org_id,
            "document_id": str(row.id),
            "tag": tag,
            "document_created_at": to_instant(row.created_at),
        }
        for row in created
        for tag in tags
    ]
    insert = sqlite_insert if tx.dialect == "sqlite" else postgres_insert
    for start in range(0, len(rows), _BATCH):
        statement = insert(document_tags).on_conflict_do_nothing()
        tx.connection.execute(statement, rows[start : start + _BATCH])
    _refuse_too_many_tags(tx, org_id, document_ids)
    _update(tx, org_id, document_ids, updated_at=now)


def remove_tags(
    tx: Transaction, org_id: str, document_ids: Sequence[str], tags: Collection[str], now: datetime
) -> None:
    if tags and document_ids:
        tx.connection.execute(
            delete(document_tags).where(
                _tags.org_id == org_id, _tags.document_id.in_(document_ids), _tags.tag.in_(tags)
            )
        )
        _update(tx, org_id, document_ids, updated_at=now)


def replace_tags(tx: Transaction, org_id: str, document_id: str, tags: Sequence[str], now: datetime) -> None:
    others = delete(document_tags).where(_tags.org_id == org_id, _tags.document_id == document_id)
    tx.connection.execute(others.where(_tags.tag.not_in(tags)) if tags else others)
    add_tags(tx, org_id, [document_id], tags, now)
    _update(tx, org_id, [document_id], updated_at=now)


def set_metadata(
    tx: Transaction, org_id: str, document_id: str, metadata: Mapping[str, object], now: datetime
) -> None:
    """Replace the metadata, and the rows by which it is filtered."""
    created_at = _label_row(tx, org_id, document_id).created_at
    _update(tx, org_id, [document_id], metadata=dict(metadata), updated_at=now)
    tx.connection.execute(delete(document_metadata).where(document_metadata.c.document_id == document_id))
    rows = [
        {
            "org_id": org_id,
            "document_id": document_id,
            "key": key,
            "value": value,
            "document_created_at": to_instant(created_at),
        }
        for key, value in metadata_values(metadata).items()
    ]
    if rows:
        tx.connection.execute(document_metadata.insert(), rows)


def _label_row(tx: Transaction, org_id: str, document_id: str) -> Row[Any, Any, Any]:
    query = select(_docs.collection, _docs["metadata"], _docs.created_at)
    return tx.connection.execute(query.where(_docs.org_id == org_id, _docs.id == document_id)).one()


def _refuse_too_many_tags(tx: Transaction, org_id: str, document_ids: Collection[str]) -> None:
    counts: dict[str, int] = {}
    query = select(_tags.document_id).where(_tags.org_id == org_id, _tags.document_id.in_(document_ids))
    for document_id in tx.connection.execute(query).scalars():
        counts[str(document_id)] = counts.get(str(document_id), 0) + 1
    if counts and max(counts.values()) > MAX_TAGS:
        raise UserError(f"A document can have {MAX_TAGS} tags at most. Nothing was changed.")


def _update(tx: Transaction, org_id: str, document_ids: Collection[str], **values: object) -> None:
    tx.connection.execute(
        update(documents).where(_docs.org_id == org_id, _docs.id.in_(document_ids)).values(**values)
    )
