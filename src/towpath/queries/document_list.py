"""Lists documents: filtered, in a chosen order, page by page. A cursor names the last row of its page."""

from __future__ import annotations

import base64
import json
import uuid
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, or_, select

from towpath.errors import UserError
from towpath.ledger.columns import to_instant, to_text
from towpath.ledger.database import Transaction
from towpath.ledger.document_filters import NameInLowerCase, conditions, matching_count, tag_conditions
from towpath.ledger.tables import document_tags, documents
from towpath.model.document_filters import Filters
from towpath.queries.contract import DocumentPage, Sort
from towpath.queries.document_rows import to_document, with_tags

_docs = documents.c
_tags = document_tags.c


def list_documents(
    tx: Transaction, org_id: str, filters: Filters, sort: Sort, cursor: str | None, limit: int
) -> DocumentPage:
    descending, order = sort.startswith("-"), sort.lstrip("-")
    key, last_id, query = _base_query(org_id, filters, order)
    keys = (key.desc(), last_id.desc()) if descending else (key.asc(), last_id.asc())
    # Among documents of one status the newest is first.
    if order == "status":
        created = _docs.created_at.desc()
        keys = (keys[0], created, _docs.id.desc())
    query = query.order_by(*keys).limit(limit + 1)
    if cursor is not None:
        query = query.where(_after(order, descending, key, last_id, _parse_cursor(cursor, sort)))
    found = tx.connection.execute(query.add_columns(key.label("sort_key"))).all()
    page = with_tags(tx, org_id, [to_document(row) for row in found[:limit]])
    total = tx.connection.execute(matching_count(org_id, filters)).scalar_one()
    next_cursor = None
    if len(found) > limit:
        last = found[limit - 1]
        next_cursor = _cursor(sort, last.sort_key, to_instant(last.created_at), str(last.id))
    return DocumentPage(page, next_cursor, total)


def _base_query(
    org_id: str, filters: Filters, order: str
) -> tuple[ColumnElement[Any], ColumnElement[Any], Select[Any]]:
    """The sort key, the id and the query. The newest documents with a tag are read from the index of tags in order."""
    if order == "created" and filters.tags:
        query = (
            select(documents)
            .join(document_tags, _tags.document_id == _docs.id)
            .where(*tag_conditions(org_id, filters.tags[0], filters))
            .where(*conditions(org_id, filters, without_first_tag=True))
        )
        return _tags.document_created_at, _tags.document_id, query
    query = select(documents).where(_docs.org_id == org_id, *conditions(org_id, filters))
    key: dict[str, ColumnElement[Any]] = {
        "created": _docs.created_at,
        "name": NameInLowerCase(),
        "size": _docs.size,
        "status": _docs.status,
    }
    return key[order], _docs.id, query


def _after(
    order: str,
    descending: bool,
    key: ColumnElement[Any],
    last_id: ColumnElement[Any],
    last: tuple[Any, datetime, str],
) -> ColumnElement[bool]:
    value, created_at, document_id = last
    if order == "created":
        value = created_at
    beyond = key < value if descending else key > value
    if order == "status":
        older = or_(
            _docs.created_at < created_at,
            and_(_docs.created_at == created_at, _docs.id < document_id),
        )
        return or_(beyond, and_(key == value, older))
    return or_(beyond, and_(key == value, last_id < document_id if descending else last_id > document_id))


def _cursor(sort: Sort, key: object, created_at: datetime, document_id: str) -> str:
    value = None if isinstance(key, datetime) or sort.endswith("created") else key
    fields = [sort, value, to_text(created_at), document_id]
    return base64.urlsafe_b64encode(json.dumps(fields).encode()).decode()


def _parse_cursor(cursor: str, sort: Sort) -> tuple[Any, datetime, str]:
    try:
        of_sort, value, created_at, last_id = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        if of_sort != sort or not _fits(sort, value):
            raise ValueError("The cursor belongs to another order.")
        # Both engines fail on a time without a zone, a year that UTC cannot hold, and an id that is none.
        return value, datetime.fromisoformat(created_at).astimezone(UTC), str(uuid.UUID(last_id))
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise UserError("The cursor is invalid. Repeat the request without it.") from error


def _fits(sort: Sort, value: object) -> bool:
    match sort.lstrip("-"):
        case "created":
            return value is None
        case "size":
            return type(value) is int and abs(value) < 2**63
        case _:
            return isinstance(value, str) and "\x00" not in value and value.isprintable()
