"""Request and response models for API keys and the audit log."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from towpath.access.contract import ApiKey, Scope
from towpath.model.audit import AuditAction
from towpath.server.document_filters import Moment
from towpath.server.schemas.base import View


class KeyView(View):
    id: str
    name: str
    prefix: str = Field(description="The first characters of the secret, to recognize the key")
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None = Field(description="Exact to five minutes")
    revoked_at: datetime | None
    stages: list[str] | None = Field(
        None, description="Stages whose jobs a key with the scope `worker` may claim; null is every stage"
    )


class CreatedKeyView(KeyView):
    secret: str = Field(description="Shown once: only its hash is stored")


class KeyRequest(View):
    name: str = Field(min_length=1, max_length=200)
    scopes: list[Scope] = Field(default=[Scope.READ, Scope.WRITE], min_length=1, max_length=20)
    expires_at: Moment | None = None
    stages: list[Annotated[str, Field(pattern=r"^[a-z0-9_]{1,100}$")]] | None = Field(
        None, min_length=1, max_length=100, description="Stages of a key with the scope `worker`"
    )


class AuditEntryView(View):
    id: int
    org_id: str
    at: datetime
    action: AuditAction
    actor: str = Field(description="`key`, `local` (on this machine without a key), `cli` or `server`")
    actor_name: str = Field(description="Name of the key")
    key_id: str | None
    address: str | None
    subject: str | None = Field(description="Id of the document, run, job, connection, key or webhook")
    detail: dict[str, object]


def key_view(key: ApiKey) -> KeyView:
    return KeyView(
        id=key.id,
        name=key.name,
        prefix=key.prefix,
        scopes=[scope for scope in Scope if scope in key.scopes],
        created_at=key.created_at,
        expires_at=key.expires_at,
        last_used_at=key.last_used_at,
        revoked_at=key.revoked_at,
        stages=None if key.stages is None else sorted(key.stages),
    )
