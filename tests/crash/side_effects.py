"""An append-only file with every execution of a stage and every provider call.

No crash can remove a line, so the file shows what really happened, independent of the ledger.
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
from towpath.worker.job_context import JobContext


@dataclass(frozen=True, slots=True)
class Effect:
    """One line: a stage began, or its provider received a ``call``, ``start`` or ``poll``."""

    what: str
    document: str
    run: str
    stage: str
    epoch: int
    pid: int
    at: float


class EffectLog:
    """Appends effects. One write call per line: complete or absent, even under SIGKILL."""

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
    """The lease epoch under which a stage runs. Only test stages need it."""
    assert isinstance(context, JobContext)
    return context.held.lease.epoch


def read_effects(file: Path) -> list[Effect]:
    if not file.exists():
        return []
    return [Effect(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]


def executions(effects: Iterable[Effect]) -> Counter[tuple[str, str, int]]:
    """The number of executions of each (run, stage, epoch)."""
    return Counter((effect.run, effect.stage, effect.epoch) for effect in effects if effect.what == "stage")


def calls(effects: Iterable[Effect]) -> Counter[str]:
    """The number of calls and started operations per document."""
    return Counter(effect.document for effect in effects if effect.what in ("call", "start"))
