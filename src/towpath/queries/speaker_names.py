"""Reads and stores the names that people gave to the speakers of a call."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import select, update

from towpath.ledger.columns import strip_unstorable, to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import documents
from towpath.model.audit import Actor
from towpath.model.speaker_name import SpeakerName, SpeakerNames, decode_names, encode_names
from towpath.queries.document_rows import get_document

_docs = documents.c


def read_speaker_names(tx: Transaction, org_id: str, document_id: str) -> SpeakerNames:
    get_document(tx, org_id, document_id)
    query = select(_docs.speaker_names).where(_docs.org_id == org_id, _docs.id == document_id)
    return decode_names(to_json(tx.connection.execute(query).scalar_one()))


def name_speakers(
    tx: Transaction,
    org_id: str,
    document_id: str,
    changes: Mapping[str, str | None],
    actor: Actor,
    now: datetime,
) -> SpeakerNames:
    """Store names; None removes one. The caller has locked the document."""
    names = dict(read_speaker_names(tx, org_id, document_id))
    for speaker, name in changes.items():
        if name is None:
            names.pop(speaker, None)
        else:
            names[speaker] = SpeakerName(strip_unstorable(name), strip_unstorable(actor.label), now)
    tx.connection.execute(
        update(documents)
        .where(_docs.org_id == org_id, _docs.id == document_id)
        .values(speaker_names=encode_names(names), updated_at=now)
    )
    return names
