"""Stores the field schemas of organizations in SQLite or Postgres: implements the contract `StoredFieldSchemas`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from towpath.ledger.columns import to_json
from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import field_schemas
from towpath.model.field_schema import FieldSchema, parse_schema

_c = field_schemas.c


class SqlFieldSchemas:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, org_id: str, name: str) -> FieldSchema | None:
        query = select(_c.document).where(_c.org_id == org_id, _c.name == name)

        def read(tx: Transaction) -> FieldSchema | None:
            document = tx.connection.scalar(query)
            return None if document is None else parse_schema(name, to_json(document))

        return await self._database.run(read, read=True, org=org_id)

    async def list(self, org_id: str) -> list[FieldSchema]:
        query = select(_c.name, _c.document).where(_c.org_id == org_id).order_by(_c.name)

        def read(tx: Transaction) -> list[FieldSchema]:
            return [parse_schema(name, to_json(document)) for name, document in tx.connection.execute(query)]

        return await self._database.run(read, read=True, org=org_id)

    async def put(self, org_id: str, schema: FieldSchema, now: datetime) -> bool:
        values = {"document": dict(schema.document), "updated_at": now}
        known = update(field_schemas).where(_c.org_id == org_id, _c.name == schema.name).values(values)

        def write(tx: Transaction) -> bool:
            if tx.connection.execute(known).rowcount:
                return False
            tx.connection.execute(insert(field_schemas).values(org_id=org_id, name=schema.name, **values))
            return True

        try:
            return await self._database.run(write, org=org_id)
        except IntegrityError:
            # Another request stored it first: this one replaces it.
            return await self._database.run(write, org=org_id)

    async def delete(self, org_id: str, name: str) -> bool:
        statement = delete(field_schemas).where(_c.org_id == org_id, _c.name == name)
        return await self._database.run(lambda tx: tx.connection.execute(statement).rowcount > 0, org=org_id)
