"""Reads and stores how many inputs per request an embedding server accepts, for all workers."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import select

from towpath.ledger.columns import strip_unstorable
from towpath.ledger.database import Transaction
from towpath.ledger.tables import provider_batch_limits

_limits = provider_batch_limits.c

#: An older limit is ignored: the server may accept more by now, and a refused request costs nothing.
VALID_FOR = timedelta(days=30)


def batch_limit(tx: Transaction, provider: str, endpoint: str, now: datetime) -> int | None:
    query = select(_limits.inputs).where(
        _limits.provider == provider,
        _limits.endpoint == strip_unstorable(endpoint),
        _limits.updated_at > now - VALID_FOR,
    )
    return tx.connection.execute(query).scalar()


def save_batch_limit(tx: Transaction, provider: str, endpoint: str, inputs: int, now: datetime) -> None:
    """Replace the limit. Of two workers that find one at the same time, either may win: both were accepted."""
    key = {"provider": provider, "endpoint": strip_unstorable(endpoint)}
    tx.run("save_batch_limit", **key, inputs=inputs, now=now)
