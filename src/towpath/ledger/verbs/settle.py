"""settle: applies a batch of settlements in one transaction, each checked against its own lease."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import select

from towpath.errors import LeaseLost
from towpath.ledger.columns import dump, to_instant
from towpath.ledger.contract.settlements import (
    Advance,
    Fail,
    Finish,
    Release,
    Settled,
    Settlement,
    Suspended,
    settled_together,
)
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs
from towpath.ledger.verbs import row_conversion
from towpath.ledger.verbs.settlement_rows import settlement_row, stages_row
from towpath.ledger.verbs.webhook_events import queue_deliveries
from towpath.lifecycle.transitions import Verb, next_job_states
from towpath.model.job import Job, JobStatus, Lease
from towpath.model.json_types import Json

#: Applies one write of a stage; the answer is added to the event that completes the stage.
ApplyWrite = Callable[[Transaction, str, object], Json | None]

_jobs = document_processing_jobs.c

_VERB: dict[type[Settlement], str] = {
    Advance: "advance",
    Finish: "finish",
    Fail: "fail",
    Suspended: "suspend",
    Release: "release",
}


@dataclass(slots=True)
class _Written:
    """What a batch of settlements changed."""

    #: The new status of each job whose settlement was accepted.
    statuses: dict[str, str] = field(default_factory=dict[str, str])
    #: The id of the job of the next stage, by the id of the advanced job.
    next_job_ids: dict[str, str] = field(default_factory=dict[str, str])
    #: The documents whose run ended, and these runs.
    ended_documents: set[str] = field(default_factory=set[str])
    ended_runs: set[str] = field(default_factory=set[str])


def settle(
    tx: Transaction,
    settlements: Sequence[Settlement],
    clock: Callable[[], datetime],
    lease_seconds: float,
    apply_write: ApplyWrite,
) -> list[Settled | LeaseLost]:
    """Settle a batch of jobs and answer each settlement. A settlement whose lease is lost changes nothing.

    The writes of the stages come first. They may take many seconds, and the times that are stored must be those of the
    commit.
    """
    latest = _latest_per_job(settlements)
    details = _apply_writes(tx, latest.values(), apply_write)
    now = clock()
    until = now + timedelta(seconds=lease_seconds)
    written = _Written()
    _advance_through(tx, latest.values(), details, now, until, written)
    last = {
        index: list(settled_together(item))[-1]
        for index, item in latest.items()
        if _then(item) is None or item.lease.job_id in written.statuses
    }
    _write_settlements(tx, last.values(), details, now, until, written)
    accepted = {index: item for index, item in last.items() if item.lease.job_id in written.statuses}
    if written.ended_documents:
        ended = dump(sorted(written.ended_documents))
        needed = tx.run("check_ended_runs", documents=ended)[0]
        if needed.has_queued:
            tx.run("wake_next", documents=ended, now=now)
        if needed.has_endpoints:
            queue_deliveries(tx, written.ended_runs, now)
    refused = [item for index, item in enumerate(settlements) if index not in accepted]
    jobs = _jobs_of(tx, refused) if refused else {}
    return [
        _settled(accepted[index], written, until)
        if index in accepted
        else _acknowledge_duplicate(tx, item, jobs.get(item.lease.job_id))
        for index, item in enumerate(settlements)
    ]


def _apply_writes(
    tx: Transaction, settlements: Collection[Settlement], apply_write: ApplyWrite
) -> dict[str, Json]:
    """Apply the writes of the jobs that are still leased, which stay locked; what to add to their events.

    The job of a later stage does not exist yet: its writes are applied as those of the first stage, which has the same
    run and document.
    """
    details: dict[str, Json] = {}
    for first in settlements:
        leased = first.lease.job_id
        writes = [(item.lease.job_id, write) for item in settled_together(first) for write in _writes(item)]
        if not writes or not tx.run("lock_leased_job", job_id=leased, epoch=first.lease.epoch):
            continue
        for job_id, write in writes:
            detail = apply_write(tx, leased, write)
            if detail is not None:
                details[job_id] = {**details.get(job_id, {}), **detail}
    return details


def _advance_through(
    tx: Transaction,
    settlements: Collection[Settlement],
    details: Mapping[str, Json],
    now: datetime,
    until: datetime,
    written: _Written,
) -> None:
    """Complete the stages of settlements of several stages, but for the last one, whose job is created and held."""
    rows = [
        stages_row(list(settled_together(first)), details)
        for first in settlements
        if _then(first) is not None
    ]
    if rows:
        for row in tx.run("advance_through", rows=dump(rows), now=now, until=until):
            written.statuses[str(row.job_id)] = row.status


def _write_settlements(
    tx: Transaction,
    settlements: Collection[Settlement],
    details: Mapping[str, Json],
    now: datetime,
    until: datetime,
    written: _Written,
) -> None:
    """Run one statement for each kind of settlement in the batch. ``details`` belong to events of completed stages."""
    for kind, verb in _VERB.items():
        items = [settlement_row(item, now) for item in settlements if type(item) is kind]
        for item in items:
            if (detail := details.get(str(item["job_id"]))) is not None:
                item["detail"] = detail
        if not items:
            continue
        written.next_job_ids.update(
            (str(item["job_id"]), str(item["next_id"])) for item in items if "next_id" in item
        )
        lease = {"until": until} if kind is Advance else {}
        for row in tx.run(verb, rows=dump(items), now=now, **lease):
            written.statuses[str(row.job_id)] = row.status
            if row.ended is not None:
                written.ended_documents.add(str(row.document_id))
                written.ended_runs.add(str(row.run_id))


def _latest_per_job(settlements: Sequence[Settlement]) -> dict[int, Settlement]:
    """One settlement per job: of the newest lease, and of its settlements the first."""
    newest: dict[str, int] = {}
    for index, item in enumerate(settlements):
        other = newest.get(item.lease.job_id)
        if other is None or settlements[other].lease.epoch < item.lease.epoch:
            newest[item.lease.job_id] = index
    return {index: settlements[index] for index in newest.values()}


def is_single(settlements: Sequence[Settlement]) -> bool:
    """Whether the batch is a single statement, which needs no explicit transaction."""
    kinds = {type(item) for item in settlements}
    return (
        len(kinds) == 1
        and kinds <= {Advance, Suspended, Release}
        and not any(_writes(item) or _then(item) for item in settlements)
    )


def _then(item: Settlement) -> Settlement | None:
    return item.then if isinstance(item, Advance) else None


def _writes(item: Settlement) -> Sequence[object]:
    return item.writes if isinstance(item, Advance | Finish) else ()


def _settled(item: Settlement, written: _Written, until: datetime) -> Settled:
    job_id = item.lease.job_id
    next_lease = None
    if isinstance(item, Advance) and item.keep:
        next_lease = Lease(written.next_job_ids[job_id], 1, item.lease.worker, until)
    return Settled(job_id, written.statuses[job_id], next_lease)


def _jobs_of(tx: Transaction, items: Sequence[Settlement]) -> dict[str, Job]:
    job_ids = {item.lease.job_id for item in items}
    job_rows = tx.connection.execute(select(document_processing_jobs).where(_jobs.id.in_(job_ids)))
    return {str(row.id): row_conversion.job(row) for row in job_rows}


def _acknowledge_duplicate(tx: Transaction, item: Settlement, job: Job | None) -> Settled | LeaseLost:
    """Acknowledge a settlement that was stored before but whose acknowledgement was lost; else LeaseLost.

    Only this lease can have written under its epoch, since every claim and rescue raises the epoch. If the job's
    status is not a result of this verb, a different settlement of the same lease was stored.
    """
    verb = Verb.REJECT if isinstance(item, Fail) and item.final else Verb(_VERB[type(item)])
    outcomes = next_job_states(JobStatus.PROCESSING, verb)
    if job is None or job.lease_epoch != item.lease.epoch or job.status not in outcomes:
        return LeaseLost(f"Job {item.lease.job_id} is no longer held with epoch {item.lease.epoch}.")
    if (then := _then(item)) is not None:
        return _acknowledge_duplicate(tx, then, _jobs_of(tx, [then]).get(then.lease.job_id))
    next_lease = _next_lease(tx, item, job) if isinstance(item, Advance) and item.keep else None
    return Settled(job.id, job.status, next_lease)


def _next_lease(tx: Transaction, item: Advance, job: Job) -> Lease | None:
    """The lease that an advance kept on the next stage's job, or None if it was lost since."""
    row = tx.connection.execute(
        select(_jobs.id, _jobs.lease_until).where(
            _jobs.document_id == job.document_id,
            _jobs.run_id == job.run_id,
            _jobs.stage == item.next_stage,
            _jobs.status == JobStatus.PROCESSING,
            _jobs.locked_by == item.lease.worker,
            _jobs.lease_epoch == 1,
        )
    ).first()
    return None if row is None else Lease(str(row.id), 1, item.lease.worker, to_instant(row.lease_until))
