"""Commands that look after an installation: keys, check, prune."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import asdict, fields
from typing import TypedDict, TypeVar

import click

from towpath import app
from towpath.access.sql import SqlKeys
from towpath.catalogue.sql import SqlCatalogue
from towpath.cli.options import Loaded, common
from towpath.clock import SystemClock
from towpath.config import Settings, shown
from towpath.errors import UserError
from towpath.folder import owned
from towpath.ledger import migrate as migrations
from towpath.ledger.contract import Pruned
from towpath.ledger.ledger import SqlLedger
from towpath.worker.housekeeping import Housekeeper

T = TypeVar("T")


class Comparison(TypedDict):
    blobs: int
    orphans: list[str]
    missing: list[str]


@click.group()
def keys() -> None:
    """API keys: made, listed, revoked."""


@keys.command("create")
@common
@click.argument("name")
@click.option("--organization", default="home", help="Whose key it is; made when it is new.")
@click.option("--json", "as_json", is_flag=True)
def create_key(loaded: Loaded, name: str, organization: str, as_json: bool) -> None:
    """Make a key. Its secret is shown now and never again."""
    key, secret = _with_keys(loaded, lambda keys: keys.create(organization, name, SystemClock().now()))
    if as_json:
        click.echo(json.dumps({"id": key.id, "org_id": key.org_id, "secret": secret}))
    else:
        click.echo(
            f"{secret}\nKeep it now: it is stored only as a hash. (id {key.id}, organization {key.org_name})"
        )


@keys.command("list")
@common
@click.option("--json", "as_json", is_flag=True)
def list_keys(loaded: Loaded, as_json: bool) -> None:
    """All keys, without their secrets."""
    found = _with_keys(loaded, lambda keys: keys.listed())
    if as_json:
        click.echo(json.dumps([asdict(key) for key in found], default=str))
    for key in [] if as_json else found:
        state = f"revoked {key.revoked_at:%Y-%m-%d}" if key.revoked_at else "living"
        click.echo(f"{key.id} {key.prefix}… {key.org_name:12} {key.name:20} {state}")


@keys.command("revoke")
@common
@click.argument("key_id")
def revoke_key(loaded: Loaded, key_id: str) -> None:
    """End a key."""
    _with_keys(loaded, lambda keys: keys.revoke(key_id, SystemClock().now()))
    click.echo("revoked")


def _with_keys(loaded: Loaded, question: Callable[[SqlKeys], Awaitable[T]]) -> T:
    """Keys are looked after beside a running server, too: both only read and write rows."""
    database = app.open_database(loaded.settings)
    try:
        if loaded.settings.embedded:
            migrations.upgrade(database.engine)

        async def asked() -> T:
            return await question(SqlKeys(database))

        return asyncio.run(asked())
    finally:
        database.close()


@click.command()
@common
@click.option(
    "--repair", is_flag=True, help="Remove files that no row points to. The server must be stopped."
)
@click.option("--json", "as_json", is_flag=True)
def check(loaded: Loaded, repair: bool, as_json: bool) -> None:
    """What was understood of the settings, and whether files and rows fit together."""
    settings = loaded.settings
    if repair and not settings.embedded:
        # A file of an upload that is just being recorded looks like an orphan.
        click.confirm("Are all servers and workers of this database stopped?", abort=True)
    found = asyncio.run(_compare(settings, repair))
    values = {item.name: shown(settings, item.name) for item in fields(settings)}
    if as_json:
        told = {name: {"value": value, "source": loaded.sources[name]} for name, value in values.items()}
        click.echo(json.dumps({"settings": told, "storage": found}, default=str))
    else:
        for name, value in values.items():
            click.echo(f"{name:42} {value!s:28} {loaded.sources[name]}")
        click.echo(f"\n{found['blobs']} files, {len(found['orphans'])} that nothing points to, ", nl=False)
        click.echo(f"{len(found['missing'])} missing" + (", orphans removed" if repair else ""))
    if found["missing"]:
        raise UserError("Some files are missing: " + ", ".join(found["missing"][:5]))
    app.check_providers(settings)


async def _compare(settings: Settings, repair: bool) -> Comparison:
    async with AsyncExitStack() as stack:
        if repair and settings.embedded:
            stack.enter_context(owned(settings.data, ""))
        database = app.open_database(settings)
        stack.callback(database.close)
        if settings.embedded:
            migrations.upgrade(database.engine)
        if not app.bind_organizations(database, work=False):
            # It would take the files of every organization for orphans, and --repair would remove them.
            raise UserError("This database role does not see all organizations: check with a worker's role.")
        store = await stack.enter_async_context(app.opened_store(settings))
        wanted = await SqlCatalogue(database, {}).blob_keys()
        # A container may hold other people's blobs, too: ours begin like this.
        there = {key async for key in store.keys("orgs/")}
        orphans = sorted(there - wanted)
        if repair:
            for key in orphans:
                await store.delete(key)
        return {"blobs": len(there), "orphans": orphans, "missing": sorted(wanted - there)}


@click.command()
@common
@click.option("--json", "as_json", is_flag=True)
def prune(loaded: Loaded, as_json: bool) -> None:
    """Remove old history and unneeded answers now, by the rules of the settings. Servers may run meanwhile."""
    total = asyncio.run(_prune(loaded.settings))
    told = {"runs": total.runs, "jobs": total.jobs, "events": total.events, "answers": total.answers}
    click.echo(json.dumps(told) if as_json else ", ".join(f"{count} {what}" for what, count in told.items()))


async def _prune(settings: Settings) -> Pruned:
    database = app.open_database(settings)
    try:
        if settings.embedded:
            migrations.upgrade(database.engine)
        async with app.opened_store(settings) as store:
            keeper = Housekeeper(SqlLedger(database), store, SystemClock(), app.keep_rules(settings))
            return await keeper.clean()
    finally:
        database.close()
