"""The catalogue on either engine: ordinary SQLAlchemy, always inside one organization."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, and_, delete, func, or_, select

from towpath.catalogue import connections as connecting
from towpath.catalogue.contract import (
    Artifact,
    Costs,
    Document,
    DocumentPage,
    DocumentStatus,
    Figures,
    Overview,
    ShownConnection,
)
from towpath.catalogue.figures import figures
from towpath.catalogue.ladder import status_of
from towpath.catalogue.overview import overview
from towpath.errors import NotFound, UserError
from towpath.ledger.columns import to_instant, to_json, to_text
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
from towpath.ledger.verbs import reads, rows
from towpath.ledger.verbs.submit import hold_document
from towpath.model.work import Job, Json

_jobs = document_processing_jobs.c
_docs = documents.c
#: Stages that leave the text of a document or of a call behind.
_WRITING = ("save_markdown", "transcribe_poll")


class SqlCatalogue:
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
        wanted = [_docs.org_id == org_id]
        if status is not None:
            wanted.append(_docs.status == status)
        if kind is not None:
            wanted.append(_docs.kind == kind)
        if q:
            wanted.append(_docs.name.icontains(q, autoescape=True))
        query = (
            select(documents)
            .where(*wanted)
            .order_by(_docs.created_at.desc(), _docs.id.desc())
            .limit(limit + 1)
        )
        if cursor is not None:
            at, last = _open_cursor(cursor)
            query = query.where(or_(_docs.created_at < at, and_(_docs.created_at == at, _docs.id < last)))

        def read(tx: Transaction) -> DocumentPage:
            found = [_document(row) for row in tx.connection.execute(query)]
            total = tx.connection.execute(
                select(func.count()).select_from(documents).where(*wanted)
            ).scalar_one()
            following = _cursor(found[limit - 1]) if len(found) > limit else None
            return DocumentPage(found[:limit], following, total)

        return await self._database.run(read, read=True, org=org_id)

    async def document(self, org_id: str, document_id: str) -> Document:
        return await self._database.run(lambda tx: _one(tx, org_id, document_id), read=True, org=org_id)

    async def by_idempotency_key(self, org_id: str, key: str) -> Document | None:
        query = (
            select(documents)
            .join(idempotency_keys, idempotency_keys.c.document_id == _docs.id)
            .where(idempotency_keys.c.org_id == org_id, idempotency_keys.c.key == key)
        )
        found = await self._database.run(
            lambda tx: tx.connection.execute(query).one_or_none(), read=True, org=org_id
        )
        return None if found is None else _document(found)

    async def statuses(self, org_id: str, document_ids: Sequence[str], now: datetime) -> list[DocumentStatus]:
        def read(tx: Transaction) -> list[DocumentStatus]:
            query = select(documents).where(_docs.org_id == org_id, _docs.id.in_(document_ids))
            found = {str(row.id): _document(row) for row in tx.connection.execute(query)}
            return [self._status(tx, found[one], now) for one in document_ids if one in found]

        return await self._database.run(read, read=True, org=org_id)

    def _status(self, tx: Transaction, document: Document, now: datetime) -> DocumentStatus:
        runs = reads.runs(tx, document.id, document.org_id)
        # The run that matters is the one going on, else the next in line, else the last that ended.
        going = [run for run in runs if run.state == "RUNNING"] or [
            run for run in runs if run.state == "QUEUED"
        ]
        run = going[0] if going else (runs[-1] if runs else None)
        jobs = reads.jobs(tx, run.id, document.org_id) if run else []
        return status_of(document, run, jobs, self._stages, now)

    async def markdown_key(self, org_id: str, document_id: str) -> str | None:
        def read(tx: Transaction) -> str | None:
            run_id = tx.connection.execute(
                select(_docs.published_run_id).where(_docs.id == _one(tx, org_id, document_id).id)
            ).scalar()
            saved = tx.connection.execute(
                select(_jobs.result).where(
                    _jobs.document_id == document_id, _jobs.run_id == run_id, _jobs.stage.in_(_WRITING)
                )
            ).scalar()
            return None if saved is None else rows.text_or_none(to_json(saved).get("markdown"))

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
            _one(tx, org_id, document_id)
            found = tx.connection.execute(query).one_or_none()
            return None if found is None else Artifact(*found)

        return await self._database.run(read, read=True)

    async def chunks(self, org_id: str, document_id: str, after: int, limit: int) -> list[Json]:
        c = chunks.c
        query = (
            select(c.id, c.ordinal, c.text, c.tokens, c.anchor, c.model)
            .where(c.org_id == org_id, c.document_id == document_id, c.ordinal > after)
            .order_by(c.ordinal)
            .limit(limit)
        )
        return await self._listed(org_id, document_id, query)

    async def fields(self, org_id: str, document_id: str) -> list[Json]:
        c = document_fields.c
        query = (
            select(c.name, c.value, c.kind, c.confidence, c.anchor)
            .where(c.org_id == org_id, c.document_id == document_id)
            .order_by(c.id)
        )
        return await self._listed(org_id, document_id, query)

    async def connections(
        self, org_id: str, document_id: str, after: str | None, limit: int
    ) -> list[ShownConnection]:
        def read(tx: Transaction) -> list[ShownConnection]:
            _one(tx, org_id, document_id)
            return connecting.listed(tx, org_id, document_id, after, limit)

        return await self._database.run(read, read=True, org=org_id)

    async def mark_connection(
        self, org_id: str, connection_id: str, *, pinned: bool | None, hidden: bool | None, now: datetime
    ) -> ShownConnection:
        def work(tx: Transaction) -> ShownConnection:
            connecting.mark(tx, org_id, connection_id, pinned, hidden, now)
            return connecting.one(tx, org_id, connection_id)

        return await self._database.run(work, org=org_id)

    async def _listed(self, org_id: str, document_id: str, query: Any) -> list[Json]:
        def read(tx: Transaction) -> list[Json]:
            _one(tx, org_id, document_id)
            return [dict(row) for row in tx.connection.execute(query).mappings()]

        return await self._database.run(read, read=True, org=org_id)

    async def costs(self, org_id: str, document_id: str) -> Costs:
        def read(tx: Transaction) -> Costs:
            _one(tx, org_id, document_id)
            made = provider_calls.c
            query = select(provider_calls).where(made.org_id == org_id, made.document_id == document_id)
            by_provider: dict[tuple[str, str], dict[str, Any]] = {}
            units: dict[str, float] = {}
            reopened = 0
            for call in tx.connection.execute(query):
                group = by_provider.setdefault(
                    (call.provider, call.model),
                    {"provider": call.provider, "model": call.model, "calls": 0, "cost": 0.0},
                )
                group["calls"] += call.status == "ANSWERED"
                group["cost"] += call.cost
                reopened += call.reopened
                for unit, amount in to_json(call.units).items():
                    units[unit] = units.get(unit, 0.0) + float(str(amount))
            groups = [by_provider[key] for key in sorted(by_provider)]
            cost, calls = sum(group["cost"] for group in groups), sum(group["calls"] for group in groups)
            return Costs(cost, calls, _reused(tx, document_id), reopened, units, groups)

        return await self._database.run(read, read=True, org=org_id)

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

    async def figures(self, now: datetime) -> Figures:
        return await self._database.run(lambda tx: figures(tx, now), read=True)

    async def delete(self, org_id: str, document_id: str) -> list[str]:
        def work(tx: Transaction) -> list[str]:
            hold_document(tx, document_id, org_id)
            document = _one(tx, org_id, document_id)
            kept = select(artifacts.c.key).where(artifacts.c.document_id == document_id)
            original = [document.blob_key] if document.blob_key else []
            keys = [*original, *(str(key) for key in tx.connection.execute(kept).scalars())]
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


def _one(tx: Transaction, org_id: str, document_id: str) -> Document:
    found = tx.connection.execute(
        select(documents).where(_docs.org_id == org_id, _docs.id == document_id)
    ).one_or_none()
    if found is None:
        raise NotFound(f"There is no document {document_id} here.")
    return _document(found)


def _document(row: Row[Any]) -> Document:
    return Document(
        id=str(row.id),
        org_id=str(row.org_id),
        kind=row.kind,
        name=row.name,
        media_type=row.media_type,
        size=row.size,
        sha256=row.sha256,
        blob_key=row.blob_key,
        status=row.status,
        searchable=row.published_run_id is not None,
        summary=to_json(row.summary),
        created_at=to_instant(row.created_at),
        updated_at=to_instant(row.updated_at),
    )


def _reused(tx: Transaction, document_id: str) -> int:
    """Answers that this document's stages were given for free, over all its runs."""
    query = select(_jobs.result).where(_jobs.document_id == document_id, _jobs.result.is_not(None))
    query = query.where(_jobs.reused_from.is_(None))
    total = 0
    for result in tx.connection.execute(query).scalars():
        calls = to_json(result).get("calls")
        total += int(calls["reused"]) if isinstance(calls, dict) else 0  # pyright: ignore[reportUnknownArgumentType]  (written by the worker)
    return total


def _cursor(last: Document) -> str:
    return base64.urlsafe_b64encode(json.dumps([to_text(last.created_at), last.id]).encode()).decode()


def _open_cursor(cursor: str) -> tuple[datetime, str]:
    try:
        at, last = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        return datetime.fromisoformat(at), str(last)
    except (ValueError, TypeError) as error:
        raise UserError("The cursor is not one this server gave. Start again without it.") from error
