"""Connections as people see them: both passages side by side, and what they decided about them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    and_,
    case,
    func,
    insert,
    or_,
    select,
    union_all,
    update,
)

from towpath.catalogue.contract import ConnectionSide, ShownConnection
from towpath.errors import NotFound
from towpath.ledger.columns import dump, to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks, connection_marks, connections, documents

#: A connection is shown that is among so many best of both its passages; the others that are stored step in when
#: one of these goes. Copies are what they are; of passages on one topic, the fourth best is right too seldom.
COPIES_SHOWN = 5
TOPICS_SHOWN = 3

_c = connections.c
_TOLD = ("id", "score", "kind", "reason", "pinned", "hidden")


def listed(
    tx: Transaction, org_id: str, document_id: str, after: str | None, limit: int
) -> list[ShownConnection]:
    """Pinned ones first, then the closest; those of hidden ones that a person may want back among them."""
    ranked = _ranked(org_id, document_id).cte("ranked")
    here, there = chunks.alias("here"), chunks.alias("there")
    r = ranked.c
    most = case((r.kind == "same_passage", COPIES_SHOWN), else_=TOPICS_SHOWN)
    query = (
        select(
            *(r[name] for name in _TOLD),
            *_passages(here, there),
        )
        .join_from(ranked, here, here.c.id == r.here_id)
        .join(there, there.c.id == r.there_id)
        .join(documents, documents.c.id == there.c.document_id)
        .where(or_(and_(r.place <= most, _better_there(r) < most), r.pinned, r.hidden))
        .order_by(r.pinned.desc(), r.score.desc(), r.id)
        .limit(limit)
    )
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
    """Every connection of the document seen from it, and its place among those of its passage, hidden ones last."""
    sides = (
        (_c.a_chunk_id, _c.a_document_id, _c.b_chunk_id),
        (_c.b_chunk_id, _c.b_document_id, _c.a_chunk_id),
    )
    mine = union_all(
        *(
            select(
                *(_c[name] for name in _TOLD),
                here.label("here_id"),
                there.label("there_id"),
            ).where(document == document_id, _c.org_id == org_id)
            for here, document, there in sides
        )
    ).subquery("mine")
    m = mine.c
    place = func.row_number().over(partition_by=m.here_id, order_by=(m.hidden, m.score.desc(), m.id))
    return select(mine, place.label("place"))


def _better_there(r: Any) -> Any:
    """How many better ones the other passage has that are not hidden: what is shown is among the best of both."""
    other = connections.alias("other")
    o = other.c
    better = or_(o.score > r.score, and_(o.score == r.score, o.id < r.id))
    counted = [
        select(func.count()).select_from(other).where(side == r.there_id, ~o.hidden, better).scalar_subquery()
        for side in (o.a_chunk_id, o.b_chunk_id)
    ]
    return counted[0] + counted[1]


def mark(
    tx: Transaction, org_id: str, connection_id: str, pinned: bool | None, hidden: bool | None, now: datetime
) -> None:
    """Note what a person decided, with the passages they saw, so that it outlives a new processing."""
    query = select(connections).where(_c.id == connection_id, _c.org_id == org_id)
    found = tx.connection.execute(query).one_or_none()
    if found is None:
        raise NotFound(f"There is no connection {connection_id} here.")
    # The documents first, as whoever removes a chunk takes them first: no two can wait for each other.
    both = sorted((str(found.a_document_id), str(found.b_document_id)))
    tx.run("hold_documents", documents=dump(both), org_id=org_id)
    found = tx.connection.execute(query).one_or_none()
    if found is None:
        raise NotFound(f"There is no connection {connection_id} here.")
    decided = {
        "pinned": found.pinned if pinned is None else pinned,
        "hidden": found.hidden if hidden is None else hidden,
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
                select(chunks.c.id, chunks.c.text).where(
                    chunks.c.id.in_([found.a_chunk_id, found.b_chunk_id])
                )
            )
        }
        tx.connection.execute(
            insert(connection_marks).values(
                id=connection_id,
                org_id=org_id,
                a_document_id=found.a_document_id,
                b_document_id=found.b_document_id,
                a_chunk_id=found.a_chunk_id,
                b_chunk_id=found.b_chunk_id,
                a_text=texts[str(found.a_chunk_id)],
                b_text=texts[str(found.b_chunk_id)],
                updated_at=now,
                **decided,
            )
        )


def one(tx: Transaction, org_id: str, connection_id: str) -> ShownConnection:
    """A connection seen from the document with the smaller passage id."""
    here, there = chunks.alias("here"), chunks.alias("there")
    query = (
        select(
            *(_c[name] for name in _TOLD),
            *_passages(here, there),
        )
        .join_from(connections, here, here.c.id == _c.a_chunk_id)
        .join(there, there.c.id == _c.b_chunk_id)
        .join(documents, documents.c.id == there.c.document_id)
        .where(_c.id == connection_id, _c.org_id == org_id)
    )
    found = tx.connection.execute(query).one_or_none()
    if found is None:
        raise NotFound(f"There is no connection {connection_id} here.")
    return _shown(found)


def _passages(here: FromClause, there: FromClause) -> list[ColumnElement[Any]]:
    """Both passages side by side, and the name of the other document."""
    sides = (("here", here), ("there", there))
    told = [
        side.c[column].label(f"{name}_{column}")
        for name, side in sides
        for column in ("id", "document_id", "text", "anchor")
    ]
    return [*told, documents.c.name]


def _shown(row: Any) -> ShownConnection:
    return ShownConnection(
        str(row.id),
        row.score,
        row.kind,
        row.reason,
        bool(row.pinned),
        bool(row.hidden),
        ConnectionSide(str(row.here_document_id), str(row.here_id), row.here_text, to_json(row.here_anchor)),
        ConnectionSide(
            str(row.there_document_id), str(row.there_id), row.there_text, to_json(row.there_anchor), row.name
        ),
    )
