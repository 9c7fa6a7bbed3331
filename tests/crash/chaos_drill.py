"""`python -m tests.crash.chaos_drill`: disturbs real servers and workers at random while documents arrive.

Every process of Towpath that the drill started may get SIGKILL (one, or all at once), SIGTERM, or SIGSTOP for longer
than its lease. Postgres is restarted, and uploads are cut off in the middle. Embeddings are paid calls to an emulator.
Afterwards every acknowledged document must be complete, and nothing may be lost, billed twice, orphaned or quarantined.
"""

from __future__ import annotations

import argparse
import random
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.crash.chaos_instance import ChaosInstance, embedded_instance, postgres_instance
from tests.support.databases import private_postgres
from tests.support.emulators.process import emulator_process, state
from tests.support.servers import FINISHED_STATUSES, Client
from tests.support.timeouts import COMMAND_SECONDS, wait_until

#: Seconds between two disturbances.
PAUSE_SECONDS = (0.5, 6.0)
#: The share of disturbances that wait until all processes work; the others may hit a process that starts or stops.
SHARE_WHEN_WORKING = 0.75
#: The longest wait for it, in seconds.
LONGEST_START_SECONDS = 90.0
#: Disturbances and their weights. "restart" restarts Postgres, or the embedded server by SIGTERM.
WEIGHTS = {"kill one": 40, "kill all": 12, "terminate": 15, "stop": 15, "restart": 8, "half upload": 10}


@dataclass(slots=True)
class Verdict:
    """The counts of a drill; ``is_good`` if none of the first four is above 0."""

    lost: int = 0
    billed_twice: int = 0
    orphans: int = 0
    quarantined: int = 0
    acknowledged: int = 0
    #: Calls whose answer a kill prevented from being stored: the one case in which a provider is called again.
    open_windows: int = 0
    disturbances: Counter[str] = field(default_factory=Counter[str])
    details: list[str] = field(default_factory=list[str])

    @property
    def is_good(self) -> bool:
        return (
            not (self.lost or self.billed_twice or self.orphans or self.quarantined) and self.acknowledged > 0
        )

    def __str__(self) -> str:
        disturbances = ", ".join(f"{name} {count}" for name, count in sorted(self.disturbances.items()))
        lines = [
            f"{self.acknowledged} documents; {disturbances}",
            f"lost {self.lost}, billed twice {self.billed_twice}, orphans {self.orphans}, "
            f"quarantined {self.quarantined}; open windows {self.open_windows}",
            *self.details[:20],
        ]
        return "\n".join(lines)


def letter(number: int) -> bytes:
    """A note that no other number has; its chunks are different too."""
    rows = [f"Entry {row}: barge {number * 1000 + row} passed lock {row} at noon." for row in range(40)]
    return "\n\n".join([f"# Log book {number}", *rows]).encode()


class Uploader(threading.Thread):
    """Uploads the documents one by one until the server has acknowledged each of them."""

    def __init__(self, url: str, documents: int, pause: float) -> None:
        super().__init__(daemon=True)
        self.acknowledged: dict[str, int] = {}
        self.done = threading.Event()
        #: Set when the disturbances are over: the rest is uploaded without pauses.
        self.without_pauses = threading.Event()
        self._url, self._documents, self._pause = url, documents, pause

    def run(self) -> None:
        for number in range(self._documents):
            while not self._upload(number):
                time.sleep(0.3)
            self.without_pauses.wait(self._pause)
        self.done.set()

    def _upload(self, number: int) -> bool:
        files = {"file": (f"log-{number}.md", letter(number))}
        with suppress(httpx.HTTPError):
            answer = httpx.post(f"{self._url}/documents", files=files, timeout=30)
            if answer.is_success:
                self.acknowledged[answer.json()["id"]] = number
                return True
        return False


class Chaos:
    """Disturbs one instance by the named disturbances."""

    def __init__(self, instance: ChaosInstance, rng: random.Random, names: Sequence[str]) -> None:
        self._instance = instance
        self._rng = rng
        self._names = names
        self.counts: Counter[str] = Counter()
        self._actions: dict[str, Callable[[], None]] = {
            "kill one": lambda: instance.kill(self._rng.choice(instance.running())),
            "kill all": instance.kill_all,
            "terminate": lambda: instance.terminate(self._rng.choice(instance.running())),
            "stop": lambda: instance.stop(self._rng.choice(instance.running()), self._rng.uniform(1.2, 2.0)),
            "restart": lambda: instance.restart_database(self._rng.choice((signal.SIGINT, signal.SIGQUIT))),
            "half upload": self._send_half_an_upload,
        }

    def run(self, until: Callable[[], bool]) -> None:
        while not until():
            if self._rng.random() < SHARE_WHEN_WORKING:
                self._wait_until_working(until)
            time.sleep(self._rng.uniform(*PAUSE_SECONDS))
            self._instance.restart_processes()
            [name] = self._rng.choices(self._names, [WEIGHTS[name] for name in self._names])
            if self._instance.running():
                self._actions[name]()
                self.counts[name] += 1

    def _wait_until_working(self, until: Callable[[], bool]) -> None:
        """Wait for the processes to start, or to continue: on a busy machine that takes longer than a pause."""
        deadline = time.monotonic() + LONGEST_START_SECONDS
        while not (self._instance.is_working() or until() or time.monotonic() > deadline):
            time.sleep(0.5)

    def _send_half_an_upload(self) -> None:
        """Send a part of the body and close the connection."""
        head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="half.md"\r\n\r\n'
        with suppress(OSError), socket.create_connection(("127.0.0.1", self._instance.port), 5) as connection:
            connection.sendall(
                b"POST /documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n"
                b"Content-Type: multipart/form-data; boundary=b\r\n\r\n" + head + self._rng.randbytes(200_000)
            )


