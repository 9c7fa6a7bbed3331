"""sweep: rescues jobs with expired leases or dead workers and ends runs past their deadline; any worker may run it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from towpath.ledger.columns import dump, to_instant_or_none, to_text
from towpath.ledger.contract.ledger import SweepResult
from towpath.ledger.database import Transaction
from towpath.ledger.verbs.fail_orphans import fail_orphans
from towpath.ledger.verbs.time_out import time_out


def sweep(tx: Transaction, now: datetime, limit: int, dead_workers: Sequence[str] = ()) -> SweepResult:
    failed = fail_orphans(tx, now, limit)
    dead = dump(list(dead_workers))
    rescued = tx.run("rescue", now=now, stamp=to_text(now), limit=limit, dead_workers=dead)
    late = [str(row.id) for row in tx.run("select_overdue_runs", now=now, limit=limit)]
    timed_out, continued = time_out(tx, late, now) if late else (0, 0)
    next_at = to_instant_or_none(tx.run("next_sweep")[0].next_at)
    return SweepResult(len(rescued), timed_out, continued, next_at, failed)
