"""Organizes documents on either engine: edits, speaker names, counts for filters, bulk actions, export of fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import func, select, union_all, update

from towpath.ledger.columns import strip_unstorable, to_json
from towpath.ledger.database import Database, Transaction
from towpath.ledger.document_filters import conditions, matching_count, matching_ids
from towpath.ledger.tables import document_fields, documents, field_edits, provider_calls
from towpath.ledger.verbs import labels
from towpath.ledger.verbs.audit import write_audit
from towpath.ledger.verbs.queue_run import lock_document
from towpath.model.audit import Actor, AuditAction, AuditEntry
from towpath.model.document import Document
from towpath.model.document_filters import Filters
from towpath.model.json_types import Json
from towpath.model.labels import merge_metadata
from towpath.model.speaker_name import SpeakerNames
from towpath.queries.document_facets import count_facets
from towpath.queries.document_organizer_contract import (
    DocumentEdit,
    DocumentFacets,
    DocumentWithFields,
    FieldEdit,
    MatchingCosts,
    Unchanged,
)
from towpath.queries.document_rows import get_document, to_document, with_tags
from towpath.queries.field_edits import edit_fields, read_fields
from towpath.queries.speaker_names import name_speakers

_docs = documents.c
_calls = provider_calls.c
#: Field names that become columns of an export.
MAX_FIELD_NAMES = 500


class SqlDocumentOrganizer:
    """Implements `DocumentOrganizer` with SQLAlchemy for SQLite and Postgres."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def edit(
        self, org_id: str, document_id: str, edit: DocumentEdit, actor: Actor, now: datetime
    ) -> Document:
        def work(tx: Transaction) -> Document:
            _edit(tx, org_id, document_id, edit, actor, now)
            return get_document(tx, org_id, document_id)

        return await self._database.run(work, org=org_id)

    async def edit_fields(
        self, org_id: str, document_id: str, edits: Sequence[FieldEdit], actor: Actor, now: datetime
    ) -> list[Json]:
        def work(tx: Transaction) -> list[Json]:
            lock_document(tx, document_id, org_id)
            get_document(tx, org_id, document_id)
            edit_fields(tx, org_id, document_id, edits, actor, now)
            detail: Json = {"fields": sorted({edit.name for edit in edits})}
            _audit(tx, org_id, [document_id], actor, detail, now)
            return read_fields(tx, org_id, [document_id])[document_id]

        return await self._database.run(work, org=org_id)

    async def name_speakers(
        self, org_id: str, document_id: str, names: Mapping[str, str | None], actor: Actor, now: datetime
    ) -> SpeakerNames:
        def work(tx: Transaction) -> SpeakerNames:
            lock_document(tx, document_id, org_id)
            stored = name_speakers(tx, org_id, document_id, names, actor, now)
            _audit(tx, org_id, [document_id], actor, {"speakers": sorted(names)}, now)
            return stored

        return await self._database.run(work, org=org_id)

    async def facets(self, org_id: str, filters: Filters) -> DocumentFacets:
        return await self._database.run(lambda tx: count_facets(tx, org_id, filters), read=True, org=org_id)

    async def matching(self, org_id: str, filters: Filters, after: str | None, limit: int) -> list[Document]:
        return await self._database.run(
            lambda tx: _matching(tx, org_id, filters, after, limit), read=True, org=org_id
        )

    async def count(self, org_id: str, filters: Filters) -> int:
        query = matching_count(org_id, filters)
        return await self._database.run(
            lambda tx: int(tx.connection.execute(query).scalar_one()), read=True, org=org_id
        )

    async def costs(self, org_id: str, filters: Filters) -> MatchingCosts:
        def read(tx: Transaction) -> MatchingCosts:
            paid = select(func.count(), func.coalesce(func.sum(_calls.cost), 0.0)).where(
                _calls.org_id == org_id,
                _calls.status == "ANSWERED",
                _calls.document_id.in_(matching_ids(org_id, filters)),
            )
            calls, cost = tx.connection.execute(paid).one()
            total = tx.connection.execute(matching_count(org_id, filters)).scalar_one()
            return MatchingCosts(total, int(calls), float(cost))

        return await self._database.run(read, read=True, org=org_id)

    async def label(
        self,
        org_id: str,
        document_ids: Sequence[str],
        edit: DocumentEdit,
        actor: Actor,
        now: datetime,
    ) -> None:
        def work(tx: Transaction) -> None:
            if not isinstance(edit.collection, Unchanged):
                labels.set_collection(tx, org_id, document_ids, edit.collection, now)
            labels.remove_tags(tx, org_id, document_ids, edit.remove_tags, now)
            labels.add_tags(tx, org_id, document_ids, edit.add_tags, now)
            _audit(tx, org_id, document_ids, actor, _detail(edit), now)

        await self._database.run(work, org=org_id)

    async def field_names(self, org_id: str, filters: Filters) -> list[str]:
        def read(tx: Transaction) -> list[str]:
            ids = matching_ids(org_id, filters)
            named = union_all(
                *(
                    select(table.c.name, table.c.document_id).where(
                        table.c.org_id == org_id, table.c.document_id.in_(ids)
                    )
                    for table in (document_fields, field_edits)
                )
            ).subquery()
            documents_with = func.count(named.c.document_id.distinct())
            query = select(named.c.name).group_by(named.c.name).order_by(documents_with.desc(), named.c.name)
            return list(tx.connection.execute(query.limit(MAX_FIELD_NAMES)).scalars())

        return await self._database.run(read, read=True, org=org_id)

    async def with_fields(
        self, org_id: str, filters: Filters, after: str | None, limit: int
    ) -> list[DocumentWithFields]:
        def read(tx: Transaction) -> list[DocumentWithFields]:
            found = _matching(tx, org_id, filters, after, limit)
            fields = read_fields(tx, org_id, [document.id for document in found])
            return [DocumentWithFields(document, fields[document.id]) for document in found]

        return await self._database.run(read, read=True, org=org_id)


