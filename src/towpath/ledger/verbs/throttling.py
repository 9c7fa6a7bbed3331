"""Stores which providers are throttled, for all workers, and how many workers share a provider's limits.

A throttle's row is written once for each refusal, not for each call. Each worker writes only its own row of
`provider_users`, so workers do not wait for each other's row locks.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import delete, insert, select, update

from towpath.ledger.columns import strip_unstorable, to_instant
from towpath.ledger.contract.throttling import ProviderThrottle
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, provider_throttles, provider_users
from towpath.model.job import JobStatus, WaitingReason

_throttles, _users, _jobs = provider_throttles.c, provider_users.c, document_processing_jobs.c

#: A worker that was not seen for this long no longer has a share.
USER_TIMEOUT = timedelta(seconds=30)
#: A job that a worker suspends just after the throttle was ended is due after this time.
RESUME_DELAY = timedelta(seconds=2)


def throttle(
    tx: Transaction, provider: str, until: datetime, reason: WaitingReason, detail: str, now: datetime
) -> None:
    tx.run(
        "throttle_provider",
        provider=provider,
        until=until,
        reason=reason,
        detail=strip_unstorable(detail),
        now=now,
    )


def resume(tx: Transaction, provider: str, now: datetime, due: datetime) -> None:
    """End the throttle; the jobs that wait for its end are due at ``due``.

    A worker may decide to suspend a job before this and write it after this. `suspend` therefore looks at the
    throttle again: a row with `throttled_until = updated_at` was ended here. The row is updated before the jobs,
    so that on Postgres a `suspend` that read it first (`for share`) is committed before the jobs are updated.
    """
    tx.connection.execute(
        update(provider_throttles)
        .where(_throttles.provider == provider)
        .values(throttled_until=now, updated_at=now)
    )
    tx.connection.execute(
        update(document_processing_jobs)
        .where(
            _jobs.status == JobStatus.PENDING,
            _jobs.available_at > due,
            _jobs.waiting_provider == provider,
            _jobs.waiting_reason.in_([WaitingReason.PROVIDER_THROTTLED, WaitingReason.PROVIDER_REFUSED]),
        )
        .values(available_at=due, waiting_until=due, updated_at=now)
    )


def provider_throttle(tx: Transaction, provider: str, user: str | None, now: datetime) -> ProviderThrottle:
    """The state of a provider. ``user`` is recorded as a worker that calls the provider now."""
    users = [] if user is None else _record_user(tx, provider, user, now)
    share_index = [name for name, _ in users].index(user) if user is not None else 0
    since = users[share_index][1] if users else now
    share_count = max(1, len(users))
    row = tx.connection.execute(
        select(_throttles.throttled_until, _throttles.reason, _throttles.detail, _throttles.updated_at).where(
            _throttles.provider == provider
        )
    ).first()
    if row is None:
        return ProviderThrottle(None, None, "", share_index, share_count, since)
    return ProviderThrottle(
        to_instant(row.throttled_until),
        WaitingReason(row.reason),
        row.detail,
        share_index,
        share_count,
        since,
        to_instant(row.updated_at),
    )


def release_share(tx: Transaction, user: str) -> None:
    tx.connection.execute(delete(provider_users).where(_users.user_id == user))


def _record_user(tx: Transaction, provider: str, user: str, now: datetime) -> list[tuple[str, datetime]]:
    """All users of the provider and when each joined, in an order that is the same for every worker."""
    this_user = (_users.provider == provider, _users.user_id == user)
    is_alive = _users.seen_at > now - USER_TIMEOUT
    connection = tx.connection
    refreshed = connection.execute(update(provider_users).where(*this_user, is_alive).values(seen_at=now))
    if refreshed.rowcount == 0:
        connection.execute(delete(provider_users).where(_users.provider == provider, ~is_alive))
        connection.execute(
            insert(provider_users).values(provider=provider, user_id=user, joined_at=now, seen_at=now)
        )
    rows = connection.execute(
        select(_users.user_id, _users.joined_at)
        .where(_users.provider == provider, is_alive)
        .order_by(_users.user_id)
    )
    return [(str(row.user_id), to_instant(row.joined_at)) for row in rows]
