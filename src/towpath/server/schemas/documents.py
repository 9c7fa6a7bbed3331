"""Response models for documents: metadata, chunks, fields and costs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pydantic import Field

from towpath.fields.display_groups import GROUPS, FieldGroup, group_of
from towpath.model.document import Document
from towpath.model.json_types import Json
from towpath.model.page_unit import PageUnit, unit_of_count
from towpath.server.schemas.base import View


class DocumentView(View):
    id: str
    name: str
    kind: str = Field(description="`document` or `call`")
    media_type: str
    size: int = Field(description="Bytes of the original file")
    sha256: str
    status: str = Field(description="PROCESSING, COMPLETED, FAILED, TIMED_OUT or CANCELLED")
    searchable: bool = Field(
        description="True if complete content is in the search index, possibly from an earlier run"
    )
    title: str | None = Field(None, description="The edited title, else the extracted one")
    extracted_title: str | None = Field(None, description="The title that was found in the document")
    title_edited_by: str | None = None
    title_edited_at: datetime | None = None
    collection: str | None = None
    tags: list[str] = Field(default_factory=list[str], description="In alphabetical order")
    metadata: dict[str, object] = Field(default_factory=dict[str, object])
    language: str | None = None
    pages: int | None = None
    page_unit: PageUnit = Field("page", description="What the pages are, such as slides or sheets")
    words: int | None = None
    chunks: int | None = None
    seconds: float | None = Field(None, description="Length of a call recording")
    speakers: int | None = None
    warnings: list[str] = Field(default_factory=list[str])
    key: str | None = Field(None, description="Identifies the document instead of its bytes")
    version: int = Field(1, description="The version that is shown; the newest one may not be published yet")
    created_at: datetime
    updated_at: datetime


class DocumentLinkView(View):
    id: str
    name: str
    media_type: str
    status: str = Field(description="PROCESSING, COMPLETED, FAILED, TIMED_OUT or CANCELLED")
    path: str = Field(description="Name of the inner document inside the outer one, with folders")


class DocumentLinksView(View):
    parents: list[DocumentLinkView] = Field(description="The mails and archives that contain this document")
    children: list[DocumentLinkView] = Field(description="Attachments, or files in this archive, in order")


class UploadView(DocumentView):
    run_id: str | None
    duplicate: bool = Field(
        description="True if a document with the same bytes existed; the response describes that document. With a key: "
        "true if its newest version has the same bytes"
    )


class DocumentPageView(View):
    documents: list[DocumentView]
    next_cursor: str | None
    total: int


class ChunkView(View):
    id: str
    ordinal: int
    text: str
    tokens: int
    anchor: dict[str, object]
    model: str | None = Field(description="Embedding model of the chunk's vector")


class FieldView(View):
    name: str
    value: str
    kind: str
    group: FieldGroup = Field(description="Where it is shown. Web addresses are in `links`")
    confidence: float = Field(description="From 0 to 1")
    ordinal: int = Field(0, description="Its number among the fields of the same name, from 0")
    extracted_value: str | None = Field(None, description="Null for a field that a person added")
    edited_by: str | None = None
    edited_at: datetime | None = None
    anchor: dict[str, object] = Field(description="Page, span, box; `quote` are the words that a model named")
    schema_name: str | None = Field(
        None, alias="schema", description="Field schema of the value; null for fields that were found locally"
    )
    verified: bool | None = Field(
        None, description="Whether the quotation of the value is in the text; null without a schema"
    )


class CostsView(View):
    cost: float = Field(
        description="US dollars for the provider calls that this document was the first to make"
    )
    calls: int
    reused: int = Field(description="Cached answers used at no cost")
    repeated: int = Field(
        description="Calls repeated because an earlier one may have been paid for before its answer was lost"
    )
    units: dict[str, float]
    by_provider: list[dict[str, object]]


_SUMMARY_FIELDS = ("language", "pages", "words", "chunks", "seconds", "speakers")


def field_views(rows: Sequence[Json]) -> list[FieldView]:
    """The fields by group, then the values of field schemas."""
    views = [
        FieldView.model_validate({**row, "group": group_of(str(row["name"]), str(row["kind"]))})
        for row in rows
    ]
    return sorted(views, key=_field_order)


def _field_order(view: FieldView) -> tuple[str, int]:
    """By group; the values of a schema stay in the order of the schema."""
    return ("", GROUPS.index(view.group)) if view.schema_name is None else (view.schema_name, 0)


def document_view(document: Document) -> DocumentView:
    return DocumentView.model_validate(_document_fields(document))


def upload_view(document: Document, *, run_id: str | None, duplicate: bool, version: int) -> UploadView:
    upload = {"run_id": run_id, "duplicate": duplicate, "version": version}
    return UploadView.model_validate(_document_fields(document) | upload)


def _document_fields(document: Document) -> dict[str, object]:
    summary = document.summary
    return {
        "id": document.id,
        "name": document.name,
        "kind": document.kind,
        "media_type": document.media_type,
        "size": document.size,
        "sha256": document.sha256,
        "status": document.status,
        "searchable": document.searchable,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
        "title": document.edited_title or summary.get("title"),
        "extracted_title": summary.get("title"),
        "title_edited_by": document.title_edited_by,
        "title_edited_at": document.title_edited_at,
        "collection": document.collection,
        "tags": list(document.tags),
        "metadata": dict(document.metadata),
        "key": document.key,
        "version": document.version,
        **{name: summary.get(name) for name in _SUMMARY_FIELDS},
        "page_unit": unit_of_count(document.media_type, printed_numbers=bool(summary.get("printed_numbers"))),
        "warnings": summary.get("warnings") or [],
    }
