"""Writes the fields of many documents as CSV or JSON, page by page, so that memory stays flat."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import AsyncIterator, Iterable

from towpath.model.document_filters import Filters
from towpath.queries.document_organizer_contract import DocumentOrganizer, DocumentWithFields

#: Documents per read.
PAGE = 200
#: Columns before the fields.
COLUMNS = ("id", "name", "title", "collection", "tags", "status", "created_at")
#: Between several values of one name.
SEPARATOR = "; "

_NUMBER = re.compile(r"[-+]?[\d.,\s]*\d")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


async def csv_lines(organizer: DocumentOrganizer, org_id: str, filters: Filters) -> AsyncIterator[str]:
    """One row for each document and one column for each field name; starts with a byte order mark for Excel."""
    names = await organizer.field_names(org_id, filters)
    yield "\ufeff" + _csv_row([*COLUMNS, *names, "metadata"])
    async for item in _documents(organizer, org_id, filters):
        values: dict[str, list[str]] = {}
        for field in item.fields:
            values.setdefault(str(field["name"]), []).append(str(field["value"]))
        document = item.document
        metadata = json.dumps(document.metadata, ensure_ascii=False) if document.metadata else ""
        yield _csv_row(
            [
                document.id,
                document.name,
                _title(item),
                document.collection or "",
                SEPARATOR.join(document.tags),
                document.status,
                document.created_at.isoformat(),
                *(SEPARATOR.join(values.get(name, ())) for name in names),
                metadata,
            ]
        )


async def json_lines(organizer: DocumentOrganizer, org_id: str, filters: Filters) -> AsyncIterator[str]:
    """A JSON array with one object for each document, one in each line."""
    separator = "[\n"
    async for item in _documents(organizer, org_id, filters):
        document = item.document
        yield separator + json.dumps(
            {
                "id": document.id,
                "name": document.name,
                "title": _title(item) or None,
                "collection": document.collection,
                "tags": list(document.tags),
                "metadata": dict(document.metadata),
                "status": document.status,
                "created_at": document.created_at.isoformat(),
                "fields": [
                    {
                        "name": field["name"],
                        "value": field["value"],
                        "kind": field["kind"],
                        "confidence": field["confidence"],
                        "edited": field["edited_at"] is not None,
                    }
                    for field in item.fields
                ],
            },
            ensure_ascii=False,
        )
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


async def _documents(
    organizer: DocumentOrganizer, org_id: str, filters: Filters
) -> AsyncIterator[DocumentWithFields]:
    after = None
    while page := await organizer.with_fields(org_id, filters, after, PAGE):
        for item in page:
            yield item
        after = page[-1].document.id


def _title(item: DocumentWithFields) -> str:
    return item.document.edited_title or str(item.document.summary.get("title") or "")


def _csv_row(values: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow([_as_text(value) for value in values])
    return line.getvalue()


def _as_text(value: str) -> str:
    """The value so that a spreadsheet does not execute it as a formula: documents come from strangers."""
    return f"'{value}" if value.startswith(_FORMULA_STARTS) and not _NUMBER.fullmatch(value) else value
