"""Finds documents, runs and jobs by the beginning of their id, and documents by their name."""

from __future__ import annotations

import re
import uuid

from sqlalchemy import ColumnElement, and_, func, or_, select

from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, documents, processing_runs
from towpath.queries.contract import Match

#: Shorter texts are not taken for the beginning of an id.
_HEX = re.compile(r"[0-9a-f]{4,32}")


def lookup(tx: Transaction, org_id: str, text: str, limit: int) -> list[Match]:
    """Documents first, then runs, then jobs; at most ``limit`` of each."""
    id_range = _id_range(text)
    docs, runs, jobs = documents.c, processing_runs.c, document_processing_jobs.c
    names = or_(docs.name == text, func.lower(docs.name) == text.lower())
    matching = names if id_range is None else or_(names, _between(docs.id, id_range))
    query = select(docs.id, docs.name).where(docs.org_id == org_id, matching).order_by(docs.id).limit(limit)
    matches = [Match("document", str(row.id), str(row.id), row.name) for row in tx.connection.execute(query)]
    if id_range is None:
        return matches
    for kind, table in (("run", runs), ("job", jobs)):
        query = (
            select(table.id, table.document_id, docs.name)
            .join(documents, docs.id == table.document_id)
            .where(table.org_id == org_id, _between(table.id, id_range))
            .order_by(table.id)
            .limit(limit)
        )
        matches += [
            Match(kind, str(row.id), str(row.document_id), row.name) for row in tx.connection.execute(query)
        ]
    return matches


def _id_range(text: str) -> tuple[str, str] | None:
    """The lowest and the highest id that begins with the text; None if no id does."""
    digits = text.strip().lower().replace("-", "")
    if not _HEX.fullmatch(digits):
        return None
    return str(uuid.UUID(digits.ljust(32, "0"))), str(uuid.UUID(digits.ljust(32, "f")))


def _between(column: ColumnElement[str], id_range: tuple[str, str]) -> ColumnElement[bool]:
    return and_(column >= id_range[0], column <= id_range[1])
