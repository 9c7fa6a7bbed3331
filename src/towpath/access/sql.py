"""API keys in the database, stored as hashes."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, func, insert, select, update

from towpath.access.contract import ApiKey
from towpath.errors import NotFound
from towpath.ledger.columns import to_instant, to_instant_or_none
from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import api_keys, organizations
from towpath.model.ids import new_id

_keys = api_keys.c
#: last_used_at is updated at most this often, so that most requests write nothing.
_LAST_USED_INTERVAL = timedelta(minutes=5)


class SqlKeys:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, org_name: str, name: str, now: datetime) -> tuple[ApiKey, str]:
        secret = f"tp_{secrets.token_urlsafe(32)}"
        key_id = new_id()

        def work(tx: Transaction) -> ApiKey:
            org_id = _organization(tx, org_name, now)
            tx.connection.execute(
                insert(api_keys).values(
                    id=key_id, org_id=org_id, name=name, prefix=secret[:8], hash=_hash(secret), created_at=now
                )
            )
            return _key(tx.connection.execute(_query().where(_keys.id == key_id)).one())

        return await self._database.run(work), secret

    async def all_keys(self) -> list[ApiKey]:
        query = _query().order_by(_keys.created_at, _keys.id)
        return await self._database.run(
            lambda tx: [_key(row) for row in tx.connection.execute(query)], read=True
        )

    async def revoke(self, key_id: str, now: datetime) -> None:
        change = update(api_keys).where(_keys.id == key_id, _keys.revoked_at.is_(None)).values(revoked_at=now)
        changed = await self._database.run(lambda tx: tx.connection.execute(change).rowcount)
        if not changed:
            raise NotFound(f"There is no active key {key_id}. `towpath keys list` lists all keys.")

    async def find_organization(self, secret: str, now: datetime) -> str | None:
        query = select(_keys.id, _keys.org_id, _keys.last_used_at).where(
            _keys.hash == _hash(secret), _keys.revoked_at.is_(None)
        )

        def read(tx: Transaction) -> Any:
            if tx.dialect == "postgres":
                # Row-level security shows a key to a request that knows its hash; the organization is not known yet.
                tx.connection.execute(select(func.set_config("towpath.key", _hash(secret), True)))
            return tx.connection.execute(query).one_or_none()

        row = await self._database.run(read, read=True)
        if row is None:
            return None
        last_used_at = to_instant_or_none(row.last_used_at)
        if last_used_at is None or now - last_used_at > _LAST_USED_INTERVAL:
            statement = update(api_keys).where(_keys.id == row.id).values(last_used_at=now)
            await self._database.run(lambda tx: tx.connection.execute(statement), org=str(row.org_id))
        return str(row.org_id)


def _hash(secret: str) -> str:
    # The secret has 256 random bits, so a fast hash is enough.
    return hashlib.sha256(secret.encode()).hexdigest()


def _organization(tx: Transaction, name: str, now: datetime) -> str:
    known_id = tx.connection.execute(select(organizations.c.id).where(organizations.c.name == name)).scalar()
    if known_id is not None:
        return str(known_id)
    org_id = new_id()
    tx.connection.execute(insert(organizations).values(id=org_id, name=name, created_at=now))
    return org_id


def _query() -> Any:
    return select(api_keys, organizations.c.name.label("org_name")).join(
        organizations, organizations.c.id == _keys.org_id
    )


def _key(row: Row[Any]) -> ApiKey:
    return ApiKey(
        id=str(row.id),
        org_id=str(row.org_id),
        org_name=row.org_name,
        name=row.name,
        prefix=row.prefix,
        created_at=to_instant(row.created_at),
        last_used_at=to_instant_or_none(row.last_used_at),
        revoked_at=to_instant_or_none(row.revoked_at),
    )