def run_chaos(
    engine: str,
    folder: Path,
    *,
    seconds: float,
    documents: int,
    seed: int,
    disturbances: Sequence[str] = tuple(WEIGHTS),
) -> Verdict:
    """Disturb an instance for ``seconds`` while the documents are uploaded, then let it finish, and count."""
    with emulator_process() as emulators, _instance(engine, folder, emulators.settings) as instance:
        instance.restart_processes()
        wait_until(instance.answers, "the server to answer")
        # The last quarter of the time is for the documents that were uploaded last.
        uploader = Uploader(instance.url, documents, 0.5 * seconds / documents)
        uploader.start()
        chaos = Chaos(instance, random.Random(seed), disturbances)
        ends_at = time.monotonic() + seconds
        chaos.run(lambda: time.monotonic() > ends_at)
        instance.continue_all()
        client = Client(instance.url)
        uploader.without_pauses.set()
        # A process that got SIGTERM last may still be about to end: it is started again.
        wait_until(
            lambda: instance.is_working() and uploader.done.is_set(),
            "every upload to be acknowledged",
            COMMAND_SECONDS,
            0.5,
        )
        ids = list(uploader.acknowledged)
        wait_until(lambda: _all_finished(client, ids), "every document to be over", COMMAND_SECONDS, 0.5)
        verdict = Verdict(acknowledged=len(ids), disturbances=chaos.counts)
        _count_documents(client, ids, verdict)
        codes = instance.stop_all()
        verdict.details += [f"exit code {code} after SIGTERM" for code in codes if code]
        _count_rows(instance, verdict)
        billed = state(emulators.openai)["billed"]["operations"]
        answered = instance.count(
            "select count(*) from provider_calls where provider = 'openai' and status = 'ANSWERED'"
        )
        verdict.billed_twice = max(0, billed - answered - verdict.open_windows)
        return verdict


def _all_finished(client: Client, ids: list[str]) -> bool:
    with suppress(httpx.HTTPError):
        statuses = [status for batch in _batches(ids) for status in _statuses(client, batch)]
        return all(status in FINISHED_STATUSES for status in statuses)
    return False


def _batches(ids: list[str]) -> list[list[str]]:
    return [ids[start : start + 50] for start in range(0, len(ids), 50)]


def _statuses(client: Client, ids: list[str]) -> list[str]:
    return [status["status"] for status in client.get("/documents/status", ids=",".join(ids))]


def _count_documents(client: Client, ids: list[str], verdict: Verdict) -> None:
    for batch in _batches(ids):
        found = {
            status["document_id"]: status for status in client.get("/documents/status", ids=",".join(batch))
        }
        for document_id in batch:
            status = found.get(document_id)
            if status is None or status["status"] != "COMPLETED" or not client.chunk_ids(document_id):
                verdict.lost += 1
                verdict.details.append(f"{document_id}: {status and (status['status'], status['error'])}")


def _count_rows(instance: ChaosInstance, verdict: Verdict) -> None:
    """Count what must not be left when every process has stopped."""
    quarantined = "select count(*) from processing_runs where failure_type = 'QUARANTINED'"
    verdict.quarantined = instance.count(quarantined)
    left = {
        "unfinished runs": "select count(*) from processing_runs where state in ('QUEUED', 'RUNNING')",
        "leases": "select count(*) from document_processing_jobs where status = 'PROCESSING'",
        "chunks published twice": "select count(*) - count(distinct document_id || ' ' || ordinal) from chunks",
        "documents without an upload": f"select count(*) - {verdict.acknowledged} from documents",
    }
    counts = {name: instance.count(query) for name, query in left.items()}
    counts["registered workers"] = instance.live_registrations()
    counts["child processes"] = instance.surviving_children()
    counts.update(instance.wrong_blobs())
    verdict.orphans = sum(counts.values())
    verdict.details += [f"{name}: {count}" for name, count in counts.items() if count]
    verdict.open_windows = instance.count(
        "select coalesce(sum(repeated), 0) from provider_calls where provider = 'openai'"
    )


@contextmanager
def _instance(engine: str, folder: Path, emulators: dict[str, str]) -> Generator[ChaosInstance]:
    if engine == "sqlite":
        with embedded_instance(folder, emulators) as instance:
            yield instance
        return
    with private_postgres() as server, postgres_instance(folder, emulators, server) as instance:
        yield instance


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--engine", choices=("sqlite", "postgres"), required=True)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument(
        "--disturbance",
        choices=WEIGHTS,
        action="append",
        help="only this one, and others named so; default: all",
    )
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    print(f"{options.engine}: {options.minutes:g} minutes, seed {options.seed}, folder {folder}", flush=True)
    verdict = run_chaos(
        options.engine,
        folder,
        seconds=60 * options.minutes,
        documents=options.documents,
        seed=options.seed,
        disturbances=options.disturbance or tuple(WEIGHTS),
    )
    print(verdict)
    sys.exit(not verdict.is_good)


if __name__ == "__main__":
    main()
