"""Types and protocols of access control: API keys with scopes, the identity of a request, and the audit log."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from towpath.model.audit import COMMAND_LINE, Actor, AuditEntry


class Scope(StrEnum):
    """What a key may do. The values are stored."""

    READ = "read"
    """Read the documents, runs, jobs and metrics of its organization, and search them."""
    WRITE = "write"
    """Upload, change, reprocess, retry, cancel and delete."""
    WORKER = "worker"
    """Claim and settle jobs (`/worker/…`)."""
    OPERATE = "operate"
    """Create and revoke keys of its organization, and see totals, workers and audit rows of all organizations."""


ALL_SCOPES = frozenset(Scope)
DEFAULT_SCOPES = frozenset({Scope.READ, Scope.WRITE})


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key without its secret. The secret is shown once, at creation, and only its hash is stored."""

    id: str
    org_id: str
    org_name: str
    name: str
    prefix: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None
    scopes: frozenset[Scope] = DEFAULT_SCOPES
    expires_at: datetime | None = None
    #: The stages whose jobs a key with the scope `worker` may claim; None is every stage.
    stages: frozenset[str] | None = None

    def is_active(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)


@dataclass(frozen=True, slots=True)
class NewKey:
    """The name, scopes, expiry and stages of a key to create."""

    name: str
    scopes: Collection[Scope] = DEFAULT_SCOPES
    expires_at: datetime | None = None
    stages: Collection[str] | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """Who sends a request: an organization, what it may do, and the actor for the audit log."""

    org_id: str
    scopes: frozenset[Scope]
    actor: Actor
    #: The stages whose jobs it may claim; None is every stage.
    stages: frozenset[str] | None = None

    @property
    def is_operator(self) -> bool:
        return Scope.OPERATE in self.scopes


class ApiKeys(Protocol):
    async def create(
        self, org_name: str, key: NewKey | str, now: datetime, actor: Actor = COMMAND_LINE
    ) -> tuple[ApiKey, str]:
        """Create a key, and its organization if it is new; return the key and its secret."""
        ...

    async def create_in(self, org_id: str, key: NewKey, now: datetime, actor: Actor) -> tuple[ApiKey, str]:
        """Create a key of an existing organization; return the key and its secret."""
        ...

    async def all_keys(self) -> list[ApiKey]: ...
    async def keys_of(self, org_id: str) -> list[ApiKey]: ...

    async def revoke(
        self, key_id: str, now: datetime, actor: Actor = COMMAND_LINE, org_id: str | None = None
    ) -> None:
        """Revoke a key, of this organization if one is given. Requests after the return are refused."""
        ...

    async def authenticate(self, secret: str, now: datetime) -> ApiKey | None:
        """The key of a secret; None if the secret is unknown, expired or revoked."""
        ...


class AuditLog(Protocol):
    async def record(self, org_id: str, entries: Sequence[AuditEntry], now: datetime) -> None: ...

    async def entries(
        self,
        org_id: str | None,
        *,
        before: int | None,
        action: str | None,
        with_settings: bool,
        limit: int,
    ) -> list[dict[str, Any]]:
        """The newest rows of one organization, or of all. ``with_settings``: also changes of settings."""
        ...
