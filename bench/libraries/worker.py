"""One worker process: `python -m bench.libraries.worker <library> <dsn> <scoreboard> <slot>`."""

from __future__ import annotations

import sys
from pathlib import Path

from bench.libraries.counters import WorkerCounters
from bench.libraries.registry import library


def main() -> None:
    key, dsn, counters, slot = sys.argv[1:]
    library(key).work(dsn, WorkerCounters(Path(counters), int(slot)))


if __name__ == "__main__":
    main()
