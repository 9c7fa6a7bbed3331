"""Stores provider calls under the job's lease: the intent before the call, the answer after it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Update, bindparam, select, update

from towpath.errors import LeaseLost
from towpath.ledger.columns import dump, strip_unstorable, to_instant_or_none, to_json
from towpath.ledger.contract.provider_calls import (
    CallAnswer,
    CallCached,
    CallInProgress,
    CallRequest,
    CallReserved,
    CallRunning,
    CallState,
)
from towpath.ledger.database import Transaction
from towpath.ledger.tables import provider_calls
from towpath.ledger.verbs.claim import lock_leased_job
from towpath.model.ids import new_id
from towpath.model.job import Lease
from towpath.model.writes import StoreAnswer

_calls = provider_calls.c

_KEYS_PER_QUERY = 500

# Built once: building a statement takes SQLAlchemy longer than SQLite takes to run it.
_OWN_CALL = update(provider_calls).where(
    _calls.org_id == bindparam("own_org"),
    _calls.key == bindparam("own_key"),
    _calls.status == "STARTED",
    _calls.job_id == bindparam("own_job"),
    _calls.lease_epoch == bindparam("own_epoch"),
)
_OPERATION = _OWN_CALL.values(operation_id=bindparam("operation_id"))
_FAILED = _OWN_CALL.values(status="FAILED", operation_id=None, error=bindparam("error"))
_ANSWERED = _OWN_CALL.values(
    status="ANSWERED",
    error=None,
    **{name: bindparam(name) for name in ("answer", "answer_artifact", "units", "cost", "answered_at")},
)


def begin(tx: Transaction, lease: Lease, request: CallRequest, now: datetime) -> CallState:
    job = lock_leased_job(tx, lease)
    owner = {
        "org_id": str(job.org_id),
        "key": request.key,
        "document_id": str(job.document_id),
        "run_id": str(job.run_id),
        "job_id": lease.job_id,
    }
    intent = tx.run(
        "insert_call",
        **owner,
        id=new_id(),
        provider=request.provider,
        model=request.model,
        epoch=lease.epoch,
        now=now,
    )
    if intent:
        return CallReserved()
    call = tx.run("lock_call", org_id=owner["org_id"], key=request.key)[0]
    this_call = provider_calls.update().where(_calls.id == str(call.id))
    if call.status == "ANSWERED":
        tx.connection.execute(this_call.values(reused=_calls.reused + 1))
        answer = None if call.answer is None else to_json(call.answer)
        return CallCached(answer, call.answer_artifact)
    own = str(call.job_id) == lease.job_id and call.lease_epoch == lease.epoch
    alive_until = to_instant_or_none(call.lease_until)
    if call.status == "STARTED" and not own and alive_until is not None and alive_until > now:
        return CallInProgress(alive_until)
    new_owner = {name: owner[name] for name in ("document_id", "run_id", "job_id")}
    if call.status == "STARTED" and call.operation_id is not None:
        tx.connection.execute(this_call.values(**new_owner, lease_epoch=lease.epoch))
        return CallRunning(call.operation_id)
    # A FAILED call was not answered; a call that was left STARTED may have been paid for.
    open_window = call.status == "STARTED" and not own
    tx.connection.execute(
        this_call.values(
            **new_owner,
            lease_epoch=lease.epoch,
            status="STARTED",
            operation_id=None,
            started_at=now,
            repeated=_calls.repeated + int(open_window),
        )
    )
    return CallReserved(repeated=open_window)


def answered(tx: Transaction, org_id: str, keys: Sequence[str]) -> set[str]:
    """Those of the keys whose calls have a cached answer."""
    known: set[str] = set()
    for start in range(0, len(keys), _KEYS_PER_QUERY):
        query = select(_calls.key).where(
            _calls.org_id == org_id,
            _calls.status == "ANSWERED",
            _calls.key.in_(keys[start : start + _KEYS_PER_QUERY]),
        )
        known.update(tx.connection.execute(query).scalars())
    return known


def has_answer(tx: Transaction, org_id: str, key: str) -> bool:
    """Whether the call has a cached answer."""
    return bool(tx.run("has_answer", org_id=org_id, key=key))


def store_answer(tx: Transaction, job_id: str, brief: StoreAnswer) -> None:
    """Store the answer of a brief call of a leased job."""
    tx.run(
        "store_answer",
        id=new_id(),
        job_id=job_id,
        key=brief.key,
        provider=brief.provider,
        model=brief.model,
        answer=None if brief.answer is None else dump(brief.answer),
        artifact=brief.artifact,
        units=dump(dict(brief.units)),
        cost=brief.cost,
        started_at=brief.started_at,
        answered_at=brief.answered_at,
    )


def save_operation_id(tx: Transaction, lease: Lease, key: str, operation_id: str) -> None:
    _write(tx, lease, key, None, _OPERATION, {"operation_id": operation_id})


def save_answer(tx: Transaction, lease: Lease, key: str, given: CallAnswer, now: datetime) -> None:
    values: dict[str, object] = {
        "answer": given.answer,
        "answer_artifact": given.artifact,
        "units": dict(given.units),
        "cost": given.cost,
        "answered_at": now,
    }
    _write(tx, lease, key, "ANSWERED", _ANSWERED, values)


def fail(tx: Transaction, lease: Lease, key: str, error: str) -> None:
    """Record that the call failed: it was not answered and may be made again."""
    _write(tx, lease, key, "FAILED", _FAILED, {"error": strip_unstorable(error)})


def _write(
    tx: Transaction, lease: Lease, key: str, status: str | None, statement: Update, values: dict[str, object]
) -> None:
    """Run the statement under the lease; ``status`` is the one that it gives to the call."""
    job = lock_leased_job(tx, lease)
    org_id = str(job.org_id)
    owner = {"own_org": org_id, "own_key": key, "own_job": lease.job_id, "own_epoch": lease.epoch}
    written = tx.write(statement, [{**owner, **values}])
    if written != 1 and not _written_before(tx, lease, org_id, key, status):
        raise LeaseLost(f"The call {key[:12]} is no longer held by this worker.")


def _written_before(tx: Transaction, lease: Lease, org_id: str, key: str, status: str | None) -> bool:
    """Whether the same lease stored the same status before and its acknowledgement was lost."""
    call = tx.connection.execute(
        select(_calls.status).where(
            _calls.org_id == org_id,
            _calls.key == key,
            _calls.job_id == lease.job_id,
            _calls.lease_epoch == lease.epoch,
        )
    ).scalar()
    return call is not None and call == status
