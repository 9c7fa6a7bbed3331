"""Gates of providers: closed by whoever is told to wait, seen by all; and who shares a provider's limits.

A gate's row is written once for each complaint, never for each call. A user's row is its own, so no row
here is fought for.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, insert, select, update

from towpath.ledger.columns import readable, to_instant
from towpath.ledger.contract import Gate
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, provider_gates, provider_users
from towpath.model.work import JobStatus

_gates, _users, _jobs = provider_gates.c, provider_users.c, document_processing_jobs.c

#: Whoever has not been seen for so long no longer counts as a user.
GONE = timedelta(seconds=30)


def close(tx: Transaction, provider: str, until: datetime, reason: str, now: datetime) -> None:
    tx.run("close_gate", provider=provider, until=until, reason=readable(reason), now=now)


def open_again(tx: Transaction, provider: str, now: datetime, due: datetime) -> None:
    tx.connection.execute(
        update(provider_gates).where(_gates.provider == provider).values(closed_until=now, updated_at=now)
    )
    tx.connection.execute(
        update(document_processing_jobs)
        .where(
            _jobs.status == JobStatus.PENDING,
            _jobs.available_at > due,
            _jobs.waiting_for.startswith(f"{provider}: ", autoescape=True),
        )
        .values(available_at=due, updated_at=now)
    )


def look(tx: Transaction, provider: str, user: str | None, now: datetime) -> Gate:
    """The state of a gate. With ``user``, that one is noted as using the provider now."""
    users = [] if user is None else _note(tx, provider, user, now)
    place = [name for name, _ in users].index(user) if user is not None else 0
    since = users[place][1] if users else now
    row = tx.connection.execute(
        select(_gates.closed_until, _gates.reason, _gates.updated_at).where(_gates.provider == provider)
    ).first()
    if row is None:
        return Gate(None, "", place, max(1, len(users)), since)
    changed_at = to_instant(row.updated_at)
    return Gate(to_instant(row.closed_until), row.reason, place, max(1, len(users)), since, changed_at)


def leave(tx: Transaction, user: str) -> None:
    tx.connection.execute(delete(provider_users).where(_users.user_id == user))


def _note(tx: Transaction, provider: str, user: str, now: datetime) -> list[tuple[str, datetime]]:
    """Everyone who uses the provider, in an order that is the same for all, and since when."""
    mine = (_users.provider == provider, _users.user_id == user)
    living = _users.seen_at > now - GONE
    connection = tx.connection
    if connection.execute(update(provider_users).where(*mine, living).values(seen_at=now)).rowcount == 0:
        connection.execute(delete(provider_users).where(_users.provider == provider, ~living))
        connection.execute(
            insert(provider_users).values(provider=provider, user_id=user, joined_at=now, seen_at=now)
        )
    rows = connection.execute(
        select(_users.user_id, _users.joined_at)
        .where(_users.provider == provider, living)
        .order_by(_users.user_id)
    )
    return [(str(row.user_id), to_instant(row.joined_at)) for row in rows]
