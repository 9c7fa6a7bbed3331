"""What is measured during the soak, and how fast it grows."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import psutil

MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Sample:
    minute: float
    #: Memory of the server's process, and of it and its child processes. Pages that they share count once.
    server_mb: float
    all_mb: float
    files: int
    threads: int
    database_mb: float
    search_p95_ms: float
    document_p95_s: float
    rounds: int


def memory(pid: int) -> tuple[float, float]:
    """MB of the process, and of it with its children; a child that just ended counts nothing."""
    own = psutil.Process(pid)
    sizes = [own.memory_full_info().pss]
    for child in own.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            sizes.append(child.memory_full_info().pss)
    return sizes[0] / MEGABYTE, sum(sizes) / MEGABYTE


def files_and_threads(pid: int) -> tuple[int, int]:
    own = psutil.Process(pid)
    return own.num_fds(), own.num_threads()


def p95(values: list[float]) -> float:
    """The 95th percentile; the list is emptied."""
    taken, values[:] = list(values), []
    return float(np.percentile(taken, 95)) if taken else 0.0


def slope(samples: Sequence[Sample], name: str, after: float) -> float:
    """Growth per minute of one column after so many minutes, by least squares; 0 for less than three samples."""
    late = [sample for sample in samples if sample.minute >= after]
    if len(late) < 3:
        return 0.0
    return float(np.polyfit([each.minute for each in late], [getattr(each, name) for each in late], 1)[0])
