"""Routes for the versions of a document: list, upload of the next one, comparison of two."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Header, HTTPException, Query, Request

from towpath.errors import NotFound, PartMissing
from towpath.model.document_version import DocumentVersion
from towpath.server.accept_upload import VERSION_BODY, accept_upload
from towpath.server.deps import Caller, Id, NeedsDiskSpace, Org, Services, ServicesDep
from towpath.server.downloads import require_blob
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.document_versions import VersionDiffView, VersionView, version_view
from towpath.server.schemas.documents import UploadView
from towpath.server.text_diff import diff_texts

router = APIRouter(prefix="/documents", tags=["documents"])

#: Bytes of a text that is compared.
MAX_TEXT_BYTES = 5 << 20


@router.get("/{document_id}/versions", responses={404: PROBLEM_RESPONSE})
async def list_versions(services: ServicesDep, org: Org, document_id: Id) -> list[VersionView]:
    """List the versions of a document, newest first. A document without a key has one."""
    document = await services.queries.document(org, document_id)
    versions = await services.queries.versions(org, document_id)
    return [
        version_view(version, current=version.number == document.version) for version in reversed(versions)
    ]


@router.post(
    "/{document_id}/versions",
    openapi_extra=VERSION_BODY,
    responses={
        400: PROBLEM_RESPONSE,
        404: PROBLEM_RESPONSE,
        409: PROBLEM_RESPONSE,
        413: PROBLEM_RESPONSE,
        507: PROBLEM_RESPONSE,
    },
    dependencies=[NeedsDiskSpace],
)
async def upload_version(
    request: Request,
    services: ServicesDep,
    caller: Caller,
    document_id: Id,
    idempotency_key: Annotated[str | None, Header(max_length=255)] = None,
) -> UploadView:
    """Upload the next version of a document. Its present content stays searchable until the new one is published.

    A document without a key gets its id as key.
    """
    await services.queries.document(caller.org_id, document_id)
    return await accept_upload(request, services, caller, idempotency_key, replaces=document_id)


@router.get("/{document_id}/diff", responses={404: PROBLEM_RESPONSE, 413: PROBLEM_RESPONSE})
async def compare_versions(
    services: ServicesDep,
    org: Org,
    document_id: Id,
    from_version: Annotated[int | None, Query(alias="from", ge=1, le=2**31 - 1)] = None,
    to_version: Annotated[int | None, Query(alias="to", ge=1, le=2**31 - 1)] = None,
) -> VersionDiffView:
    """Compare the texts of two versions line by line; by default the newest one with the one before it."""
    versions = await services.queries.versions(org, document_id)
    new = find_version(versions, versions[-1].number if to_version is None else to_version)
    old = find_version(versions, max(1, new.number - 1) if from_version is None else from_version)
    diff = await asyncio.to_thread(diff_texts, await _text(services, old), await _text(services, new))
    return VersionDiffView(
        from_version=old.number,
        to_version=new.number,
        diff=diff.diff,
        added=diff.added,
        removed=diff.removed,
        truncated=diff.truncated,
    )


def find_version(versions: list[DocumentVersion], number: int) -> DocumentVersion:
    version = next((version for version in versions if version.number == number), None)
    if version is None:
        raise NotFound(f"This document has no version {number}.")
    return version


def text_key(version: DocumentVersion) -> str:
    """The blob of the version's text; raises PartMissing if it was never published."""
    if version.content_key is None:
        raise PartMissing(f"Version {version.number} has no text: its status is {version.status}.")
    return version.content_key


async def _text(services: Services, version: DocumentVersion) -> str:
    key = text_key(version)
    await require_blob(services.blobs, key)
    size = await services.blobs.size(key) or 0
    if size > MAX_TEXT_BYTES:
        raise HTTPException(
            413,
            f"The text of version {version.number} has {size:,} bytes; texts of up to {MAX_TEXT_BYTES:,} are "
            "compared. Download both with `content?version=`.",
        )
    return (await services.blobs.get(key)).decode("utf-8", "replace")
