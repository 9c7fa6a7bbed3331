"""Response models for documents: metadata, chunks, fields and costs."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from towpath.model.document import Document
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
    title: str | None = None
    language: str | None = None
    pages: int | None = None
    words: int | None = None
    chunks: int | None = None
    seconds: float | None = Field(None, description="Length of a call recording")
    speakers: int | None = None
    warnings: list[str] = Field(default_factory=list[str])
    created_at: datetime
    updated_at: datetime


class UploadView(DocumentView):
    run_id: str | None
    duplicate: bool = Field(
        description="True if a document with the same bytes existed; the response describes that document"
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
    confidence: float = Field(description="From 0 to 1")
    anchor: dict[str, object]


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


_SUMMARY_FIELDS = ("title", "language", "pages", "words", "chunks", "seconds", "speakers")


def document_view(document: Document) -> DocumentView:
    return DocumentView.model_validate(_document_fields(document))


def upload_view(document: Document, *, run_id: str | None, duplicate: bool) -> UploadView:
    return UploadView.model_validate(_document_fields(document) | {"run_id": run_id, "duplicate": duplicate})


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
        **{name: summary.get(name) for name in _SUMMARY_FIELDS},
        "warnings": summary.get("warnings") or [],
    }
