"""add_children: submits attachments and archive members as documents and links them to their parent.

It runs in the transaction that completes the parent's stage, and a link that exists stays: so each child is created
once, also if the worker is killed and the stage runs again.
"""

from __future__ import annotations

from datetime import datetime
from typing import cast

from sqlalchemy import insert, select, update

from towpath.ledger.contract.ledger import RunPlan, Submission
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_children, documents
from towpath.ledger.verbs.labels import copy_labels
from towpath.ledger.verbs.submit import submit_documents
from towpath.model.ids import document_id
from towpath.model.writes import AddChildren, ChildDocument

_links = document_children.c


def add_children(tx: Transaction, org_id: str, parent_id: str, write: AddChildren) -> None:
    """Submit and link the children. An archive that contains itself is not its own child."""
    children: dict[str, tuple[int, ChildDocument]] = {}
    for ordinal, child in enumerate(write.children):
        if document_id(org_id, child.document.sha256) != parent_id:
            children.setdefault(child.document.sha256, (ordinal, child))
    if not children:
        return
    # In the order of their bytes, so that two parents with the same children lock them in the same order.
    ordered = sorted(children, key=lambda sha256: document_id(org_id, sha256))
    submissions = [
        Submission(children[sha256][1].document, cast("RunPlan", children[sha256][1].plan))
        for sha256 in ordered
    ]
    submitted = submit_documents(tx, submissions, write.at, notify=True)
    new_ids = [item.document_id for item in submitted if not item.duplicate]
    _mark_as_not_uploaded(tx, new_ids)
    copy_labels(tx, org_id, parent_id, new_ids, write.at)
    linked = set(
        map(
            str, tx.connection.execute(select(_links.child_id).where(_links.parent_id == parent_id)).scalars()
        )
    )
    for sha256, item in zip(ordered, submitted, strict=True):
        child_id = item.document_id
        if child_id not in linked:
            ordinal, child = children[sha256]
            _link(tx, org_id, parent_id, child_id, ordinal, child.path, write.at)


def _mark_as_not_uploaded(tx: Transaction, new_ids: list[str]) -> None:
    if new_ids:
        tx.connection.execute(update(documents).where(documents.c.id.in_(new_ids)).values(uploaded=False))


def _link(
    tx: Transaction, org_id: str, parent_id: str, child_id: str, ordinal: int, path: str, now: datetime
) -> None:
    tx.connection.execute(
        insert(document_children).values(
            org_id=org_id,
            parent_id=parent_id,
            child_id=child_id,
            ordinal=ordinal,
            path=path,
            created_at=now,
        )
    )
