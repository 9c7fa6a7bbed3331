"""One worker process: `python -m bench.contestants.worker <contestant> <dsn> <scoreboard> <slot>`."""

from __future__ import annotations

import sys
from pathlib import Path

from bench.contestants.roster import contestant
from bench.contestants.scoreboard import Scoreboard


def main() -> None:
    key, dsn, board, slot = sys.argv[1:]
    contestant(key).work(dsn, Scoreboard(Path(board), int(slot)))


if __name__ == "__main__":
    main()
