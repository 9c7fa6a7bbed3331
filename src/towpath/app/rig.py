"""The parts of the program that a drill replaces; as they stand here, what everybody runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from towpath.app.storage import open_database
from towpath.config import Settings
from towpath.ledger.database import Database
from towpath.ledger.ledger import SqlLedger
from towpath.ledger.verbs.publish import apply
from towpath.worker.children import Children


def plain_ledger(database: Database) -> SqlLedger:
    return SqlLedger(database, apply=apply)


def capped_children(settings: Settings) -> Children:
    return Children(settings.child_processes, memory_bytes=settings.child_memory_mb << 20, niceness=5)


@dataclass(frozen=True, slots=True)
class Rig:
    """``alone``: whether an embedded program owns its folder, and may take every running run for an orphan."""

    alone: bool = True
    database: Callable[[Settings], Database] = open_database
    ledger: Callable[[Database], SqlLedger] = plain_ledger
    children: Callable[[Settings], Children] = capped_children
