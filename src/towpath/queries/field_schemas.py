"""Lists and finds the field schemas of an organization: its own, those of the settings folder, the shipped ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from towpath.errors import NotFound
from towpath.fields.schemas import shipped_schemas
from towpath.ledger.contract.field_schemas import StoredFieldSchemas
from towpath.model.field_schema import FieldSchema

SchemaSource = Literal["shipped", "folder", "organization"]


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    schema: FieldSchema
    source: SchemaSource


class FieldSchemaCatalog:
    """Finds schemas by name. A schema of the organization hides one of the folder, which hides a shipped one."""

    def __init__(self, stored: StoredFieldSchemas, folder: Mapping[str, FieldSchema]) -> None:
        self._stored = stored
        files: dict[str, CatalogEntry] = {
            name: CatalogEntry(schema, "shipped") for name, schema in shipped_schemas().items()
        }
        files |= {name: CatalogEntry(schema, "folder") for name, schema in folder.items()}
        self._files = files

    async def find(self, org_id: str, name: str) -> FieldSchema | None:
        schema = await self._stored.get(org_id, name)
        if schema is None and name in self._files:
            return self._files[name].schema
        return schema

    async def list(self, org_id: str) -> list[CatalogEntry]:
        own = {
            schema.name: CatalogEntry(schema, "organization") for schema in await self._stored.list(org_id)
        }
        return [entry for _, entry in sorted((self._files | own).items())]

    async def get(self, org_id: str, name: str) -> CatalogEntry:
        schema = await self._stored.get(org_id, name)
        if schema is not None:
            return CatalogEntry(schema, "organization")
        if name not in self._files:
            raise NotFound(f"There is no schema `{name[:80]}`.")
        return self._files[name]

    async def put(self, org_id: str, schema: FieldSchema, now: datetime) -> bool:
        """Store a schema of the organization; whether it is new."""
        return await self._stored.put(org_id, schema, now)

    async def delete(self, org_id: str, name: str) -> None:
        if await self._stored.delete(org_id, name):
            return
        if name in self._files:
            raise NotFound(f"The schema `{name}` is a file, not a schema of the organization. It stays.")
        raise NotFound(f"There is no schema `{name[:80]}`.")
