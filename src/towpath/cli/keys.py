"""Executes the commands for API keys. They use the database itself, also while a server runs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TypeVar

import click

from towpath import bootstrap
from towpath.access.contract import DEFAULT_SCOPES, ApiKey, NewKey, Scope
from towpath.access.sql_api_keys import SqlApiKeys
from towpath.cli.client import require_library
from towpath.cli.lookup import unique_id
from towpath.cli.text_format import table_lines
from towpath.clock import SystemClock
from towpath.config import Settings
from towpath.ledger import migrate as migrations

T = TypeVar("T")


def create_key(
    settings: Settings,
    name: str,
    organization: str,
    scopes: Sequence[str],
    expires_days: float | None,
    stages: Sequence[str],
    as_json: bool,
) -> None:
    """Create an API key and print its secret."""
    if stages and Scope.WORKER not in scopes:
        raise click.UsageError("--stage limits a key with the scope worker: add --scope worker.")
    now = SystemClock().now()
    expires_at = None if expires_days is None else now + timedelta(days=expires_days)
    new_key = NewKey(
        name, frozenset(map(Scope, scopes)) or DEFAULT_SCOPES, expires_at, frozenset(stages) or None
    )
    key, secret = _with_keys(settings, lambda keys: keys.create(organization, new_key, now))
    if as_json:
        click.echo(json.dumps({"id": key.id, "org_id": key.org_id, "secret": secret}))
        return
    click.echo(
        f"{secret}\nStore it now: only its hash is kept. (id {key.id}, organization {key.org_name}, "
        f"scopes {_scopes(key)}{f', expires {expires_at:%Y-%m-%d}' if expires_at else ''})"
    )


def list_keys(settings: Settings, as_json: bool) -> None:
    """Print all API keys, without their secrets."""
    require_library(settings)
    api_keys = _with_keys(settings, lambda keys: keys.all_keys())
    if as_json:
        rows = [
            {**asdict(key), "scopes": sorted(key.scopes), "stages": key.stages and sorted(key.stages)}
            for key in api_keys
        ]
        click.echo(json.dumps(rows, default=str))
        return
    if not api_keys:
        click.echo("No keys. Create one with `towpath keys create NAME`.")
        return
    now = SystemClock().now()
    rows = [
        (
            key.id,
            key.name,
            f"{key.prefix}…",
            key.org_name,
            _scopes(key),
            _state(key, now),
            f"{key.last_used_at:%Y-%m-%d}" if key.last_used_at else "never",
        )
        for key in api_keys
    ]
    headers = ("ID", "NAME", "SECRET", "ORGANIZATION", "SCOPES", "STATE", "USED")
    click.echo("\n".join(table_lines(headers, rows)))


def revoke_key(settings: Settings, key_id: str) -> None:
    require_library(settings)

    async def revoke(keys: SqlApiKeys) -> None:
        active = [(key.id, key.name) for key in await keys.all_keys() if key.revoked_at is None]
        found = unique_id(key_id, active, "active key", "towpath keys list")
        await keys.revoke(found, SystemClock().now())

    _with_keys(settings, revoke)
    click.echo("Revoked.")


def _scopes(key: ApiKey) -> str:
    scopes = "+".join(scope for scope in Scope if scope in key.scopes)
    return f"{scopes} ({', '.join(sorted(key.stages))})" if key.stages else scopes


def _state(key: ApiKey, now: datetime) -> str:
    if key.revoked_at:
        return f"revoked {key.revoked_at:%Y-%m-%d}"
    if not key.is_active(now):
        return f"expired {key.expires_at:%Y-%m-%d}"
    return f"active until {key.expires_at:%Y-%m-%d}" if key.expires_at else "active"


def _with_keys(settings: Settings, action: Callable[[SqlApiKeys], Awaitable[T]]) -> T:
    """Open the database and apply ``action`` to its keys. Safe while a server runs: it only uses rows."""
    database = bootstrap.open_database(settings)
    try:
        if settings.embedded:
            migrations.upgrade(database.engine)

        async def apply() -> T:
            return await action(SqlApiKeys(database))

        return asyncio.run(apply())
    finally:
        database.close()
