"""The contract of API keys: create, list, revoke, and find the organization of a secret."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


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


class ApiKeys(Protocol):
    async def create(self, org_name: str, name: str, now: datetime) -> tuple[ApiKey, str]:
        """Create a key, and its organization if it is new; return the key and its secret."""
        ...

    async def all_keys(self) -> list[ApiKey]: ...
    async def revoke(self, key_id: str, now: datetime) -> None: ...

    async def find_organization(self, secret: str, now: datetime) -> str | None:
        """The id of the organization of a secret; None if the secret is unknown or revoked."""
        ...
