"""sweep: rescue of jobs whose lease ran out, and the end of runs past their deadline. No leader."""

from __future__ import annotations

from datetime import datetime

from towpath.ledger.columns import dump, to_instant_or_none, to_text
from towpath.ledger.contract import Swept
from towpath.ledger.database import Transaction

TIMED_OUT = (
    "The run took longer than its deadline. Raise the setting run_deadline_seconds, for calls "
    "call_deadline_seconds, to allow more time."
)


def sweep(tx: Transaction, now: datetime, limit: int, max_crashes: int) -> Swept:
    rescued = tx.run("rescue", now=now, stamp=to_text(now), limit=limit, max_crashes=max_crashes)
    late = [str(row.id) for row in tx.run("overdue", now=now, limit=limit)]
    ended = end_runs(tx, late, "TIMED_OUT", TIMED_OUT, now) if late else []
    over = {str(row.document_id) for row in rescued if row.ended is not None}
    if over:
        tx.run("wake_next", documents=dump(sorted(over)), now=now)
    quarantined = sum(row.ended == "QUARANTINED" for row in rescued)
    next_at = to_instant_or_none(tx.run("next_sweep")[0].next_at)
    return Swept(len(rescued), quarantined, len(ended), next_at)


def end_runs(tx: Transaction, runs: list[str], state: str, error: str | None, now: datetime) -> list[str]:
    """End these runs and their jobs from outside; give the ids of those that were still going."""
    ended = tx.run("end_runs", runs=dump(runs), state=state, error=error, kind=f"RUN_{state}", now=now)
    if ended:
        tx.run("wake_next", documents=dump(sorted(str(row.document_id) for row in ended)), now=now)
    return [str(row.run_id) for row in ended]
