"""What stages and their providers did to the outside world, in a file that only ever grows.

No crash can take a line back, so the file tells what really happened, whatever the ledger says.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from towpath.stages.contract import Context
from towpath.worker.execute import JobContext


@dataclass(frozen=True, slots=True)
class Effect:
    """One deed: a stage began, or its provider was asked for something (``call``, ``start``, ``poll``)."""

    what: str
    document: str
    run: str
    stage: str
    epoch: int
    pid: int
    at: float


class Effects:
    """Appends deeds. One write call for each line: whole or not at all, even under SIGKILL."""

    def __init__(self, file: Path) -> None:
        self._handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(self, what: str, context: Context) -> None:
        effect = Effect(
            what,
            context.document_id,
            context.run_id,
            context.stage,
            epoch_of(context),
            os.getpid(),
            time.time(),
        )
        os.write(self._handle, json.dumps(asdict(effect)).encode() + b"\n")


def epoch_of(context: Context) -> int:
    """The lease epoch under which a stage runs. Stages of the product never ask; those of tests do."""
    assert isinstance(context, JobContext)
    return context.held.lease.epoch


def read_effects(file: Path) -> list[Effect]:
    if not file.exists():
        return []
    return [Effect(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]


def executions(effects: Iterable[Effect]) -> Counter[tuple[str, str, int]]:
    """How often each (run, stage, epoch) was executed."""
    return Counter((effect.run, effect.stage, effect.epoch) for effect in effects if effect.what == "stage")


def calls(effects: Iterable[Effect]) -> Counter[str]:
    """How many calls (or starts of operations) a provider received for each document."""
    return Counter(effect.document for effect in effects if effect.what in ("call", "start"))
