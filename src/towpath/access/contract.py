"""Who may come in: organizations and their API keys."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is remembered: the secret itself was shown once and is kept nowhere."""

    id: str
    org_id: str
    org_name: str
    name: str
    prefix: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class Keys(Protocol):
    async def create(self, org_name: str, name: str, now: datetime) -> tuple[ApiKey, str]:
        """Make a key, and its organization when it is new; the second is the secret, shown only now."""
        ...

    async def listed(self) -> list[ApiKey]: ...
    async def revoke(self, key_id: str, now: datetime) -> None: ...

    async def org_of(self, secret: str, now: datetime) -> str | None:
        """The organization a secret belongs to; None for an unknown or revoked one."""
        ...
