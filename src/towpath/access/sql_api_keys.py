"""Creates, lists, revokes and checks API keys. The database stores only the hashes of their secrets."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, func, insert, select, update

from towpath.access.contract import ApiKey, NewKey, Scope
from towpath.errors import NotFound
from towpath.ledger.columns import to_instant, to_instant_or_none
from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import api_keys, organizations
from towpath.ledger.verbs.audit import write_audit
from towpath.model.audit import COMMAND_LINE, Actor, AuditAction, AuditEntry
from towpath.model.ids import is_id, new_id

_keys = api_keys.c
#: last_used_at is updated at most this often, so that most requests write nothing.
_LAST_USED_INTERVAL = timedelta(minutes=5)


class SqlApiKeys:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self, org_name: str, key: NewKey | str, now: datetime, actor: Actor = COMMAND_LINE
    ) -> tuple[ApiKey, str]:
        new_key = NewKey(key) if isinstance(key, str) else key
        secret = _new_secret()

        def work(tx: Transaction) -> ApiKey:
            return _insert(tx, _organization(tx, org_name, now), new_key, secret, now, actor)

        return await self._database.run(work), secret

    async def create_in(self, org_id: str, key: NewKey, now: datetime, actor: Actor) -> tuple[ApiKey, str]:
        secret = _new_secret()
        created = await self._database.run(
            lambda tx: _insert(tx, org_id, key, secret, now, actor), org=org_id
        )
        return created, secret

    async def all_keys(self) -> list[ApiKey]:
        return await self._list(None)

    async def keys_of(self, org_id: str) -> list[ApiKey]:
        return await self._list(org_id)

    async def _list(self, org_id: str | None) -> list[ApiKey]:
        query = _query().order_by(_keys.created_at, _keys.id)
        if org_id is not None:
            query = query.where(_keys.org_id == org_id)
        return await self._database.run(
            lambda tx: [_key(row) for row in tx.connection.execute(query)], read=True, org=org_id
        )

    async def revoke(
        self, key_id: str, now: datetime, actor: Actor = COMMAND_LINE, org_id: str | None = None
    ) -> None:
        def work(tx: Transaction) -> bool:
            condition = (_keys.id == key_id) & _keys.revoked_at.is_(None)
            if org_id is not None:
                condition &= _keys.org_id == org_id
            row = tx.connection.execute(select(_keys.org_id, _keys.name).where(condition)).one_or_none()
            if row is None:
                return False
            tx.connection.execute(update(api_keys).where(condition).values(revoked_at=now))
            entry = AuditEntry(AuditAction.KEY_REVOKED, actor, subject=key_id, detail={"name": row.name})
            write_audit(tx, [(str(row.org_id), entry)], now)
            return True

        if not is_id(key_id) or not await self._database.run(work, org=org_id):
            raise NotFound(f"There is no active key {key_id}. `towpath keys list` lists all keys.")

    async def authenticate(self, secret: str, now: datetime) -> ApiKey | None:
        query = _query().where(_keys.hash == _hash(secret))

        def read(tx: Transaction) -> Any:
            if tx.dialect == "postgres":
                # Row-level security shows a key to a request that knows its hash; the organization is not known yet.
                tx.connection.execute(select(func.set_config("towpath.key", _hash(secret), True)))
            return tx.connection.execute(query).one_or_none()

        row = await self._database.run(read, read=True)
        if row is None:
            return None
        key = _key(row)
        if not key.is_active(now):
            return None
        if key.last_used_at is None or now - key.last_used_at > _LAST_USED_INTERVAL:
            statement = update(api_keys).where(_keys.id == key.id).values(last_used_at=now)
            await self._database.run(lambda tx: tx.connection.execute(statement), org=key.org_id)
        return key


def _new_secret() -> str:
    return f"tp_{secrets.token_urlsafe(32)}"


def _hash(secret: str) -> str:
    # The secret has 256 random bits, so a fast hash is enough.
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def _insert(tx: Transaction, org_id: str, key: NewKey, secret: str, now: datetime, actor: Actor) -> ApiKey:
    key_id = new_id()
    scopes = " ".join(scope for scope in Scope if scope in key.scopes)
    tx.connection.execute(
        insert(api_keys).values(
            id=key_id,
            org_id=org_id,
            name=key.name,
            prefix=secret[:8],
            hash=_hash(secret),
            created_at=now,
            scopes=scopes,
            expires_at=key.expires_at,
            stages=None if key.stages is None else " ".join(sorted(key.stages)),
        )
    )
    detail: dict[str, object] = {"name": key.name, "scopes": scopes}
    if key.stages is not None:
        detail["stages"] = sorted(key.stages)
    write_audit(
        tx, [(org_id, AuditEntry(AuditAction.KEY_CREATED, actor, subject=key_id, detail=detail))], now
    )
    return _key(tx.connection.execute(_query().where(_keys.id == key_id)).one())


def _organization(tx: Transaction, name: str, now: datetime) -> str:
    known_id = tx.connection.execute(select(organizations.c.id).where(organizations.c.name == name)).scalar()
    if known_id is not None:
        return str(known_id)
    org_id = new_id()
    tx.connection.execute(insert(organizations).values(id=org_id, name=name, created_at=now))
    return org_id


def _query() -> Any:
    # An outer join: while the organization of a request is not known, row-level security hides its row.
    return select(api_keys, organizations.c.name.label("org_name")).outerjoin(
        organizations, organizations.c.id == _keys.org_id
    )


def _key(row: Row[Any]) -> ApiKey:
    return ApiKey(
        id=str(row.id),
        org_id=str(row.org_id),
        org_name=row.org_name or "",
        name=row.name,
        prefix=row.prefix,
        created_at=to_instant(row.created_at),
        last_used_at=to_instant_or_none(row.last_used_at),
        revoked_at=to_instant_or_none(row.revoked_at),
        scopes=frozenset(scope for scope in Scope if scope in row.scopes.split()),
        expires_at=to_instant_or_none(row.expires_at),
        stages=None if row.stages is None else frozenset(row.stages.split()),
    )
