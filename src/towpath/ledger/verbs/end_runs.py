"""end_runs: ends runs before they are complete, and wakes the next runs of their documents."""

from __future__ import annotations

from datetime import datetime

from towpath.ledger.columns import dump
from towpath.ledger.database import Transaction


def end_runs(
    tx: Transaction, runs: list[str], state: str, error: str | None, now: datetime, detail: str | None = None
) -> list[str]:
    """End these runs and their jobs; return the ids of the runs that had not ended before."""
    kind = f"RUN_{state}"
    ended = tx.run("end_runs", runs=dump(runs), state=state, error=error, kind=kind, detail=detail, now=now)
    if ended:
        tx.run("wake_next", documents=dump(sorted(str(row.document_id) for row in ended)), now=now)
    return [str(row.run_id) for row in ended]
