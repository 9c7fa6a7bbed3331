"""settle: a batch of what workers say about their jobs, one transaction, each fenced by its own lease."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import select

from towpath.errors import LeaseLost
from towpath.ledger.columns import dump, to_instant_or_none, to_text
from towpath.ledger.contract import Advance, Fail, Finish, Release, Settled, Settlement, Suspended
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs
from towpath.model.ids import new_id
from towpath.model.work import JobStatus, Lease

Apply = Callable[[Transaction, str, object], None]
Row = dict[str, object]

_VERB: dict[type[Settlement], str] = {
    Advance: "advance",
    Finish: "finish",
    Fail: "fail",
    Suspended: "suspend",
    Release: "release",
}


def settle(
    tx: Transaction, settlements: Sequence[Settlement], now: datetime, lease_seconds: float, apply: Apply
) -> list[Settled | LeaseLost]:
    until = now + timedelta(seconds=lease_seconds)
    held: dict[str, str] = {}
    over: set[str] = set()
    following: dict[str, str] = {}
    for kind, verb in _VERB.items():
        batch = [item for item in settlements if type(item) is kind]
        if not batch:
            continue
        written = [_row(item, now) for item in batch]
        following.update((str(row["job_id"]), str(row["next_id"])) for row in written if "next_id" in row)
        extra = {"until": until} if kind is Advance else {}
        for row in tx.run(verb, rows=dump(written), now=now, **extra):
            held[str(row.job_id)] = row.status
            if row.ended is not None:
                over.add(str(row.document_id))
    for item in settlements:
        if isinstance(item, Advance | Finish) and item.lease.job_id in held:
            for write in item.writes:
                apply(tx, item.lease.job_id, write)
    if over:
        tx.run("wake_next", documents=dump(sorted(over)), now=now)
    missing = [item.lease for item in settlements if item.lease.job_id not in held]
    earlier = _settled_before(tx, missing) if missing else {}
    return [_answer(item, held, earlier, following, until) for item in settlements]


def is_single(settlements: Sequence[Settlement]) -> bool:
    """Whether the batch is one statement, so that the transaction can be the statement itself."""
    kinds = {type(item) for item in settlements}
    return (
        len(kinds) == 1
        and kinds <= {Advance, Suspended, Release}
        and not any(_writes(i) for i in settlements)
    )


def _writes(item: Settlement) -> Sequence[object]:
    return item.writes if isinstance(item, Advance | Finish) else ()


def _row(item: Settlement, now: datetime) -> Row:
    row: Row = {"job_id": item.lease.job_id, "epoch": item.lease.epoch}
    match item:
        case Advance():
            row |= {
                "result": item.result,
                "keep": item.keep,
                "next_id": new_id(),
                "next_stage": item.next_stage,
                "next_payload": item.next_payload,
                "max_attempts": item.max_attempts,
            }
        case Finish():
            follow_ups = [{"id": new_id(), "stage": stage} for stage in item.follow_ups]
            row |= {"result": item.result, "follow_ups": follow_ups, "max_attempts": item.max_attempts}
        case Fail():
            row |= {
                "error": item.error,
                "line": f"{to_text(now)} {item.error}",
                "retry_at": to_text(item.retry_at),
                "final": item.final,
                "failure_type": item.failure_type,
            }
        case Suspended():
            row |= {"until": to_text(item.until), "waiting_for": item.waiting_for, "payload": item.payload}
        case Release():
            pass
    return row


def _settled_before(tx: Transaction, leases: Sequence[Lease]) -> dict[str, tuple[str, Lease | None]]:
    """Settlements that were durable already: a commit whose acknowledgement was lost and is sent again.

    Nobody else can have written under this epoch: every claim and every rescue raises it.
    """
    jobs = document_processing_jobs.c
    found = tx.connection.execute(
        select(jobs.id, jobs.status, jobs.lease_epoch, jobs.document_id, jobs.run_id).where(
            jobs.id.in_([lease.job_id for lease in leases])
        )
    ).all()
    epochs = {lease.job_id: lease for lease in leases}
    answer: dict[str, tuple[str, Lease | None]] = {}
    for row in found:
        lease = epochs[str(row.id)]
        if row.lease_epoch != lease.epoch or row.status in (JobStatus.PROCESSING, JobStatus.CANCELLED):
            continue
        kept = tx.connection.execute(
            select(jobs.id, jobs.lease_epoch, jobs.lease_until).where(
                jobs.document_id == row.document_id,
                jobs.run_id == row.run_id,
                jobs.status == JobStatus.PROCESSING,
                jobs.locked_by == lease.worker,
                jobs.lease_epoch == 1,
            )
        ).one_or_none()
        until = None if kept is None else to_instant_or_none(kept.lease_until)
        after = None if kept is None or until is None else Lease(str(kept.id), 1, lease.worker, until)
        answer[str(row.id)] = (row.status, after if row.status == JobStatus.COMPLETED else None)
    return answer


def _answer(
    item: Settlement,
    held: dict[str, str],
    earlier: dict[str, tuple[str, Lease | None]],
    following: dict[str, str],
    until: datetime,
) -> Settled | LeaseLost:
    job_id = item.lease.job_id
    if job_id in held:
        kept = isinstance(item, Advance) and item.keep
        after = Lease(following[job_id], 1, item.lease.worker, until) if kept else None
        return Settled(job_id, held[job_id], after)
    if job_id in earlier:
        return Settled(job_id, *earlier[job_id])
    return LeaseLost(f"Job {job_id} is no longer held with epoch {item.lease.epoch}.")
