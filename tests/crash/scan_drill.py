"""`python -m tests.crash.scan_drill`: processes a scan of 300 pages by default settings under kills.

The scan takes longer than the deadline of a run, so several runs continue each other. It must be completed by itself,
and no batch of pages may be recognized twice.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tests.support import pdfs
from tests.support.servers import Client, Server
from tests.support.timeouts import WAIT_SECONDS, wait_until


@dataclass(slots=True)
class ScanReport:
    """The result of a scan drill."""

    status: str = ""
    kills: int = 0
    pages: int = 0
    #: Pages of answered batches, and batches that were in progress at a kill or at a deadline.
    recognized: int = 0
    repeated: int = 0
    statuses: set[str] = field(default_factory=set[str])
    reasons: Counter[str] = field(default_factory=Counter[str])
    attempts: int = 0
    seconds: float = 0.0


def run_scan_drill(
    folder: Path, pages: int, kills: int, settings: dict[str, str] | None = None, limit: float = WAIT_SECONDS
) -> ScanReport:
    """Upload a scan, kill the server at equal steps of its progress, and let the last server complete it."""
    report = ScanReport(pages=pages)
    images = [pdfs.picture([f"Page {number} of {pages}", pdfs.LOREM[0]]) for number in range(1, pages + 1)]
    scan = pdfs.scan(folder / "scan.pdf", images).read_bytes()
    data, document_id, started_at = folder / "data", "", time.monotonic()
    for number in range(kills):
        server = Server(data, settings=settings).wait_until_ready()
        client = Client(server.url)
        document_id = document_id or client.upload("scan.pdf", scan)["id"]
        share = (number + 1) / (kills + 1)
        reached = partial(_pages_done, client, document_id, report)
        wait_until(lambda reached=reached, share=share: reached() >= share * pages, "some pages", limit, 0.2)
        server.kill()
        report.kills += 1
    with Server(data, settings=settings) as server:
        client = Client(server.url)
        document_id = document_id or client.upload("scan.pdf", scan)["id"]
        finished = partial(_finished, client, document_id, report)
        wait_until(finished, "the scan to be over", limit, 0.2)
    report.seconds = time.monotonic() - started_at
    _count(data, report)
    return report


def _pages_done(client: Client, document_id: str, report: ScanReport) -> int:
    status = client.get(f"/documents/{document_id}/status")
    report.statuses.add(status["status"])
    stage = next((stage for stage in status["stages"] if stage["name"] == "extract"), None)
    return stage["progress"]["done"] if stage and stage["progress"] else 0


def _finished(client: Client, document_id: str, report: ScanReport) -> bool:
    status = client.get(f"/documents/{document_id}/status")
    report.statuses.add(status["status"])
    report.status = status["status"]
    return report.status != "PROCESSING"


def _count(data: Path, report: ScanReport) -> None:
    with sqlite3.connect(data / "towpath.db") as database:
        batches = "from provider_calls where json_extract(units, '$.pages') is not null"
        recognized, repeated = database.execute(
            f"select sum(json_extract(units, '$.pages')), sum(repeated) {batches}"
        ).fetchone()
        report.recognized, report.repeated = int(recognized or 0), int(repeated or 0)
        report.reasons.update(reason for (reason,) in database.execute("select reason from processing_runs"))
        [report.attempts] = database.execute("select max(attempts) from document_processing_jobs").fetchone()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--kills", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scan-drill-") as place:
        report = run_scan_drill(Path(place), arguments.pages, arguments.kills, limit=4 * 3600)
    print(
        f"{report.pages} pages, {report.kills} kills: {report.status} in {report.seconds:.0f} s\n"
        f"pages recognized {report.recognized}, interrupted batches {report.repeated}, runs {dict(report.reasons)}\n"
        f"statuses seen {sorted(report.statuses)}"
    )
    completed = report.status == "COMPLETED" and report.statuses == {"PROCESSING", "COMPLETED"}
    sys.exit(not (completed and report.recognized == report.pages))


if __name__ == "__main__":
    main()
