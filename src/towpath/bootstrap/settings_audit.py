"""Writes to the audit log that a server was started with other settings than the last time."""

from __future__ import annotations

import logging
from dataclasses import fields
from typing import cast

from towpath.config import Settings, display_value
from towpath.errors import TowpathError
from towpath.model.audit import SERVER, AuditAction, AuditEntry
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.server.deps import Services

log = logging.getLogger(__name__)


async def record_settings(settings: Settings, services: Services) -> None:
    """Write an audit row if the settings changed since the last row. A disk or database that is full stops no start."""
    try:
        await _record(settings, services)
    except TowpathError as error:
        log.warning("the settings were not recorded in the audit log: %s", error)


async def _record(settings: Settings, services: Services) -> None:
    # Only settings that differ from their defaults, and no secrets.
    chosen: dict[str, object] = {
        item.name: str(display_value(settings, item.name))
        for item in fields(Settings)
        if getattr(settings, item.name) != item.default
    }
    last = await services.audit.entries(
        DEFAULT_ORG_ID, before=None, action=AuditAction.SETTINGS_CHANGED, with_settings=True, limit=1
    )
    before = cast("dict[str, object]", last[0]["detail"].get("settings")) if last else {}
    if chosen == before:
        return
    changed = sorted(name for name in chosen.keys() | before.keys() if chosen.get(name) != before.get(name))
    detail: dict[str, object] = {"changed": changed, "settings": chosen}
    entry = AuditEntry(AuditAction.SETTINGS_CHANGED, SERVER, detail=detail)
    await services.audit.record(DEFAULT_ORG_ID, [entry], services.clock.now())
