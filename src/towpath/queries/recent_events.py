"""Finds the events since a time without an index on it: their ids grow with time."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func, select

from towpath.ledger.columns import to_instant
from towpath.ledger.database import Transaction
from towpath.ledger.tables import run_events

_events = run_events.c
#: Transactions take their ids in another order than their times, by at most this.
DISORDER = timedelta(minutes=5)


def last_event_before(tx: Transaction, since: datetime) -> int:
    """The id of an event that is older than ``since``, with fewer than twice as many events after it as there are
    since then; 0 if there is none. It reads one row for each power of two.
    """
    newest = tx.connection.execute(select(func.max(_events.id))).scalar() or 0
    step = 1_024
    while step < newest:
        query = select(_events.at).where(_events.id <= newest - step).order_by(_events.id.desc()).limit(1)
        at = tx.connection.execute(query).scalar()
        if at is None:
            return 0
        if to_instant(at) < since - DISORDER:
            return int(newest - step)
        step *= 2
    return 0
