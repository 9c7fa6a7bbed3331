"""`python -m tests.fuzz.files --files 2000`: processes damaged files of every format with a running server.

Every file must be COMPLETED or rejected with a reason. The server process must not end, answer with a 5xx
status, or stop answering. Its memory and that of its child processes must stay below their limits.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.support import pdfs
from tests.support.memory_watch import MemoryWatch
from tests.support.more_samples import more_samples
from tests.support.samples import READERS, save_sample, variants
from tests.support.servers import FINISHED_STATUSES, Client, Server
from tests.support.timeouts import COMMAND_SECONDS

BATCH = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2_000, help="number of files; each format in turn")
    parser.add_argument("--minutes", type=float, help="end after this time, with fewer files")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--folder", type=Path, help="also damage the files of this folder")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="fuzz-files-") as temp_dir:
        seconds = math.inf if arguments.minutes is None else 60 * arguments.minutes
        problems = fuzz(Path(temp_dir), arguments.files, arguments.seed, arguments.folder, seconds=seconds)
    for problem in problems:
        print("PROBLEM", problem)
    sys.exit(bool(problems))


def fuzz(
    temp_dir: Path, count: int, seed: int, folder: Path | None = None, *, seconds: float = math.inf
) -> list[str]:
    """Process ``count`` damaged files, or as many as ``seconds`` allow; what must not be found, in words."""
    files = itertools.islice(damaged_files(temp_dir, seed, folder), count)
    verdicts: Counter[str] = Counter()
    formats: Counter[str] = Counter()
    problems: list[str] = []
    until = time.monotonic() + seconds
    settings = {"TOWPATH_MAX_ATTEMPTS": "1", "TOWPATH_RUN_DEADLINE_SECONDS": "none"}
    with (
        Server(temp_dir / "data", settings=settings) as server,
        MemoryWatch(server.process.pid) as memory,
    ):
        client = Client(server.url)
        while time.monotonic() < until and server.process.poll() is None and len(problems) < 20:
            if not (batch := dict(itertools.islice(files, BATCH))):
                break
            for name, status in watch(client, batch, problems).items():
                formats[name.partition(".")[2]] += 1
                verdicts[verdict(status)] += 1
                if verdict(status) == "problem":
                    problems.append(
                        f"{name}: {status['status']} {status['run']['failure_type']} {status['error']}"
                    )
                    (Path(tempfile.gettempdir()) / f"fuzz-{seed}-{name}").write_bytes(batch[name])
        if server.process.poll() is not None:
            problems.append(f"the server ended: {server.log_tail()}")
    print(f"{formats.total()} files of {len(formats)} formats: {dict(verdicts)}; {memory}", flush=True)
    return problems + memory.problems()


def watch(client: Client, batch: dict[str, bytes], problems: list[str]) -> dict[str, Any]:
    """Upload a batch and wait until it is processed; search meanwhile."""
    ids: dict[str, str] = {}
    for name, body in batch.items():
        answer = client.http.post("/documents", files={"file": (name, body)})
        if answer.status_code == 200:
            ids[name] = answer.json()["id"]
        elif answer.status_code >= 500:
            problems.append(f"{name}: the upload was answered {answer.status_code} {answer.text[:200]}")
    until = time.monotonic() + COMMAND_SECONDS
    while True:
        try:
            statuses: list[Any] = client.get("/documents/status", ids=",".join(ids.values())) if ids else []
            client.get("/search", q="one all text", limit=3)
        except httpx.HTTPError as error:
            problems.append(f"the server did not answer well: {error!r}")
            return {}
        states = {item["document_id"]: item for item in statuses}
        if all(item["status"] in FINISHED_STATUSES for item in statuses):
            return {name: states[document_id] for name, document_id in ids.items()}
        if time.monotonic() > until:
            stuck = [
                name
                for name, document_id in ids.items()
                if states[document_id]["status"] not in FINISHED_STATUSES
            ]
            problems.append(f"stuck: {stuck}")
            return {}
        time.sleep(0.2)


def verdict(status: Any) -> str:
    if status["status"] == "COMPLETED":
        return "completed"
    if status["run"]["failure_type"] == "REJECTED" and status["error"]:
        return "rejected"
    return "problem"


def damaged_files(temp_dir: Path, seed: int, folder: Path | None) -> Iterator[tuple[str, bytes]]:
    """Damaged files without end, each format in turn; equal for equal seeds."""
    originals = {kind: save_sample(kind, temp_dir / f"sample.{kind}").read_bytes() for kind in READERS}
    originals |= more_samples(temp_dir)
    originals["pdf"] = pdfs.plain(temp_dir / "sample.pdf", [pdfs.LOREM] * 3).read_bytes()
    originals["png"] = pdfs.image_file(
        temp_dir / "sample.png", [pdfs.picture(pdfs.LOREM)], "PNG"
    ).read_bytes()
    for path in sorted(folder.rglob("*")) if folder else []:
        if path.is_file() and path.stat().st_size < 3_000_000:
            originals[path.name] = path.read_bytes()
    for round_number in itertools.count():
        for kind, body in originals.items():
            for number, damaged in enumerate(variants(kind.rsplit(".")[-1], body, 2, seed + round_number)):
                yield f"{round_number}-{number}.{kind}", damaged


if __name__ == "__main__":
    main()
