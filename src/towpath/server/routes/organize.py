"""Routes for organizing documents: edit, count for filters, bulk actions, export of fields."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from towpath.model.document_filters import Filters
from towpath.server.bulk_actions import run_bulk
from towpath.server.deps import Caller, Id, NeedsDiskSpace, Org, Services, ServicesDep
from towpath.server.document_filters import DocumentFilter, document_filters
from towpath.server.field_export import csv_lines, json_lines
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.documents import DocumentView, FieldView, document_view, field_views
from towpath.server.schemas.organize import (
    BulkRequest,
    BulkView,
    DocumentFacetsView,
    EditRequest,
    FieldEditsRequest,
)

router = APIRouter(prefix="/documents", tags=["documents"])

ExportFormat = Annotated[Literal["csv", "json"], Query(description="CSV has one column for each field name")]
ListFilters = Annotated[Filters, Depends(document_filters)]
_EXPORT_RESPONSE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "One row for each document, as a file",
        "content": {
            "text/csv": {"schema": {"type": "string"}},
            "application/json": {"schema": {"type": "array", "items": {"type": "object"}}},
        },
    }
}


@router.get("/facets")
async def document_facets(services: ServicesDep, org: Org, filters: ListFilters) -> DocumentFacetsView:
    """Count documents by collection, tag, kind, status, media type and language."""
    return DocumentFacetsView.model_validate(await services.organizer.facets(org, filters))


@router.get("/fields", response_class=StreamingResponse, responses=_EXPORT_RESPONSE)
async def export_fields(
    services: ServicesDep,
    org: Org,
    filters: ListFilters,
    format: ExportFormat = "csv",
) -> StreamingResponse:
    """Export the fields, titles, collections, tags and metadata of all documents that pass the filters."""
    return _export(services, org, filters, format)


def _export(
    services: Services, org_id: str, filters: Filters, format: Literal["csv", "json"]
) -> StreamingResponse:
    lines = csv_lines if format == "csv" else json_lines
    media_type = "text/csv; charset=utf-8" if format == "csv" else "application/json"
    headers = {"Content-Disposition": f'attachment; filename="fields.{format}"'}
    return StreamingResponse(
        lines(services.organizer, org_id, filters), media_type=media_type, headers=headers
    )


@router.post("/fields", response_class=StreamingResponse, responses=_EXPORT_RESPONSE)
async def export_fields_of(
    services: ServicesDep, org: Org, body: DocumentFilter, format: ExportFormat = "csv"
) -> StreamingResponse:
    """The same as `GET /documents/fields`, with the filters in the body: for many ids."""
    return _export(services, org, body.filters(), format)


@router.post("/bulk", responses={400: PROBLEM_RESPONSE}, dependencies=[NeedsDiskSpace])
async def bulk_action(services: ServicesDep, caller: Caller, body: BulkRequest) -> BulkView:
    """Tag, untag, move, run again or delete all documents that pass a filter, some of them in each request."""
    return await run_bulk(services, caller, body)


@router.patch("/{document_id}", responses={400: PROBLEM_RESPONSE, 404: PROBLEM_RESPONSE})
async def edit_document(
    services: ServicesDep, caller: Caller, document_id: Id, body: EditRequest
) -> DocumentView:
    """Change the title, collection, tags and metadata of a document. They survive reprocessing."""
    edited = await services.organizer.edit(
        caller.org_id, document_id, body.edit(), caller.actor, services.clock.now()
    )
    return document_view(edited)


@router.patch("/{document_id}/fields", responses={404: PROBLEM_RESPONSE})
async def edit_document_fields(
    services: ServicesDep, caller: Caller, document_id: Id, body: FieldEditsRequest
) -> list[FieldView]:
    """Give fields other values. They are stored beside the extracted ones and survive reprocessing."""
    rows = await services.organizer.edit_fields(
        caller.org_id, document_id, body.field_edits(), caller.actor, services.clock.now()
    )
    return field_views(rows)
