"""Reads the fields of documents with the values that people changed, and stores such changes.

Publishing replaces the extracted fields and leaves the edits. An edit belongs to the field of its name that has the
value which was extracted when the edit was made; if none has it, to the field of its name with the same ordinal; if
there is no such field either, it is a field of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import count
from typing import Any, cast

from sqlalchemy import delete, insert, select

from towpath.ledger.columns import strip_unstorable, to_instant, to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_fields, field_edits
from towpath.model.audit import Actor
from towpath.model.json_types import Json
from towpath.queries.document_organizer_contract import FieldEdit

_fields = document_fields.c
_edits = field_edits.c
#: Ids in one statement; SQLite allows 32,766 parameters.
_BATCH = 1_000


def read_fields(tx: Transaction, org_id: str, document_ids: Sequence[str]) -> dict[str, list[Json]]:
    """The fields of each document in their order, with edits applied."""
    fields: dict[str, list[dict[str, Any]]] = {document_id: [] for document_id in document_ids}
    for start in range(0, len(document_ids), _BATCH):
        batch = document_ids[start : start + _BATCH]
        query = (
            select(
                _fields.document_id,
                _fields.name,
                _fields.value,
                _fields.kind,
                _fields.confidence,
                _fields.anchor,
                _fields.schema,
                _fields.verified,
            )
            .where(_fields.org_id == org_id, _fields.document_id.in_(batch))
            .order_by(_fields.schema.is_not(None), _fields.schema, _fields.id)
        )
        for row in tx.connection.execute(query).mappings():
            field = {**row, "anchor": to_json(row["anchor"])}
            fields[str(field.pop("document_id"))].append(field)
        _apply_edits(tx, org_id, batch, fields)
    return {document_id: _numbered(found) for document_id, found in fields.items()}


def edit_fields(
    tx: Transaction, org_id: str, document_id: str, edits: Sequence[FieldEdit], actor: Actor, now: datetime
) -> None:
    """Store the edits. The ordinals are those of the fields as they are shown before."""
    shown = read_fields(tx, org_id, [document_id])[document_id]
    for edit in edits:
        same_name = [field for field in shown if field["name"] == edit.name]
        field = next((field for field in same_name if field["ordinal"] == edit.ordinal), None)
        stored_ordinal = _stored_ordinal(edit, field, same_name)
        tx.connection.execute(
            delete(field_edits).where(
                _edits.org_id == org_id,
                _edits.document_id == document_id,
                _edits.name == edit.name,
                _edits.ordinal == stored_ordinal,
            )
        )
        if edit.value is not None:
            tx.connection.execute(
                insert(field_edits).values(
                    org_id=org_id,
                    document_id=document_id,
                    name=edit.name,
                    ordinal=stored_ordinal,
                    value=strip_unstorable(edit.value),
                    extracted_value=None if field is None else field["extracted_value"],
                    edited_by=strip_unstorable(actor.label),
                    edited_at=now,
                )
            )


def _stored_ordinal(edit: FieldEdit, field: Json | None, same_name: Sequence[Json]) -> int:
    """The ordinal of the field's edit; for a new edit one that no edit of another field has."""
    if field is not None and "edit_ordinal" in field:
        return cast("int", field["edit_ordinal"])
    used = {other.get("edit_ordinal") for other in same_name}
    return next(number for number in count(edit.ordinal) if number not in used)


def _apply_edits(
    tx: Transaction, org_id: str, document_ids: Collection[str], fields: dict[str, list[dict[str, Any]]]
) -> None:
    query = (
        select(field_edits)
        .where(_edits.org_id == org_id, _edits.document_id.in_(document_ids))
        .order_by(_edits.document_id, _edits.name, _edits.ordinal)
    )
    remaining = list(tx.connection.execute(query))
    for find in (_field_with_value, _field_with_ordinal, _added_field):
        unmatched: list[Any] = []
        for edit in remaining:
            field = find(edit, fields[str(edit.document_id)])
            if field is None:
                unmatched.append(edit)
                continue
            field |= {
                "extracted_value": field.get("value"),
                "value": edit.value,
                "edited_by": edit.edited_by,
                "edited_at": to_instant(edit.edited_at),
                "edit_ordinal": edit.ordinal,
            }
        remaining = unmatched


def _field_with_value(edit: Any, fields: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The first unedited field of the name that has the value which the edit replaced."""
    for field in fields:
        if field["name"] == edit.name and "edited_at" not in field and field["value"] == edit.extracted_value:
            return field
    return None


def _field_with_ordinal(edit: Any, fields: list[dict[str, Any]]) -> dict[str, Any] | None:
    same_name = [field for field in fields if field["name"] == edit.name]
    if edit.extracted_value is None or edit.ordinal >= len(same_name):
        return None
    field = same_name[int(edit.ordinal)]
    return None if "edited_at" in field else field


def _added_field(edit: Any, fields: list[dict[str, Any]]) -> dict[str, Any]:
    """A new field, after the last one of its name."""
    field: dict[str, Any] = {"name": edit.name, "kind": "text", "confidence": 1.0, "anchor": {}}
    places = [place for place, other in enumerate(fields) if other["name"] == edit.name]
    fields.insert(places[-1] + 1 if places else len(fields), field)
    return field


def _numbered(fields: Sequence[dict[str, Any]]) -> list[Json]:
    """The fields with their ordinals among those of the same name."""
    counts: dict[str, int] = {}
    numbered: list[Json] = []
    for field in fields:
        ordinal = counts.get(field["name"], 0)
        counts[field["name"]] = ordinal + 1
        edited = "edited_at" in field
        unedited: Json = {"extracted_value": field["value"], "edited_by": None, "edited_at": None}
        numbered.append({**({} if edited else unedited), **field, "ordinal": ordinal})
    return numbered
