"""`python -m tests.crash.restart_drill`: restarts Towpath with SIGTERM again and again while it processes one document.

The document is a scan, read locally, and embedded by an emulated paid provider that answers slowly. Every stop must
release the work: exit code 0, no lease, no registered worker, no child process, no attempt and no crash counted.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import text

from tests.support import pdfs
from tests.support.databases import FAST_SETTINGS, private_postgres
from tests.support.emulators.process import EmulatorProcess, emulator_process, order_fault, state
from tests.support.forked_command import ForkedCommand
from tests.support.servers import Client, Server
from tests.support.timeouts import COMMAND_SECONDS, PROCESS_SECONDS, wait_until
from towpath.ledger.database import Database
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase

#: Which process gets the signals: the server with its worker on either engine, or a separate worker.
TARGETS = ("serve-sqlite", "serve-postgres", "worker-postgres")
#: How long the provider takes to answer.
ANSWER_SECONDS = 0.7
#: The grace period during a local stage, which is cut short, and during a paid call, which must be finished.
GRACE_SECONDS = {"extract": 1.0, "embed": PROCESS_SECONDS / 2}


@dataclass(slots=True)
class RestartReport:
    """The result of a restart drill; ``findings`` is empty if every stop released the work."""

    status: str = ""
    signals: int = 0
    runs: int = 0
    billed: int = 0
    repeated: int = 0
    stop_seconds: list[float] = field(default_factory=list[float])
    findings: list[str] = field(default_factory=list[str])


class RestartDrill:
    """One instance with one document; starts and stops the target process."""

    def __init__(self, target: str, folder: Path, dsn: str | None, emulators: EmulatorProcess) -> None:
        self.report = RestartReport()
        self._target = target
        self._data = folder / "data"
        self._log = folder / "worker.log"
        self._emulators = emulators
        self._settings = {
            **emulators.settings,
            "TOWPATH_EMBEDDER": "openai",
            "TOWPATH_READER": "local",
            "TOWPATH_RUN_DEADLINE_SECONDS": "none",
            **({"TOWPATH_DATABASE": dsn} if dsn else {}),
        }
        self.database: Database = PostgresDatabase(dsn) if dsn else SqliteDatabase(self._data / "towpath.db")

    def run(self, document: bytes, signals: int, rng: random.Random) -> RestartReport:
        """Process the document; ``signals`` times the target is stopped and started again."""
        if self._target == "worker-postgres":
            api = Server(self._data, settings=self._settings, arguments=("--no-worker",))
            with api as server:
                document_id = Client(server.url).upload("scan.pdf", document)["id"]
                for stage in self._stages(signals):
                    self._stop(self._start_worker(stage), stage, rng)
                with self._last_worker():
                    [status] = Client(server.url).wait_until_finished(document_id)
        else:
            document_id = ""
            for stage in self._stages(signals):
                server = Server(self._data, settings=self._settings_for(stage)).wait_until_ready()
                document_id = document_id or Client(server.url).upload("scan.pdf", document)["id"]
                self._stop(server.process, stage, rng)
            with Server(self._data, settings=self._settings) as server:
                [status] = Client(server.url).wait_until_finished(document_id)
        self.report.status = status["status"]
        self._count()
        return self.report

    @staticmethod
    def _stages(signals: int) -> list[str]:
        """The stage of each signal: the last one comes while a paid call is in flight."""
        return ["extract"] * (signals - 1) + ["embed"]

    def _settings_for(self, stage: str) -> dict[str, str]:
        return {**self._settings, "TOWPATH_SHUTDOWN_GRACE_SECONDS": str(GRACE_SECONDS[stage])}

    def _stop(self, process: subprocess.Popen[bytes] | ForkedCommand, stage: str, rng: random.Random) -> None:
        """Send SIGTERM while the stage runs, and check what the process left behind."""
        if stage == "embed":
            # All pages are recognized before it.
            wait_until(lambda: self._embedding_requests() > 0, "the paid call to be sent", COMMAND_SECONDS)
        else:
            wait_until(lambda: self._rows(_PROCESSING, stage=stage), f"the stage {stage} to run")
            time.sleep(rng.uniform(0.0, 1.0))
        children = psutil.Process(process.pid).children(recursive=True)
        stopped_at = time.monotonic()
        process.send_signal(signal.SIGTERM)
        code = process.wait(PROCESS_SECONDS)
        self.report.signals += 1
        self.report.stop_seconds.append(time.monotonic() - stopped_at)
        if code != 0:
            self._find(f"exit code {code} after SIGTERM during {stage}")
        for child in children:
            try:
                child.wait(PROCESS_SECONDS)
            except psutil.TimeoutExpired:
                self._find(f"child process {child.pid} still runs")
        for row in self._rows("select stage, status, attempts, crashes from document_processing_jobs"):
            if row.status == "PROCESSING" or row.attempts or row.crashes:
                self._find(f"job {row.stage}: {row.status}, attempts {row.attempts}, crashes {row.crashes}")
        if self._target != "worker-postgres" and (workers := self._rows("select id from workers")):
            self._find(f"{len(workers)} workers are still registered")

    def _count(self) -> None:
        self.report.runs = len(self._rows("select id from processing_runs"))
        self.report.billed = state(self._emulators.openai)["billed"]["operations"]
        [[repeated]] = self._rows(
            "select coalesce(sum(repeated), 0) from provider_calls where provider = 'openai'"
        )
        self.report.repeated = int(repeated)

    def _embedding_requests(self) -> int:
        return len(state(self._emulators.openai)["requests"])

    def _find(self, finding: str) -> None:
        self.report.findings.append(f"signal {self.report.signals}: {finding}")

    def _rows(self, query: str, **values: str) -> Any:
        return self.database.transact(lambda tx: tx.connection.execute(text(query), values).all(), read=True)

    def _start_worker(self, stage: str) -> ForkedCommand:
        environment = {**os.environ, **self._settings_for(stage)}
        return ForkedCommand(["worker", "--data", str(self._data)], self._log, environment)

    @contextmanager
    def _last_worker(self) -> Generator[None]:
        process = self._start_worker("extract")
        try:
            yield
        finally:
            process.terminate()
            process.wait(PROCESS_SECONDS)


_PROCESSING = "select 1 from document_processing_jobs where stage = :stage and status = 'PROCESSING'"


def run_restart_drill(target: str, folder: Path, signals: int, *, pages: int, seed: int = 1) -> RestartReport:
    """Process a scan of ``pages`` pages while ``target`` is stopped ``signals`` times."""
    lines = [[f"Page {number}", *pdfs.LOREM] for number in range(1, pages + 1)]
    scan = pdfs.scan(folder / "scan.pdf", [pdfs.picture(page) for page in lines]).read_bytes()
    with emulator_process() as emulators, _database(target) as dsn:
        order_fault(emulators.openai, on="embeddings", kind="slow", seconds=ANSWER_SECONDS, times=-1)
        drill = RestartDrill(target, folder, dsn, emulators)
        try:
            return drill.run(scan, signals, random.Random(seed))
        finally:
            drill.database.close()


@contextmanager
def _database(target: str) -> Generator[str | None]:
    if target == "serve-sqlite":
        yield None
        return
    with private_postgres(FAST_SETTINGS) as server:
        yield server.create_migrated()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--signals", type=int, default=20)
    parser.add_argument("--pages", type=int, default=12)
    parser.add_argument("--target", choices=TARGETS, action="append")
    arguments = parser.parse_args()
    failed = False
    for target in arguments.target or TARGETS:
        with tempfile.TemporaryDirectory(prefix="restart-drill-") as place:
            report = run_restart_drill(target, Path(place), arguments.signals, pages=arguments.pages)
        print(
            f"{target}: {report.signals} signals, {report.status}, {report.runs} runs, billed {report.billed}, "
            f"repeated {report.repeated}, longest stop {max(report.stop_seconds):.1f} s"
        )
        print("\n".join(f"  {finding}" for finding in report.findings) or "  no findings", flush=True)
        failed |= bool(report.findings) or report.status != "COMPLETED" or report.billed != 1
    sys.exit(failed)


if __name__ == "__main__":
    main()
