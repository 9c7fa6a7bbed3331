"""The memory of paid calls: intent before, answer after, both fenced by the lease of the job that calls."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update

from towpath.errors import LeaseLost
from towpath.ledger.columns import readable, to_instant_or_none, to_json
from towpath.ledger.contract import (
    CallAnswer,
    CallAnswered,
    CallBusy,
    CallOperation,
    CallRequest,
    CallState,
    CallYours,
)
from towpath.ledger.database import Transaction
from towpath.ledger.tables import provider_calls
from towpath.ledger.verbs.claim import fenced
from towpath.model.ids import new_id
from towpath.model.work import Lease

_calls = provider_calls.c


def begin(tx: Transaction, lease: Lease, request: CallRequest, now: datetime) -> CallState:
    job = fenced(tx, lease)
    mine = {
        "org_id": str(job.org_id),
        "key": request.key,
        "document_id": str(job.document_id),
        "run_id": str(job.run_id),
        "job_id": lease.job_id,
    }
    intent = tx.run(
        "call_begin",
        **mine,
        id=new_id(),
        provider=request.provider,
        model=request.model,
        epoch=lease.epoch,
        now=now,
    )
    if intent:
        return CallYours()
    found = tx.run("call_found", org_id=mine["org_id"], key=request.key)[0]
    this_call = provider_calls.update().where(_calls.id == str(found.id))
    if found.status == "ANSWERED":
        tx.connection.execute(this_call.values(reused=_calls.reused + 1))
        answer = None if found.answer is None else to_json(found.answer)
        return CallAnswered(answer, found.answer_artifact)
    own = str(found.job_id) == lease.job_id and found.lease_epoch == lease.epoch
    alive_until = to_instant_or_none(found.lease_until)
    if found.status == "STARTED" and not own and alive_until is not None and alive_until > now:
        return CallBusy(alive_until)
    taken = {name: mine[name] for name in ("document_id", "run_id", "job_id")}
    if found.status == "STARTED" and found.operation_id is not None:
        tx.connection.execute(this_call.values(**taken, lease_epoch=lease.epoch))
        return CallOperation(found.operation_id)
    # A call that failed was certainly not answered; one that was left STARTED may have been paid for.
    open_window = found.status == "STARTED" and not own
    tx.connection.execute(
        this_call.values(
            **taken,
            lease_epoch=lease.epoch,
            status="STARTED",
            operation_id=None,
            started_at=now,
            reopened=_calls.reopened + int(open_window),
        )
    )
    return CallYours(reopened=open_window)


def operation(tx: Transaction, lease: Lease, key: str, operation_id: str) -> None:
    _write(tx, lease, key, {"operation_id": operation_id})


def answer(tx: Transaction, lease: Lease, key: str, given: CallAnswer, now: datetime) -> None:
    values: dict[str, object] = {
        "status": "ANSWERED",
        "answer": given.answer,
        "answer_artifact": given.artifact,
        "units": dict(given.units),
        "cost": given.cost,
        "error": None,
        "answered_at": now,
    }
    _write(tx, lease, key, values)


def failed(tx: Transaction, lease: Lease, key: str, error: str) -> None:
    """The call came back with an error: it is known not to have been answered, and may be made again."""
    _write(tx, lease, key, {"status": "FAILED", "operation_id": None, "error": readable(error)})


def _write(tx: Transaction, lease: Lease, key: str, values: dict[str, object]) -> None:
    job = fenced(tx, lease)
    written = tx.connection.execute(
        update(provider_calls)
        .where(
            _calls.org_id == str(job.org_id),
            _calls.key == key,
            _calls.status == "STARTED",
            _calls.job_id == lease.job_id,
            _calls.lease_epoch == lease.epoch,
        )
        .values(**values)
    )
    if written.rowcount != 1 and not _written_before(tx, lease, str(job.org_id), key, values):
        raise LeaseLost(f"The call {key[:12]} is no longer this worker's to write about.")


def _written_before(tx: Transaction, lease: Lease, org_id: str, key: str, values: dict[str, object]) -> bool:
    """The same word under the same lease, sent again because its acknowledgement was lost."""
    found = tx.connection.execute(
        select(_calls.status).where(
            _calls.org_id == org_id,
            _calls.key == key,
            _calls.job_id == lease.job_id,
            _calls.lease_epoch == lease.epoch,
        )
    ).scalar()
    return found is not None and found == values.get("status")
