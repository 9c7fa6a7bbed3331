"""The contract of the field schemas of organizations. `sql_field_schemas.py` implements it."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from towpath.model.field_schema import FieldSchema


class StoredFieldSchemas(Protocol):
    """Reads and writes the schemas that an organization stored."""

    async def get(self, org_id: str, name: str) -> FieldSchema | None: ...
    async def list(self, org_id: str) -> list[FieldSchema]:
        """All of them, by name."""
        ...

    async def put(self, org_id: str, schema: FieldSchema, now: datetime) -> bool:
        """Store or replace a schema; whether it is new."""
        ...

    async def delete(self, org_id: str, name: str) -> bool:
        """Whether there was one."""
        ...
