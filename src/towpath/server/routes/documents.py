"""Routes for documents: upload, list, status, content, original file, chunks, fields, costs, delete."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from towpath.errors import KeyConflict, NotFound
from towpath.intake.upload import receive_upload
from towpath.server.deps import Id, Org, ServicesDep, parse_id
from towpath.server.downloads import file_response, original_file
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.documents import (
    ChunkView,
    CostsView,
    DocumentPageView,
    DocumentView,
    FieldView,
    UploadView,
    document_view,
    upload_view,
)
from towpath.server.schemas.status import StatusView, status_view
from towpath.server.uploads import receive_file

router = APIRouter(prefix="/documents", tags=["documents"])

MAX_STATUS_IDS = 500

_UPLOAD_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}
_FILE_RESPONSE = {
    "description": "The file, or the requested range of it, with its own media type",
    "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
}
DocumentStatusCode = Literal["PROCESSING", "COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"]


class MarkdownResponse(StreamingResponse):
    media_type = "text/markdown"


@router.post(
    "",
    openapi_extra=_UPLOAD_BODY,
    responses={400: PROBLEM_RESPONSE, 409: PROBLEM_RESPONSE, 413: PROBLEM_RESPONSE},
)
async def upload(
    request: Request,
    services: ServicesDep,
    org: Org,
    idempotency_key: Annotated[str | None, Header(max_length=255)] = None,
) -> UploadView:
    """Upload a file. The response is sent as soon as the file is stored; processing continues in the background."""
    async with receive_upload(services.intake.scratch_dir, services.intake.max_bytes) as incoming:
        name = await receive_file(request, incoming.write)
        known = None
        if idempotency_key is not None:
            known = await services.queries.by_idempotency_key(org, idempotency_key)
        if known is not None and known.sha256 != incoming.sha256:
            raise KeyConflict("This Idempotency-Key was already used for another file.")
        submitted = await services.intake.accept(org, name, incoming, idempotency_key)
    document = await services.queries.document(org, submitted.document_id)
    return upload_view(document, run_id=submitted.run_id, duplicate=submitted.duplicate)


@router.get("")
async def list_documents(
    services: ServicesDep,
    org: Org,
    status: DocumentStatusCode | None = None,
    kind: Literal["document", "call"] | None = None,
    q: Annotated[str | None, Query(max_length=255, description="Part of the name")] = None,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> DocumentPageView:
    """List documents, newest first."""
    page = await services.queries.documents(org, status=status, kind=kind, q=q, cursor=cursor, limit=limit)
    views = [document_view(document) for document in page.documents]
    return DocumentPageView(documents=views, next_cursor=page.next_cursor, total=page.total)


@router.get("/status")
async def document_statuses(
    services: ServicesDep,
    org: Org,
    ids: Annotated[
        str,
        Query(
            description="Document ids, separated by commas; at most 500",
            max_length=20_000,
            pattern=r"^[\x20-\x7e]*$",
        ),
    ],
) -> list[StatusView]:
    """Get the status of several documents. Unknown ids are omitted."""
    parsed = [parse_id(text) for text in ids.split(",")]
    document_ids = [document_id for document_id in parsed if document_id is not None][:MAX_STATUS_IDS]
    now = services.clock.now()
    statuses = await services.queries.statuses(org, document_ids, now)
    return [status_view(status, now) for status in statuses]


@router.get("/{document_id}", responses={404: PROBLEM_RESPONSE})
async def get_document(services: ServicesDep, org: Org, document_id: Id) -> DocumentView:
    """Get a document's metadata."""
    return document_view(await services.queries.document(org, document_id))


@router.delete("/{document_id}", status_code=204, responses={404: PROBLEM_RESPONSE})
async def delete_document(services: ServicesDep, org: Org, document_id: Id) -> None:
    """Delete a document with its rows, blobs and connections.

    Cached answers of provider calls are kept for as long as the setting `keep_answers_days` says.
    """
    for key in await services.queries.delete(org, document_id):
        await services.blobs.delete(key)


@router.get("/{document_id}/status", responses={304: {"description": "Not modified"}, 404: PROBLEM_RESPONSE})
async def document_status(
    services: ServicesDep,
    org: Org,
    document_id: Id,
    response: Response,
    if_none_match: Annotated[str | None, Header()] = None,
) -> StatusView:
    """Get a document's status: its current run, each stage, the error, and what it waits for."""
    now = services.clock.now()
    statuses = await services.queries.statuses(org, [document_id], now)
    if not statuses:
        raise NotFound(f"There is no document {document_id}.")
    view = status_view(statuses[0], now)
    tag = f'"{hashlib.sha256(view.model_dump_json().encode()).hexdigest()[:32]}"'
    if if_none_match is not None and tag in [part.strip() for part in if_none_match.split(",")]:
        return Response(status_code=304, headers={"ETag": tag})  # pyright: ignore[reportReturnType]  (FastAPI passes a Response through)
    response.headers["ETag"] = tag
    return view


@router.get("/{document_id}/content", response_class=MarkdownResponse, responses={404: PROBLEM_RESPONSE})
async def content(services: ServicesDep, org: Org, document_id: Id) -> MarkdownResponse:
    """Get the document's text as markdown."""
    key = await services.queries.markdown_key(org, document_id)
    if key is None:
        raise NotFound(f"This document has no content yet. See /documents/{document_id}/status.")
    return MarkdownResponse(services.blobs.stream(key))


@router.head("/{document_id}/original", include_in_schema=False)
@router.get(
    "/{document_id}/original",
    response_class=Response,
    responses={200: _FILE_RESPONSE, 206: _FILE_RESPONSE, 404: PROBLEM_RESPONSE, 416: PROBLEM_RESPONSE},
)
async def original(
    services: ServicesDep,
    org: Org,
    document_id: Id,
    request: Request,
    range: Annotated[str | None, Header()] = None,
) -> Response:
    """Download the uploaded file. Supports range requests."""
    document = await services.queries.document(org, document_id)
    return file_response(services.blobs, original_file(document), range, request)


@router.get("/{document_id}/chunks", responses={404: PROBLEM_RESPONSE})
async def chunks(
    services: ServicesDep,
    org: Org,
    document_id: Id,
    after: Annotated[int, Query(ge=-1, le=2**31 - 1, description="Ordinal of the last chunk received")] = -1,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> list[ChunkView]:
    """List the document's chunks by ordinal."""
    rows = await services.queries.chunks(org, document_id, after, limit)
    return [ChunkView.model_validate(row) for row in rows]


@router.get("/{document_id}/fields", responses={404: PROBLEM_RESPONSE})
async def fields(services: ServicesDep, org: Org, document_id: Id) -> list[FieldView]:
    """List the fields found in the document, each with the place where its value was found."""
    rows = await services.queries.fields(org, document_id)
    return [FieldView.model_validate(row) for row in rows]


@router.get("/{document_id}/costs", responses={404: PROBLEM_RESPONSE})
async def costs(services: ServicesDep, org: Org, document_id: Id) -> CostsView:
    """Get the document's provider costs, and how many cached answers were used."""
    return CostsView.model_validate(await services.queries.costs(org, document_id))