def _matching(
    tx: Transaction, org_id: str, filters: Filters, after: str | None, limit: int
) -> list[Document]:
    query = select(documents).where(_docs.org_id == org_id, *conditions(org_id, filters))
    if after is not None:
        query = query.where(_docs.id > after)
    rows = tx.connection.execute(query.order_by(_docs.id).limit(limit))
    return with_tags(tx, org_id, [to_document(row) for row in rows])


def _edit(
    tx: Transaction, org_id: str, document_id: str, edit: DocumentEdit, actor: Actor, now: datetime
) -> None:
    lock_document(tx, document_id, org_id)
    document = get_document(tx, org_id, document_id)
    if not isinstance(edit.title, Unchanged):
        removed = edit.title is None
        tx.connection.execute(
            update(documents)
            .where(_docs.org_id == org_id, _docs.id == document_id)
            .values(
                edited_title=edit.title,
                title_edited_by=None if removed else strip_unstorable(actor.label),
                title_edited_at=None if removed else now,
                updated_at=now,
            )
        )
    if not isinstance(edit.collection, Unchanged):
        labels.set_collection(tx, org_id, [document_id], edit.collection, now)
    if not isinstance(edit.tags, Unchanged):
        labels.replace_tags(tx, org_id, document_id, edit.tags, now)
    labels.remove_tags(tx, org_id, [document_id], edit.remove_tags, now)
    labels.add_tags(tx, org_id, [document_id], edit.add_tags, now)
    if edit.metadata or edit.remove_all_metadata:
        before = {} if edit.remove_all_metadata else to_json(document.metadata)
        labels.set_metadata(tx, org_id, document_id, merge_metadata(before, edit.metadata), now)
    _audit(tx, org_id, [document_id], actor, _detail(edit), now)


def _detail(edit: DocumentEdit) -> Json:
    """The changed parts, for the audit log."""
    detail: dict[str, object] = {}
    for name in ("title", "collection", "tags"):
        value: object = getattr(edit, name)
        if not isinstance(value, Unchanged):
            detail[name] = value
    if edit.add_tags:
        detail["add_tags"] = list(edit.add_tags)
    if edit.remove_tags:
        detail["remove_tags"] = list(edit.remove_tags)
    if edit.metadata or edit.remove_all_metadata:
        detail["metadata"] = sorted(edit.metadata)
    return detail


def _audit(
    tx: Transaction, org_id: str, document_ids: Sequence[str], actor: Actor, detail: Json, now: datetime
) -> None:
    entries = [AuditEntry(AuditAction.DOCUMENT_EDITED, actor, key, detail) for key in document_ids]
    write_audit(tx, [(org_id, entry) for entry in entries], now)
