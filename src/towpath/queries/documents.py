"""Queries about documents on either engine: SQLAlchemy, always inside one organization."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, func, or_, select

from towpath.errors import UserError
from towpath.ledger.columns import to_json, to_text
from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import (
    artifacts,
    chunks,
    document_fields,
    document_processing_jobs,
    documents,
    idempotency_keys,
    processing_runs,
    provider_calls,
    run_events,
)
from towpath.ledger.verbs import rows
from towpath.ledger.verbs.queue_run import lock_document
from towpath.model.document import Artifact, Document
from towpath.model.job import Job
from towpath.model.json_types import Json
from towpath.queries import connections as connection_queries
from towpath.queries.contract import (
    Costs,
    DocumentPage,
    DocumentStatus,
    HourlyMetrics,
    Match,
    Overview,
    ShownConnection,
)
from towpath.queries.costs import read_costs
from towpath.queries.document_rows import get_document, to_document
from towpath.queries.lookup import lookup
from towpath.queries.metrics import hourly_metrics
from towpath.queries.overview import overview
from towpath.queries.statuses import read_statuses, read_waiting_runs
from towpath.queries.waiting import Waiting

_jobs = document_processing_jobs.c
_docs = documents.c
#: Stages whose result has the key of the markdown text.
_TEXT_STAGES = ("save_markdown", "transcribe_poll")


class SqlDocumentQueries:
    """Implements `DocumentQueries` with SQLAlchemy for SQLite and Postgres."""

    def __init__(self, database: Database, stages: Mapping[str, tuple[str, ...]]) -> None:
        self._database = database
        self._stages = stages

    async def documents(
        self,
        org_id: str,
        *,
        status: str | None = None,
        kind: str | None = None,
        q: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> DocumentPage:
        conditions = [_docs.org_id == org_id]
        if status is not None:
            conditions.append(_docs.status == status)
        if kind is not None:
            conditions.append(_docs.kind == kind)
        if q:
            conditions.append(_docs.name.icontains(q, autoescape=True))
        query = (
            select(documents)
            .where(*conditions)
            .order_by(_docs.created_at.desc(), _docs.id.desc())
            .limit(limit + 1)
        )
        if cursor is not None:
            created_at, last_id = _parse_cursor(cursor)
            query = query.where(
                or_(_docs.created_at < created_at, and_(_docs.created_at == created_at, _docs.id < last_id))
            )

        def read(tx: Transaction) -> DocumentPage:
            page = [to_document(row) for row in tx.connection.execute(query)]
            total = tx.connection.execute(
                select(func.count()).select_from(documents).where(*conditions)
            ).scalar_one()
            next_cursor = _cursor(page[limit - 1]) if len(page) > limit else None
            return DocumentPage(page[:limit], next_cursor, total)

        return await self._database.run(read, read=True, org=org_id)

    async def document(self, org_id: str, document_id: str) -> Document:
        return await self._database.run(
            lambda tx: get_document(tx, org_id, document_id), read=True, org=org_id
        )

    async def by_idempotency_key(self, org_id: str, key: str) -> Document | None:
        query = (
            select(documents)
            .join(idempotency_keys, idempotency_keys.c.document_id == _docs.id)
            .where(idempotency_keys.c.org_id == org_id, idempotency_keys.c.key == key)
        )
        row = await self._database.run(
            lambda tx: tx.connection.execute(query).one_or_none(), read=True, org=org_id
        )
        return None if row is None else to_document(row)

    async def statuses(self, org_id: str, document_ids: Sequence[str], now: datetime) -> list[DocumentStatus]:
        return await self._database.run(
            lambda tx: read_statuses(tx, org_id, document_ids, self._stages, now), read=True, org=org_id
        )

    async def waiting_runs(self, org_id: str, run_ids: Sequence[str], now: datetime) -> Mapping[str, Waiting]:
        return await self._database.run(
            lambda tx: read_waiting_runs(tx, org_id, run_ids, now), read=True, org=org_id
        )

    async def markdown_key(self, org_id: str, document_id: str) -> str | None:
        def read(tx: Transaction) -> str | None:
            run_id = tx.connection.execute(
                select(_docs.published_run_id).where(_docs.id == get_document(tx, org_id, document_id).id)
            ).scalar()
            result = tx.connection.execute(
                select(_jobs.result).where(
                    _jobs.document_id == document_id, _jobs.run_id == run_id, _jobs.stage.in_(_TEXT_STAGES)
                )
            ).scalar()
            return None if result is None else rows.text_or_none(to_json(result).get("markdown"))

        return await self._database.run(read, read=True, org=org_id)

    async def artifact(self, org_id: str, document_id: str, kind: str) -> Artifact | None:
        c = artifacts.c
        query = (
            select(c.kind, c.key, c.media_type, c.size, c.sha256)
            .where(c.org_id == org_id, c.document_id == document_id, c.kind == kind)
            .order_by(c.created_at.desc(), c.id.desc())
            .limit(1)
        )

        def read(tx: Transaction) -> Artifact | None:
            get_document(tx, org_id, document_id)
            row = tx.connection.execute(query).one_or_none()
            return None if row is None else Artifact(*row)

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
        c = document_fields.c
        query = (
            select(c.name, c.value, c.kind, c.confidence, c.anchor)
            .where(c.org_id == org_id, c.document_id == document_id)
            .order_by(c.id)
        )
        return await self._list_rows(org_id, document_id, query)

    async def connections(
        self, org_id: str, document_id: str, after: str | None, limit: int
    ) -> list[ShownConnection]:
        def read(tx: Transaction) -> list[ShownConnection]:
            get_document(tx, org_id, document_id)
            return connection_queries.list_connections(tx, org_id, document_id, after, limit)

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
            lambda tx: [rows.job(row) for row in tx.connection.execute(query)], read=True, org=org_id
        )

    async def overview(self, org_id: str | None, now: datetime) -> Overview:
        return await self._database.run(lambda tx: overview(tx, org_id, now), read=True, org=org_id)

    async def hourly_metrics(self, now: datetime) -> HourlyMetrics:
        return await self._database.run(lambda tx: hourly_metrics(tx, now), read=True)

    async def delete(self, org_id: str, document_id: str) -> list[str]:
        def work(tx: Transaction) -> list[str]:
            lock_document(tx, document_id, org_id)
            document = get_document(tx, org_id, document_id)
            artifact_keys = select(artifacts.c.key).where(artifacts.c.document_id == document_id)
            original = [document.blob_key] if document.blob_key else []
            keys = [*original, *(str(key) for key in tx.connection.execute(artifact_keys).scalars())]
            runs = select(processing_runs.c.id).where(processing_runs.c.document_id == document_id)
            tx.connection.execute(delete(run_events).where(run_events.c.run_id.in_(runs)))
            tx.connection.execute(delete(documents).where(_docs.id == document_id))
            return keys

        return await self._database.run(work, org=org_id)

    async def blob_keys(self) -> set[str]:
        def read(tx: Transaction) -> set[str]:
            answers = select(provider_calls.c.answer_artifact).where(
                provider_calls.c.answer_artifact.is_not(None)
            )
            queries = (select(_docs.blob_key).where(_docs.blob_key != ""), select(artifacts.c.key), answers)
            return {str(key) for query in queries for key in tx.connection.execute(query).scalars()}

        return await self._database.run(read, read=True)


def _cursor(last: Document) -> str:
    return base64.urlsafe_b64encode(json.dumps([to_text(last.created_at), last.id]).encode()).decode()


def _parse_cursor(cursor: str) -> tuple[datetime, str]:
    try:
        created_at, last_id = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        return datetime.fromisoformat(created_at), str(last_id)
    except (ValueError, TypeError) as error:
        raise UserError("The cursor is invalid. Repeat the request without it.") from error
