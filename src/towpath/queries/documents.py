"""Queries about documents on either engine: SQLAlchemy, always inside one organization."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from sqlalchemy import exists, func, select

from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import (
    artifacts,
    chunks,
    document_processing_jobs,
    document_versions,
    documents,
    idempotency_keys,
    provider_calls,
)
from towpath.ledger.verbs import row_conversion, versions
from towpath.model.audit import Actor
from towpath.model.document import Artifact, Document
from towpath.model.document_filters import NO_FILTERS, Filters
from towpath.model.document_version import DocumentVersion
from towpath.model.job import Job
from towpath.model.json_types import Json
from towpath.model.speaker_name import SpeakerNames
from towpath.queries import connections as connection_queries
from towpath.queries import parents_and_children
from towpath.queries.artifacts import find_artifact
from towpath.queries.contract import (
    Costs,
    DocumentLinks,
    DocumentPage,
    DocumentStatus,
    HourlyMetrics,
    LibraryActivity,
    Match,
    OperationsHistory,
    Overview,
    RunFilter,
    ShownConnection,
    Sort,
)
from towpath.queries.costs import read_costs
from towpath.queries.document_list import list_documents
from towpath.queries.document_rows import get_document
from towpath.queries.document_statuses import read_statuses, read_waiting_runs
from towpath.queries.field_edits import read_fields
from towpath.queries.library_activity import library_activity
from towpath.queries.lookup_by_id_or_name import lookup
from towpath.queries.metrics import hourly_metrics
from towpath.queries.operations_history import operations_history
from towpath.queries.operations_overview import overview
from towpath.queries.run_list import list_runs
from towpath.queries.speaker_names import read_speaker_names
from towpath.queries.waiting_reason import Waiting

_jobs = document_processing_jobs.c
_docs = documents.c


class SqlDocumentQueries:
    """Implements `DocumentQueries` with SQLAlchemy for SQLite and Postgres."""

    def __init__(self, database: Database, stages: Mapping[str, tuple[str, ...]]) -> None:
        self._database = database
        self._stages = stages

    async def documents(
        self,
        org_id: str,
        filters: Filters = NO_FILTERS,
        *,
        sort: Sort = "-created",
        cursor: str | None = None,
        limit: int = 50,
    ) -> DocumentPage:
        return await self._database.run(
            lambda tx: list_documents(tx, org_id, filters, sort, cursor, limit), read=True, org=org_id
        )

    async def document(self, org_id: str, document_id: str) -> Document:
        return await self._database.run(
            lambda tx: get_document(tx, org_id, document_id), read=True, org=org_id
        )

    async def newest_version(self, org_id: str, document_id: str) -> Document:
        def read(tx: Transaction) -> Document:
            document = get_document(tx, org_id, document_id)
            described = versions.newest_described(tx, document_id, org_id)
            return replace(document, **cast("dict[str, Any]", described))

        return await self._database.run(read, read=True, org=org_id)

    async def versions(self, org_id: str, document_id: str) -> list[DocumentVersion]:
        def read(tx: Transaction) -> list[DocumentVersion]:
            get_document(tx, org_id, document_id)
            return versions.read_versions(tx, document_id, org_id)

        return await self._database.run(read, read=True, org=org_id)

    async def sha256_of_idempotency_key(self, org_id: str, key: str) -> str | None:
        used, stored = idempotency_keys.c, document_versions.c
        query = (
            select(func.coalesce(stored.sha256, _docs.sha256))
            .join(idempotency_keys, used.document_id == _docs.id)
            .outerjoin(document_versions, (stored.document_id == _docs.id) & (stored.number == used.version))
            .where(used.org_id == org_id, used.key == key)
        )
        return await self._database.run(
            lambda tx: row_conversion.text_or_none(tx.connection.execute(query).scalar()),
            read=True,
            org=org_id,
        )

    async def statuses(self, org_id: str, document_ids: Sequence[str], now: datetime) -> list[DocumentStatus]:
        return await self._database.run(
            lambda tx: read_statuses(tx, org_id, document_ids, self._stages, now), read=True, org=org_id
        )

    async def waiting_runs(self, org_id: str, run_ids: Sequence[str], now: datetime) -> Mapping[str, Waiting]:
        return await self._database.run(
            lambda tx: read_waiting_runs(tx, org_id, run_ids, now), read=True, org=org_id
        )

    async def markdown_key(self, org_id: str, document_id: str) -> str | None:
        return await self._text_result(org_id, document_id, "markdown")

    async def extraction_reference(self, org_id: str, document_id: str) -> str | None:
        return await self._text_result(org_id, document_id, "extraction")

    async def _text_result(self, org_id: str, document_id: str, name: str) -> str | None:
        """A value of the results of the published run's text stages; the last stage that has it counts."""

        def read(tx: Transaction) -> str | None:
            run_id = tx.connection.execute(
                select(_docs.published_run_id).where(_docs.id == get_document(tx, org_id, document_id).id)
            ).scalar()
            return versions.text_result(tx, document_id, None if run_id is None else str(run_id), name)

        return await self._database.run(read, read=True, org=org_id)

    async def speaker_names(self, org_id: str, document_id: str) -> SpeakerNames:
        return await self._database.run(
            lambda tx: read_speaker_names(tx, org_id, document_id), read=True, org=org_id
        )

    async def artifact(self, org_id: str, document_id: str, kind: str) -> Artifact | None:
        def read(tx: Transaction) -> Artifact | None:
            document = get_document(tx, org_id, document_id)
            return find_artifact(tx, document, kind)

        return await self._database.run(read, read=True)

    async def chunks(self, org_id: str, document_id: str, after: int, limit: int) -> list[Json]:
        c = chunks.c
        query = (
            select(c.id, c.ordinal, c.text, c.tokens, c.anchor, c.model)
            .where(c.org_id == org_id, c.document_id == document_id, c.ordinal > after)
            .order_by(c.ordinal)
            .limit(limit)
        )
        return await self._list_rows(org_id, document_id, query)

    async def fields(self, org_id: str, document_id: str) -> list[Json]:
        def read(tx: Transaction) -> list[Json]:
            get_document(tx, org_id, document_id)
            return read_fields(tx, org_id, [document_id])[document_id]

        return await self._database.run(read, read=True, org=org_id)

    async def connections(
        self, org_id: str, document_id: str, after: str | None, limit: int, kind: str | None = None
    ) -> list[ShownConnection]:
        def read(tx: Transaction) -> list[ShownConnection]:
            get_document(tx, org_id, document_id)
            return connection_queries.list_connections(tx, org_id, document_id, after, limit, kind)

        return await self._database.run(read, read=True, org=org_id)

    async def mark_connection(
        self, org_id: str, connection_id: str, *, pinned: bool | None, hidden: bool | None, now: datetime
    ) -> ShownConnection:
        def work(tx: Transaction) -> ShownConnection:
            connection_queries.mark_connection(tx, org_id, connection_id, pinned, hidden, now)
            return connection_queries.get_connection(tx, org_id, connection_id)

        return await self._database.run(work, org=org_id)

    async def _list_rows(self, org_id: str, document_id: str, query: Any) -> list[Json]:
        def read(tx: Transaction) -> list[Json]:
            get_document(tx, org_id, document_id)
            return [dict(row) for row in tx.connection.execute(query).mappings()]

        return await self._database.run(read, read=True, org=org_id)

    async def costs(self, org_id: str, document_id: str) -> Costs:
        def read(tx: Transaction) -> Costs:
            get_document(tx, org_id, document_id)
            return read_costs(tx, org_id, document_id)

        return await self._database.run(read, read=True, org=org_id)

    async def lookup(self, org_id: str, text: str, limit: int) -> list[Match]:
        return await self._database.run(lambda tx: lookup(tx, org_id, text, limit), read=True, org=org_id)

    async def document_names(self, org_id: str, document_ids: Collection[str]) -> Mapping[str, str]:
        query = select(_docs.id, _docs.name).where(_docs.org_id == org_id, _docs.id.in_(document_ids))
        return await self._database.run(
            lambda tx: {str(row.id): row.name for row in tx.connection.execute(query)}, read=True, org=org_id
        )

    async def jobs(
        self, org_id: str, *, status: str | None, stage: str | None, after: str | None, limit: int
    ) -> list[Job]:
        query = (
            select(document_processing_jobs)
            .where(_jobs.org_id == org_id)
            .order_by(_jobs.id.desc())
            .limit(limit)
        )
        if status is not None:
            query = query.where(_jobs.status == status)
        if stage is not None:
            query = query.where(_jobs.stage == stage)
        if after is not None:
            query = query.where(_jobs.id < after)
        return await self._database.run(
            lambda tx: [row_conversion.job(row) for row in tx.connection.execute(query)],
            read=True,
            org=org_id,
        )

    async def list_runs(self, org_id: str, wanted: RunFilter, limit: int) -> list[dict[str, Any]]:
        return await self._database.run(
            lambda tx: list_runs(tx, org_id, wanted, limit), read=True, org=org_id
        )

    async def operations_history(self, org_id: str, now: datetime) -> OperationsHistory:
        return await self._database.run(lambda tx: operations_history(tx, org_id, now), read=True, org=org_id)

    async def library_activity(self, org_id: str) -> LibraryActivity:
        return await self._database.run(lambda tx: library_activity(tx, org_id), read=True, org=org_id)

    async def overview(self, org_id: str | None, now: datetime) -> Overview:
        return await self._database.run(lambda tx: overview(tx, org_id, now), read=True, org=org_id)

    async def hourly_metrics(self, org_id: str | None, now: datetime) -> HourlyMetrics:
        return await self._database.run(lambda tx: hourly_metrics(tx, org_id, now), read=True, org=org_id)

    async def links(self, org_id: str, document_id: str) -> DocumentLinks:
        def read(tx: Transaction) -> DocumentLinks:
            get_document(tx, org_id, document_id)
            return DocumentLinks(
                parents_and_children.parents(tx, org_id, document_id),
                parents_and_children.children(tx, org_id, document_id),
            )

        return await self._database.run(read, read=True, org=org_id)

    async def stored_bytes(self, org_id: str) -> int:
        c = document_versions.c
        # The row of a document with versions describes one of them.
        has_versions = exists().where(c.document_id == _docs.id)
        queries = (
            select(func.sum(_docs.size)).where(_docs.org_id == org_id, ~has_versions),
            select(func.sum(c.size)).where(c.org_id == org_id),
        )
        return await self._database.run(
            lambda tx: sum(int(tx.connection.execute(query).scalar() or 0) for query in queries),
            read=True,
            org=org_id,
        )

    async def delete(self, org_id: str, document_id: str, actor: Actor, now: datetime) -> list[str]:
        return await self._database.run(
            lambda tx: parents_and_children.delete_with_children(tx, org_id, document_id, actor, now),
            org=org_id,
        )

    async def blob_keys(self) -> set[str]:
        def read(tx: Transaction) -> set[str]:
            answers = select(provider_calls.c.answer_artifact).where(
                provider_calls.c.answer_artifact.is_not(None)
            )
            of_versions = document_versions.c.blob_key
            queries = (
                select(_docs.blob_key).where(_docs.blob_key != ""),
                select(of_versions).where(of_versions != ""),
                select(artifacts.c.key),
                answers,
            )
            return {str(key) for query in queries for key in tx.connection.execute(query).scalars()}

        return await self._database.run(read, read=True)
