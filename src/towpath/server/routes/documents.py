"""Routes for documents: upload, list, status, content, original file, chunks, fields, costs, delete."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from towpath.errors import NotFound, PartMissing
from towpath.model.document_filters import Filters
from towpath.queries.contract import Sort
from towpath.server.accept_upload import UPLOAD_BODY, accept_upload
from towpath.server.deps import Caller, Id, NeedsDiskSpace, Org, ServicesDep, parse_id
from towpath.server.document_filters import document_filters
from towpath.server.downloads import file_response, original_file, require_blob
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.routes.document_versions import find_version, text_key
from towpath.server.schemas.document_status import StatusView, status_view
from towpath.server.schemas.documents import (
    ChunkView,
    CostsView,
    DocumentLinksView,
    DocumentPageView,
    DocumentView,
    FieldView,
    UploadView,
    document_view,
    field_views,
)
from towpath.server.status_batches import StatusBatches, status_batches

router = APIRouter(prefix="/documents", tags=["documents"])

MAX_STATUS_IDS = 500

_FILE_RESPONSE = {
    "description": "The file, or the requested range of it, with its own media type",
    "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
}


VersionNumber = Annotated[
    int | None, Query(ge=1, le=2**31 - 1, description="Number of a version; without it, the current one")
]


class MarkdownResponse(StreamingResponse):
    media_type = "text/markdown"


@router.post(
    "",
    openapi_extra=UPLOAD_BODY,
    responses={400: PROBLEM_RESPONSE, 409: PROBLEM_RESPONSE, 413: PROBLEM_RESPONSE, 507: PROBLEM_RESPONSE},
    dependencies=[NeedsDiskSpace],
)
async def upload(
    request: Request,
    services: ServicesDep,
    caller: Caller,
    idempotency_key: Annotated[str | None, Header(max_length=255)] = None,
) -> UploadView:
    """Upload a file. The response is sent as soon as the file is stored; processing continues in the background.

    A document with the same bytes keeps its collection, and gets the tags and the metadata of the upload in addition.
    With a `key`, new bytes are the next version of the document with this key.
    """
    return await accept_upload(request, services, caller, idempotency_key)


@router.get("")
async def list_documents(
    services: ServicesDep,
    org: Org,
    filters: Annotated[Filters, Depends(document_filters)],
    sort: Annotated[
        Sort, Query(description="The order; with `-` the largest, newest or last is first")
    ] = "-created",
    cursor: Annotated[str | None, Query(max_length=2_000)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> DocumentPageView:
    """List documents that pass the filters, newest first unless `sort` says otherwise."""
    page = await services.queries.documents(org, filters, sort=sort, cursor=cursor, limit=limit)
    views = [document_view(document) for document in page.documents]
    return DocumentPageView(documents=views, next_cursor=page.next_cursor, total=page.total)


@router.get("/status")
async def document_statuses(
    batches: Annotated[StatusBatches, Depends(status_batches)],
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
    statuses = await batches.statuses_json(org, document_ids)
    return Response(statuses, media_type="application/json")  # pyright: ignore[reportReturnType]  (FastAPI passes a Response through)


@router.get("/{document_id}", responses={404: PROBLEM_RESPONSE})
async def get_document(services: ServicesDep, org: Org, document_id: Id) -> DocumentView:
    """Get a document's metadata."""
    return document_view(await services.queries.document(org, document_id))


@router.delete("/{document_id}", status_code=204, responses={404: PROBLEM_RESPONSE})
async def delete_document(services: ServicesDep, caller: Caller, document_id: Id) -> None:
    """Delete a document with its rows, blobs and connections.

    Attachments and members of archives are deleted with their last parent, unless they were uploaded too.

    Cached answers of provider calls are kept for as long as the setting `keep_answers_days` says.
    """
    now = services.clock.now()
    for key in await services.queries.delete(caller.org_id, document_id, caller.actor, now):
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
async def content(
    services: ServicesDep, org: Org, document_id: Id, version: VersionNumber = None
) -> MarkdownResponse:
    """Get the document's text as markdown."""
    if version is None:
        key = await services.queries.markdown_key(org, document_id)
    else:
        key = text_key(find_version(await services.queries.versions(org, document_id), version))
    if key is None:
        raise PartMissing("This document has no content yet.")
    await require_blob(services.blobs, key)
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
    version: VersionNumber = None,
) -> Response:
    """Download the uploaded file. Supports range requests."""
    document = await services.queries.document(org, document_id)
    if version is not None:
        stored = find_version(await services.queries.versions(org, document_id), version)
        described = {
            name: getattr(stored, name) for name in ("name", "media_type", "size", "sha256", "blob_key")
        }
        document = replace(document, **described)
    file = original_file(document)
    await require_blob(services.blobs, file.key)
    return file_response(services.blobs, file, range, request)


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
    """List the fields found in the document by group, then the values of field schemas, each with its place."""
    rows = await services.queries.fields(org, document_id)
    return field_views(rows)


@router.get("/{document_id}/links", responses={404: PROBLEM_RESPONSE})
async def links(services: ServicesDep, org: Org, document_id: Id) -> DocumentLinksView:
    """List the documents that contain this one, and the attachments or archive members inside it."""
    return DocumentLinksView.model_validate(await services.queries.links(org, document_id))


@router.get("/{document_id}/costs", responses={404: PROBLEM_RESPONSE})
async def costs(services: ServicesDep, org: Org, document_id: Id) -> CostsView:
    """Get the document's provider costs, and how many cached answers were used."""
    return CostsView.model_validate(await services.queries.costs(org, document_id))
