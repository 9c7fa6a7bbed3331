"""Lists the connections of a document with both texts, and stores pins and hides."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, cast

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    and_,
    func,
    insert,
    or_,
    select,
    union_all,
    update,
)

from towpath.errors import NotFound
from towpath.ledger.columns import dump, to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks, connection_marks, connections, documents
from towpath.model.page_unit import with_page_unit
from towpath.queries.contract import ConnectionSide, ShownConnection

#: A connection is shown if it ranks among the best of both of its chunks: a passage that is similar to everything
#: is the best of none. The others are stored as replacements. Editions are always shown.
SHOWN_PER_CHUNK = 4

_c = connections.c
_COLUMNS = ("id", "score", "kind", "similarity", "shared_terms", "shared_identifiers", "pinned", "hidden")


def list_connections(
    tx: Transaction, org_id: str, document_id: str, after: str | None, limit: int, kind: str | None = None
) -> list[ShownConnection]:
    """Pinned connections first, then by score. Hidden ones are included, so that they can be restored."""
    ranked = _ranked(org_id, document_id).cte("ranked")
    this, other = chunks.alias("this"), chunks.alias("other")
    r = ranked.c
    query = (
        select(
            *(r[name] for name in _COLUMNS),
            *_side_columns(this, other),
        )
        .join_from(ranked, this, this.c.id == r.this_id)
        .join(other, other.c.id == r.other_id)
        .join(documents, documents.c.id == other.c.document_id)
        .where(
            or_(
                and_(r.rank <= SHOWN_PER_CHUNK, _better_on_other_side(r) < SHOWN_PER_CHUNK),
                r.kind == "edition",
                r.pinned,
                r.hidden,
            )
        )
        .order_by(r.pinned.desc(), r.score.desc(), r.id)
        .limit(limit)
    )
    if kind is not None:
        query = query.where(r.kind == kind)
    if after is not None:
        last = tx.connection.execute(
            select(_c.pinned, _c.score).where(_c.id == after, _c.org_id == org_id)
        ).one_or_none()
        if last is None:
            raise NotFound("The connection to continue after is gone. Start again without `after`.")
        later = or_(r.score < last.score, and_(r.score == last.score, r.id > after))
        query = query.where(or_(~r.pinned, later) if last.pinned else and_(~r.pinned, later))
    return [_shown(row) for row in tx.connection.execute(query)]


def _ranked(org_id: str, document_id: str) -> Select[Any]:
    """Every connection of the document, with its rank among those of its chunk, hidden ones last."""
    sides = (
        (_c.a_chunk_id, _c.a_document_id, _c.b_chunk_id),
        (_c.b_chunk_id, _c.b_document_id, _c.a_chunk_id),
    )
    document_connections = union_all(
        *(
            select(
                *(_c[name] for name in _COLUMNS),
                this.label("this_id"),
                other.label("other_id"),
            ).where(document == document_id, _c.org_id == org_id)
            for this, document, other in sides
        )
    ).subquery("document_connections")
    m = document_connections.c
    rank = func.row_number().over(partition_by=m.this_id, order_by=(m.hidden, m.score.desc(), m.id))
    return select(document_connections, rank.label("rank"))


def _better_on_other_side(r: Any) -> Any:
    """The number of better connections of the other chunk that are not hidden."""
    other_connections = connections.alias("other_connections")
    o = other_connections.c
    better = or_(o.score > r.score, and_(o.score == r.score, o.id < r.id))
    counted = [
        select(func.count())
        .select_from(other_connections)
        .where(side == r.other_id, ~o.hidden, better)
        .scalar_subquery()
        for side in (o.a_chunk_id, o.b_chunk_id)
    ]
    return counted[0] + counted[1]


def mark_connection(
    tx: Transaction, org_id: str, connection_id: str, pinned: bool | None, hidden: bool | None, now: datetime
) -> None:
    """Stores a pin or hide with the texts of both chunks, so that it survives reprocessing."""
    query = select(connections).where(_c.id == connection_id, _c.org_id == org_id)
    row = tx.connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(f"There is no connection {connection_id} here.")
    # Lock the documents first, like every verb that removes chunks, to avoid deadlocks.
    both = sorted((str(row.a_document_id), str(row.b_document_id)))
    tx.run("lock_documents", documents=dump(both), org_id=org_id)
    row = tx.connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(f"There is no connection {connection_id} here.")
    decided = {
        "pinned": row.pinned if pinned is None else pinned,
        "hidden": row.hidden if hidden is None else hidden,
    }
    tx.connection.execute(update(connections).where(_c.id == connection_id).values(**decided))
    marks = connection_marks.c
    known = tx.connection.execute(
        update(connection_marks).where(marks.id == connection_id).values(**decided, updated_at=now)
    )
    if known.rowcount == 0:
        texts = {
            str(row.id): row.text
            for row in tx.connection.execute(
                select(chunks.c.id, chunks.c.text).where(chunks.c.id.in_([row.a_chunk_id, row.b_chunk_id]))
            )
        }
        tx.connection.execute(
            insert(connection_marks).values(
                id=connection_id,
                org_id=org_id,
                a_document_id=row.a_document_id,
                b_document_id=row.b_document_id,
                a_chunk_id=row.a_chunk_id,
                b_chunk_id=row.b_chunk_id,
                a_text=texts[str(row.a_chunk_id)],
                b_text=texts[str(row.b_chunk_id)],
                updated_at=now,
                **decided,
            )
        )


def get_connection(tx: Transaction, org_id: str, connection_id: str) -> ShownConnection:
    """A connection as seen from the document with the smaller chunk id."""
    this, other = chunks.alias("this"), chunks.alias("other")
    query = (
        select(
            *(_c[name] for name in _COLUMNS),
            *_side_columns(this, other),
        )
        .join_from(connections, this, this.c.id == _c.a_chunk_id)
        .join(other, other.c.id == _c.b_chunk_id)
        .join(documents, documents.c.id == other.c.document_id)
        .where(_c.id == connection_id, _c.org_id == org_id)
    )
    row = tx.connection.execute(query).one_or_none()
    if row is None:
        raise NotFound(f"There is no connection {connection_id} here.")
    return _shown(row)


def _side_columns(this: FromClause, other: FromClause) -> list[ColumnElement[Any]]:
    """The columns of both chunks, and the name and media type of the other document."""
    sides = (("this", this), ("other", other))
    columns = [
        side.c[column].label(f"{name}_{column}")
        for name, side in sides
        for column in ("id", "document_id", "text", "anchor")
    ]
    return [*columns, documents.c.name, documents.c.media_type]


def _shown(row: Any) -> ShownConnection:
    return ShownConnection(
        str(row.id),
        row.score,
        row.kind,
        row.similarity,
        _strings(row.shared_terms),
        _strings(row.shared_identifiers),
        bool(row.pinned),
        bool(row.hidden),
        ConnectionSide(str(row.this_document_id), str(row.this_id), row.this_text, to_json(row.this_anchor)),
        ConnectionSide(
            str(row.other_document_id),
            str(row.other_id),
            row.other_text,
            with_page_unit(to_json(row.other_anchor), row.media_type),
            row.name,
        ),
    )


def _strings(value: object) -> tuple[str, ...]:
    """A JSON list as either engine returns it from a union."""
    loaded = json.loads(value) if isinstance(value, str) else value
    return tuple(cast("list[str]", loaded))
