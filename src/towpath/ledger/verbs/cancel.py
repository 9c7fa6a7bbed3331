"""cancel: ends a run on request; its worker notices at its next write or heartbeat."""

from __future__ import annotations

from datetime import datetime

from towpath.errors import IllegalTransition
from towpath.ledger.database import Transaction
from towpath.ledger.verbs import read_runs
from towpath.ledger.verbs.end_runs import end_runs
from towpath.ledger.verbs.queue_run import lock_document
from towpath.lifecycle.transitions import Verb, next_run_states
from towpath.model.run import RunState


def cancel(tx: Transaction, run_id: str, org_id: str, now: datetime) -> None:
    run = read_runs.run(tx, run_id, org_id)
    if run.state is RunState.QUEUED:
        # A run that ends locks its document and then wakes this run. Locking in the same order avoids a
        # deadlock, which Postgres would detect only after a second.
        lock_document(tx, run.document_id, org_id)
    if not next_run_states(run.state, Verb.CANCEL) or not end_runs(tx, [run_id], "CANCELLED", None, now):
        raise IllegalTransition(
            f"Run {run_id} is {run.state}: only a QUEUED or RUNNING run can be cancelled."
        )
