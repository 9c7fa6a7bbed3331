"""settle: a batch of what workers say about their jobs, one transaction, each fenced by its own lease."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import select

from towpath.errors import LeaseLost
from towpath.ledger.columns import dump, to_instant, to_text
from towpath.ledger.contract import Advance, Fail, Finish, Release, Settled, Settlement, Suspended
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs
from towpath.ledger.verbs import rows
from towpath.lifecycle.moves import Verb, job_may
from towpath.model.ids import new_id
from towpath.model.work import Job, JobStatus, Lease

Apply = Callable[[Transaction, str, object], None]
Row = dict[str, object]

_jobs = document_processing_jobs.c

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
    said = _one_word_each(settlements)
    held: dict[str, str] = {}
    over: set[str] = set()
    following: dict[str, str] = {}
    for kind, verb in _VERB.items():
        batch = [item for item in said.values() if type(item) is kind]
        if not batch:
            continue
        written = [_row(item, now) for item in batch]
        following.update((str(row["job_id"]), str(row["next_id"])) for row in written if "next_id" in row)
        extra = {"until": until} if kind is Advance else {}
        for row in tx.run(verb, rows=dump(written), now=now, **extra):
            held[str(row.job_id)] = row.status
            if row.ended is not None:
                over.add(str(row.document_id))
    accepted = {place: item for place, item in said.items() if item.lease.job_id in held}
    for item in accepted.values():
        for write in _writes(item):
            apply(tx, item.lease.job_id, write)
    if over:
        tx.run("wake_next", documents=dump(sorted(over)), now=now)
    missing = [item for place, item in enumerate(settlements) if place not in accepted]
    jobs = _jobs_of(tx, missing) if missing else {}
    return [
        _answer(item, held[item.lease.job_id], following, until)
        if place in accepted
        else _answer_again(tx, item, jobs.get(item.lease.job_id))
        for place, item in enumerate(settlements)
    ]


def _one_word_each(settlements: Sequence[Settlement]) -> dict[int, Settlement]:
    """Where several speak of one job, only the newest lease can be its own, and its first word counts."""
    newest: dict[str, int] = {}
    for place, item in enumerate(settlements):
        other = newest.get(item.lease.job_id)
        if other is None or settlements[other].lease.epoch < item.lease.epoch:
            newest[item.lease.job_id] = place
    return {place: settlements[place] for place in newest.values()}


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


def _answer(item: Settlement, status: str, following: dict[str, str], until: datetime) -> Settled:
    job_id = item.lease.job_id
    kept = isinstance(item, Advance) and item.keep
    return Settled(job_id, status, Lease(following[job_id], 1, item.lease.worker, until) if kept else None)


def _jobs_of(tx: Transaction, items: Sequence[Settlement]) -> dict[str, Job]:
    wanted = {item.lease.job_id for item in items}
    found = tx.connection.execute(select(document_processing_jobs).where(_jobs.id.in_(wanted)))
    return {str(row.id): rows.job(row) for row in found}


def _answer_again(tx: Transaction, item: Settlement, job: Job | None) -> Settled | LeaseLost:
    """A settlement that was durable already: its acknowledgement was lost and it is sent again.

    Nobody else can have written under this epoch: every claim and every rescue raises it. A job that
    stands where this verb could not have brought it was settled by another word, and that one holds.
    """
    verb = Verb.REJECT if isinstance(item, Fail) and item.final else Verb(_VERB[type(item)])
    outcomes = job_may(JobStatus.PROCESSING, verb)
    if job is None or job.lease_epoch != item.lease.epoch or job.status not in outcomes:
        return LeaseLost(f"Job {item.lease.job_id} is no longer held with epoch {item.lease.epoch}.")
    kept = _kept(tx, item, job) if isinstance(item, Advance) and item.keep else None
    return Settled(job.id, job.status, kept)


def _kept(tx: Transaction, item: Advance, job: Job) -> Lease | None:
    """The lease that an advance kept on the next stage's job, unless it was lost since."""
    found = tx.connection.execute(
        select(_jobs.id, _jobs.lease_until).where(
            _jobs.document_id == job.document_id,
            _jobs.run_id == job.run_id,
            _jobs.stage == item.next_stage,
            _jobs.status == JobStatus.PROCESSING,
            _jobs.locked_by == item.lease.worker,
            _jobs.lease_epoch == 1,
        )
    ).first()
    return (
        None if found is None else Lease(str(found.id), 1, item.lease.worker, to_instant(found.lease_until))
    )
