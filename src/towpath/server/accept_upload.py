"""Accepts the upload of a file: a new document, or the next version of one."""

from __future__ import annotations

from typing import Any

from fastapi import Request

from towpath.access.contract import Identity
from towpath.errors import KeyConflict, UserError
from towpath.intake.upload import receive_upload
from towpath.model.document_version import clean_key
from towpath.server.deps import Services, check_quota
from towpath.server.multipart_upload import receive_file, upload_labels
from towpath.server.schemas.documents import UploadView, upload_view

_PARTS: dict[str, Any] = {
    "file": {"type": "string", "format": "binary"},
    "collection": {"type": "string", "description": "The collection of the document"},
    "tags": {
        "type": "array",
        "items": {"type": "string"},
        "description": "Repeat the part, or separate tags by commas",
    },
    "metadata": {
        "type": "string",
        "description": "A JSON object; rules of `pipeline_rules` may test it",
    },
    "pipeline": {
        "type": "string",
        "description": "Pipeline of the document; without it, rules and its kind decide",
    },
}
_KEY_PART = {
    "type": "string",
    "maxLength": 500,
    "description": "Identifies the document: new bytes under the same key are its next version",
}


def _body(parts: dict[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "required": ["file"], "properties": parts}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


UPLOAD_BODY = _body({**_PARTS, "key": _KEY_PART})
VERSION_BODY = _body(_PARTS)


async def accept_upload(
    request: Request,
    services: Services,
    caller: Identity,
    idempotency_key: str | None,
    *,
    replaces: str | None = None,
) -> UploadView:
    """Store the file of the request. ``replaces``: the document whose next version it is."""
    org = caller.org_id
    await check_quota(services, org, 0)
    async with receive_upload(services.intake.scratch_dir, services.intake.max_bytes) as incoming:
        form = await receive_file(request, incoming.write)
        labels = upload_labels(form)
        key = clean_key(next((value for value in form.values("key") if value.strip()), None))
        if key is not None and replaces is not None:
            raise UserError("A new version has the key of its document: send no part `key`.")
        pipeline = next((value for value in form.values("pipeline") if value), None)
        services.intake.require_pipeline(pipeline)
        if idempotency_key is not None:
            known = await services.queries.sha256_of_idempotency_key(org, idempotency_key)
            if known is not None and known != incoming.sha256:
                raise KeyConflict("This Idempotency-Key was already used for another file.")
        await check_quota(services, org, incoming.size)
        submitted = await services.intake.accept(
            org, form.name, incoming, idempotency_key, caller.actor, labels, pipeline, key, replaces
        )
    document = submitted.document or await services.queries.newest_version(org, submitted.document_id)
    return upload_view(
        document, run_id=submitted.run_id, duplicate=submitted.duplicate, version=submitted.version
    )
