"""Route that lists the pages of a document: numbers, labels and offsets in the text, without the text."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter

from towpath.model.codec import decode_pages
from towpath.server.deps import Id, Org, ServicesDep
from towpath.server.downloads import require_blob
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.document_pages import PagesView, pages_view
from towpath.stages.support.artifact import inline_body

router = APIRouter(prefix="/documents", tags=["documents"])


@router.get("/{document_id}/pages", responses={404: PROBLEM_RESPONSE})
async def pages(services: ServicesDep, org: Org, document_id: Id) -> PagesView:
    """List the pages, slides, sheets or chapters of a document, each with its span of the text."""
    document = await services.queries.document(org, document_id)
    reference = await services.queries.extraction_reference(org, document_id)
    if reference is None:
        return pages_view(document.media_type, ())
    body = inline_body(reference)
    if body is None:
        await require_blob(services.blobs, reference)
        body = await services.blobs.get(reference)
    stored = await asyncio.to_thread(decode_pages, body)
    return pages_view(document.media_type, stored)
