"""A ledger that writes down each verb it is asked for, so that a drill kills where something really happens."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from towpath.drill.fault_injection import FaultInjectingLedger, FaultPoint
from towpath.ledger.database import Database

#: Verbs that are used when some time has passed. The kills around them are in `tests/crash/test_kills.py`.
TIMED_VERBS = ("heartbeat", "progress", "sweep")


class VerbLoggingLedger(FaultInjectingLedger):
    """Appends the verbs to a file, a line for each."""

    def __init__(
        self,
        file: Path,
        database: Database,
        fault_points: Sequence[FaultPoint],
        on_fault: Callable[[FaultPoint], None],
    ) -> None:
        super().__init__(database, fault_points, on_fault)
        self._file = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def _count(self, *verbs: str) -> dict[str, int]:
        os.write(self._file, "".join(f"{verb}\n" for verb in verbs).encode())
        return super()._count(*verbs)


def points_of(file: Path) -> list[str]:
    """Before and after each use of a verb that every worker makes for such a document, up to its last settlement."""
    verbs = [verb for verb in file.read_text("utf-8").split() if verb not in TIMED_VERBS]
    last = max(place for place, verb in enumerate(verbs) if verb == "finish")
    uses = Counter[str]()
    points: list[str] = []
    for verb in verbs[: last + 1]:
        uses[verb] += 1
        # Later claims are made until the follow-up is due: how many of them, depends on time.
        if verb != "claim" or uses[verb] == 1:
            points += [f"{moment}:{verb}:{uses[verb]}" for moment in ("before", "after")]
    return points
