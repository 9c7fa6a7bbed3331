"""`python -m tests.fuzz.files --minutes 10`: damaged files of every format go through a living server.

Every one must end as COMPLETED or as rejected in words; the server must stay the same process, answer no
500 and never be silent for long.
"""

from __future__ import annotations

import argparse
import itertools
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
from tests.support.samples import READERS, save_sample, variants
from tests.support.servers import OVER, Client, Server

BATCH = 20
#: No damaged file may keep a document busy for longer than this.
PATIENCE = 180.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--folder", type=Path, help="also damage the files of this folder")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="fuzz-files-") as place:
        troubles = fuzz(Path(place), arguments.minutes * 60, arguments.seed, arguments.folder)
    for trouble in troubles:
        print("TROUBLE", trouble)
    sys.exit(bool(troubles))


def fuzz(place: Path, seconds: float, seed: int, folder: Path | None = None) -> list[str]:
    files = damaged_files(place, seed, folder)
    verdicts: Counter[str] = Counter()
    troubles: list[str] = []
    until = time.monotonic() + seconds
    with Server(place / "data", settings={"TOWPATH_MAX_ATTEMPTS": "1"}) as server:
        client = Client(server.url)
        while time.monotonic() < until and server.process.poll() is None and len(troubles) < 20:
            batch = dict(itertools.islice(files, BATCH))
            for name, status in watch(client, batch, troubles).items():
                verdicts[verdict(status)] += 1
                if verdict(status) == "trouble":
                    troubles.append(
                        f"{name}: {status['status']} {status['run']['failure_type']} {status['error']}"
                    )
                    (Path(tempfile.gettempdir()) / f"fuzz-{seed}-{name}").write_bytes(batch[name])
        if server.process.poll() is not None:
            troubles.append(f"the server ended: {server.said()}")
    print(dict(verdicts), flush=True)
    return troubles


def watch(client: Client, batch: dict[str, bytes], troubles: list[str]) -> dict[str, Any]:
    """Send a batch and wait for its end; ask about something else meanwhile."""
    ids: dict[str, str] = {}
    for name, body in batch.items():
        answer = client.http.post("/documents", files={"file": (name, body)})
        if answer.status_code == 200:
            ids[name] = answer.json()["id"]
        elif answer.status_code >= 500:
            troubles.append(f"{name}: the upload was answered {answer.status_code} {answer.text[:200]}")
    until = time.monotonic() + PATIENCE
    while True:
        try:
            found: list[Any] = client.get("/documents/status", ids=",".join(ids.values())) if ids else []
            client.get("/search", q="one all text", limit=3)
        except httpx.HTTPError as error:
            troubles.append(f"the server did not answer well: {error!r}")
            return {}
        states = {one["document_id"]: one for one in found}
        if all(one["status"] in OVER for one in found):
            return {name: states[document_id] for name, document_id in ids.items()}
        if time.monotonic() > until:
            stuck = [name for name, document_id in ids.items() if states[document_id]["status"] not in OVER]
            troubles.append(f"stuck: {stuck}")
            return {}
        time.sleep(0.2)


def verdict(status: Any) -> str:
    if status["status"] == "COMPLETED":
        return "completed"
    if status["run"]["failure_type"] == "REJECTED" and status["error"]:
        return "rejected"
    return "trouble"


def damaged_files(place: Path, seed: int, folder: Path | None) -> Iterator[tuple[str, bytes]]:
    """Endlessly, each kind in turn; the same ones for the same seed."""
    originals = {kind: save_sample(kind, place / f"sample.{kind}").read_bytes() for kind in READERS}
    originals["pdf"] = pdfs.plain(place / "sample.pdf", [pdfs.LOREM] * 3).read_bytes()
    originals["png"] = pdfs.image_file(place / "sample.png", [pdfs.picture(pdfs.LOREM)], "PNG").read_bytes()
    for path in sorted(folder.rglob("*")) if folder else []:
        if path.is_file() and path.stat().st_size < 3_000_000:
            originals[path.name] = path.read_bytes()
    for round_number in itertools.count():
        for kind, body in originals.items():
            for number, damaged in enumerate(variants(kind.rsplit(".")[-1], body, 2, seed + round_number)):
                yield f"{round_number}-{number}.{kind}", damaged


if __name__ == "__main__":
    main()
