"""Routes about documents: upload, list, status, what was made of them, delete."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import StreamingResponse

from towpath.errors import KeyConflict, NotFound, UserError
from towpath.intake.upload import spool
from towpath.model.ids import new_id
from towpath.server import views
from towpath.server.files import file_response, original_of
from towpath.server.multipart import receive
from towpath.server.problems import Problem
from towpath.server.services import Has, Id, Org, as_id

router = APIRouter(prefix="/documents", tags=["documents"])

_UPLOAD = {
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
_PROBLEM = {"model": Problem}
_BYTES = {
    "description": "The file, or the part asked for, in its own media type",
    "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
}
Status = Literal["PROCESSING", "COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"]


class Markdown(StreamingResponse):
    media_type = "text/markdown"


@router.post("", openapi_extra=_UPLOAD, responses={400: _PROBLEM, 409: _PROBLEM, 413: _PROBLEM})
async def upload(
    request: Request,
    has: Has,
    org: Org,
    idempotency_key: Annotated[str | None, Header(max_length=255)] = None,
) -> views.UploadView:
    """Take a file in. The answer comes as soon as it is safely stored; the work goes on behind it."""
    async with spool(has.intake.incoming, has.intake.max_bytes) as incoming:
        name = await receive(request, incoming.write)
        known = None
        if idempotency_key is not None:
            known = await has.catalogue.by_idempotency_key(org, idempotency_key)
        if known is not None and known.sha256 != incoming.sha256:
            raise KeyConflict("This Idempotency-Key was used before with another file.")
        submitted = await has.intake.accept(org, name, incoming, idempotency_key)
    document = await has.catalogue.document(org, submitted.document_id)
    return views.UploadView.model_validate(
        views.document_dict(document) | {"run_id": submitted.run_id, "duplicate": submitted.duplicate}
    )


@router.get("")
async def list_documents(
    has: Has,
    org: Org,
    status: Status | None = None,
    kind: Literal["document", "call"] | None = None,
    q: Annotated[str | None, Query(max_length=255)] = None,
    cursor: Annotated[str | None, Query(max_length=500)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> views.DocumentPageView:
    """Documents, newest first."""
    page = await has.catalogue.documents(org, status=status, kind=kind, q=q, cursor=cursor, limit=limit)
    shown = [views.document_view(document) for document in page.documents]
    return views.DocumentPageView(documents=shown, next_cursor=page.next_cursor, total=page.total)


@router.get("/status")
async def many_statuses(
    has: Has,
    org: Org,
    ids: Annotated[
        str, Query(description="Ids joined by commas", max_length=20_000, pattern=r"^[\x20-\x7e]*$")
    ],
) -> list[views.StatusView]:
    """The status of many documents at once, for a grid. Unknown ids are left out."""
    wanted = [one for part in ids.split(",") if (one := as_id(part)) is not None][:500]
    now = has.clock.now()
    return [views.status_view(one, now) for one in await has.catalogue.statuses(org, wanted, now)]


@router.get("/{document_id}", responses={404: _PROBLEM})
async def one_document(has: Has, org: Org, document_id: Id) -> views.DocumentView:
    return views.document_view(await has.catalogue.document(org, document_id))


@router.delete("/{document_id}", status_code=204, responses={404: _PROBLEM})
async def delete_document(has: Has, org: Org, document_id: Id) -> None:
    """Remove the document: rows, blobs and connections. Answers of paid calls are kept, by retention."""
    for key in await has.catalogue.delete(org, document_id):
        await has.blobs.delete(key)


@router.get("/{document_id}/status", responses={304: {"description": "Nothing changed"}, 404: _PROBLEM})
async def status(
    has: Has,
    org: Org,
    document_id: Id,
    response: Response,
    if_none_match: Annotated[str | None, Header()] = None,
) -> views.StatusView:
    """Where the document stands, stage by stage, and why it is not moving when it is not."""
    now = has.clock.now()
    found = await has.catalogue.statuses(org, [document_id], now)
    if not found:
        raise NotFound(f"There is no document {document_id} here.")
    view = views.status_view(found[0], now)
    tag = f'"{hashlib.sha256(view.model_dump_json().encode()).hexdigest()[:32]}"'
    if if_none_match is not None and tag in [part.strip() for part in if_none_match.split(",")]:
        return Response(status_code=304, headers={"ETag": tag})  # pyright: ignore[reportReturnType]  (FastAPI sends a Response as it is)
    response.headers["ETag"] = tag
    return view


@router.get("/{document_id}/runs", responses={404: _PROBLEM})
async def runs(has: Has, org: Org, document_id: Id) -> list[views.RunHistoryView]:
    """Every run of the document with its events, oldest first."""
    await has.catalogue.document(org, document_id)
    history = await has.ledger.runs(document_id, org_id=org)
    return [views.history_view(run, await has.ledger.events(run.id, org_id=org)) for run in history]


@router.post("/{document_id}/runs", status_code=202, responses={404: _PROBLEM})
async def reprocess(
    has: Has, org: Org, document_id: Id, body: views.ReprocessRequest | None = None
) -> views.RunStarted:
    """Queue a new run. The content there is keeps answering searches until the new one is published."""
    wish = body or views.ReprocessRequest(from_stage=None, fresh=False)
    document = await has.catalogue.document(org, document_id)
    plan = has.intake.plan_for(document)
    if wish.from_stage is not None and wish.from_stage not in plan.stages:
        raise UserError(f"There is no stage `{wish.from_stage}`; this document has {', '.join(plan.stages)}.")
    if wish.fresh:
        plan = has.intake.afresh(plan, new_id())
    run_id = await has.ledger.reprocess(
        document_id, plan, has.clock.now(), org_id=org, from_stage=wish.from_stage, fresh=wish.fresh
    )
    has.bell.ring()
    return views.RunStarted(run_id=run_id)


@router.get("/{document_id}/content", response_class=Markdown, responses={404: _PROBLEM})
async def content(has: Has, org: Org, document_id: Id) -> Markdown:
    """The document as markdown."""
    key = await has.catalogue.markdown_key(org, document_id)
    if key is None:
        raise NotFound("This document has no content yet. Its status says how far it is.")
    return Markdown(has.blobs.stream(key))


@router.head("/{document_id}/original", include_in_schema=False)
@router.get(
    "/{document_id}/original",
    response_class=Response,
    responses={200: _BYTES, 206: _BYTES, 404: _PROBLEM, 416: _PROBLEM},
)
async def original(
    has: Has, org: Org, document_id: Id, request: Request, range: Annotated[str | None, Header()] = None
) -> Response:
    """The bytes as they were sent; ranges are honoured."""
    document = await has.catalogue.document(org, document_id)
    return file_response(has.blobs, original_of(document), range, request)


@router.get("/{document_id}/chunks", responses={404: _PROBLEM})
async def chunks(
    has: Has,
    org: Org,
    document_id: Id,
    after: Annotated[int, Query(ge=-1, le=2**31 - 1)] = -1,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> list[views.ChunkView]:
    """The passages of the document, in order."""
    found = await has.catalogue.chunks(org, document_id, after, limit)
    return [views.ChunkView.model_validate(chunk) for chunk in found]


@router.get("/{document_id}/fields", responses={404: _PROBLEM})
async def fields(has: Has, org: Org, document_id: Id) -> list[views.FieldView]:
    """Named values found in the document, each with the place that proves it."""
    return [views.FieldView.model_validate(item) for item in await has.catalogue.fields(org, document_id)]


@router.get("/{document_id}/connections", responses={404: _PROBLEM})
async def connections(
    has: Has,
    org: Org,
    document_id: Id,
    after: Annotated[Id | None, Query(description="Go on after this connection")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> list[views.ConnectionView]:
    """Passages of other documents that speak of the same thing, side by side with those of this one.

    Pinned ones come first, then the closest. Hidden ones are among them, and say so.
    """
    found = await has.catalogue.connections(org, document_id, after, limit)
    return [views.ConnectionView.model_validate(one) for one in found]


@router.get("/{document_id}/costs", responses={404: _PROBLEM})
async def costs(has: Has, org: Org, document_id: Id) -> views.CostsView:
    """What the document cost, and what was reused instead of paid for."""
    return views.CostsView.model_validate(await has.catalogue.costs(org, document_id))
