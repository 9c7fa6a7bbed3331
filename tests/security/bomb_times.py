"""`python -m tests.security.bomb_times`: how long bombs hold a reader, and what they cost the documents beside them.

For each bomb, ordinary documents are processed without it and beside it, with the default settings, one group after
another. The processes of the bomb share the cores with those of the ordinary documents.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median

from tests.support import pdfs
from tests.support.hostile_files import HOSTILE_FILES
from tests.support.memory_watch import MemoryWatch
from tests.support.samples import save_sample
from tests.support.servers import Client, Server

#: Zip, XML, PDF and image bombs.
BOMBS = (
    *("zip-bomb.docx", "shared-strings-bomb.xlsx", "xml-bomb.docx"),
    *("nested-forms.pdf", "flate-bomb.pdf", "image-bomb.png"),
)
MAX_REFUSAL_SECONDS = 20.0
#: The most that a bomb may cost the documents beside it, as a ratio of medians.
MAX_RATIO = 2.0


@dataclass(frozen=True, slots=True)
class BombTimes:
    """The time until a bomb was refused, and those of groups of ordinary documents without and beside it."""

    name: str
    failure_type: str
    refused: float
    usual: list[float]
    beside: list[float]

    @property
    def ratio(self) -> float:
        return median(self.beside) / median(self.usual)

    def __str__(self) -> str:
        return (
            f"{self.name}: refused after {self.refused:.1f} s; ordinary documents {median(self.usual):.2f} s without "
            f"(n = {len(self.usual)}) and {median(self.beside):.2f} s beside it (n = {len(self.beside)}), "
            f"ratio {self.ratio:.2f}"
        )

    def problems(self) -> list[str]:
        found: list[str] = []
        if self.failure_type != "REJECTED":
            found.append(f"{self.name}: {self.failure_type}")
        if self.refused > MAX_REFUSAL_SECONDS:
            found.append(f"{self.name}: refused after {self.refused:.1f} s")
        if self.ratio > MAX_RATIO:
            found.append(f"{self.name}: documents beside it took {self.ratio:.2f} times as long")
        return found


class OrdinaryDocuments:
    """Groups of a note, a Word file and a PDF of three pages; no two are equal."""

    def __init__(self, client: Client, folder: Path) -> None:
        self._client = client
        self._word = save_sample("docx", folder / "ordinary.docx").read_bytes()
        self._folder = folder
        self._numbers = itertools.count()

    def process(self) -> float:
        """Upload a group; the seconds until all of it is completed."""
        number = next(self._numbers)
        lines = [[f"Page {page} of file {number}", *pdfs.LOREM] for page in range(3)]
        bodies = {
            "note.md": b"# Note %d\n\nThe keeper opens the gate." % number,
            # Bytes behind the end of a zip archive are a comment to readers.
            "letter.docx": self._word + b"%d" % number,
            "report.pdf": pdfs.plain(self._folder / "ordinary.pdf", lines).read_bytes(),
        }
        started_at = time.monotonic()
        ids = [self._client.upload(f"{number}-{name}", body)["id"] for name, body in bodies.items()]
        statuses = self._client.wait_until_finished(*ids)
        assert [status["status"] for status in statuses] == ["COMPLETED"] * 3, statuses
        return time.monotonic() - started_at


def measure(client: Client, folder: Path, groups: int) -> Iterator[BombTimes]:
    """The times of each bomb in turn; half of the groups without it are before it, half of them after it."""
    ordinary = OrdinaryDocuments(client, folder)
    ordinary.process()
    for name in BOMBS:
        body = HOSTILE_FILES[name]()
        usual = [ordinary.process() for _ in range(groups)]
        document_id = client.upload(name, body)["id"]
        beside = [ordinary.process()]
        while client.get(f"/documents/{document_id}/status")["status"] == "PROCESSING":
            beside.append(ordinary.process())
        usual += [ordinary.process() for _ in range(groups)]
        run = client.get(f"/documents/{document_id}/runs")[-1]
        created_at, ended_at = (datetime.fromisoformat(run[key]) for key in ("created_at", "ended_at"))
        yield BombTimes(
            name, str(run["failure_type"]), (ended_at - created_at).total_seconds(), usual, beside
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", type=int, default=3, help="groups without the bomb, before and after it")
    groups = parser.parse_args().groups
    problems: list[str] = []
    with (
        tempfile.TemporaryDirectory(prefix="bomb-times-") as place,
        Server(Path(place) / "data") as server,
        MemoryWatch(server.process.pid) as memory,
    ):
        for times in measure(Client(server.url), Path(place), groups):
            print(times, flush=True)
            problems += times.problems()
    print(f"{memory}; load of the machine in the last minute {os.getloadavg()[0]:.1f}")
    for problem in [*problems, *memory.problems()]:
        print("PROBLEM", problem)
    sys.exit(bool(problems or memory.problems()))


if __name__ == "__main__":
    main()
