"""`python -m tests.crash.folder_drill FOLDER`: processes a folder while the server is killed ten times.

The same folder is processed without kills first. Chunks (ids and text), fields, statuses and provider calls must
be the same afterwards, no chunk twice, no blob left over after `towpath check --repair`.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.support.forked_command import run_towpath
from tests.support.servers import FINISHED_STATUSES, Client, Server

Snapshot = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    files = sorted(path for path in arguments.folder.rglob("*") if path.is_file())
    with tempfile.TemporaryDirectory(prefix="folder-drill-") as temp_dir:
        root = Path(temp_dir)
        expected = undisturbed(root / "undisturbed" / "data", files)
        print(f"undisturbed: {summary(expected)}", flush=True)
        data = root / "disturbed" / "data"
        disturbed_result = disturbed(data, files, arguments.kills, random.Random(arguments.seed))
        print(f"{arguments.kills} kills: {summary(disturbed_result)}", flush=True)
        differences = compare(expected, disturbed_result) + leftovers(data)
    for difference in differences:
        print("DIFFERENT", difference)
    print("the same" if not differences else f"{len(differences)} differences")
    sys.exit(bool(differences))


def undisturbed(data: Path, files: Sequence[Path]) -> Snapshot:
    with Server(data, settings=SETTINGS) as server:
        client = Client(server.url)
        ids = submit(client, files)
        wait(client, ids)
        return take_snapshot(client, ids)


def disturbed(data: Path, files: Sequence[Path], kills: int, rng: random.Random) -> Snapshot:
    ids: dict[str, str] = {}
    for number in range(kills):
        server = Server(data, settings=SETTINGS).wait_until_ready()
        if number == 0:
            ids = submit(Client(server.url), files)
        time.sleep(rng.uniform(0.2, 4.0))
        server.kill()
    with Server(data, settings=SETTINGS) as server:
        client = Client(server.url)
        wait(client, ids)
        return take_snapshot(client, ids)


#: Random kills must not quarantine a document, and runs have no deadline.
SETTINGS = {"TOWPATH_MAX_CRASHES": "1000", "TOWPATH_RUN_DEADLINE_SECONDS": "none"}


def submit(client: Client, files: Sequence[Path]) -> dict[str, str]:
    return {path.name: client.upload(path.name, path.read_bytes())["id"] for path in files}


def wait(client: Client, ids: dict[str, str], seconds: float = 1800) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        answers = client.get("/documents/status", ids=",".join(ids.values()))
        if all(answer["status"] in FINISHED_STATUSES for answer in answers):
            return
        time.sleep(0.5)
    raise SystemExit("some documents are stuck")


def take_snapshot(client: Client, ids: dict[str, str]) -> Snapshot:
    """The status, chunks and fields of each file."""
    seen: Snapshot = {}
    for name, document_id in ids.items():
        status = client.get(f"/documents/{document_id}/status")
        chunks = client.get(f"/documents/{document_id}/chunks", limit=1000)
        fields = client.get(f"/documents/{document_id}/fields")
        assert len({chunk["id"] for chunk in chunks}) == len(chunks), f"{name} has a chunk twice"
        seen[name] = {
            "status": status["status"],
            "error": status["error"],
            "chunks": [(chunk["id"], chunk["text"], json.dumps(chunk["anchor"])) for chunk in chunks],
            "fields": [(field["name"], field["value"]) for field in fields],
        }
    return seen


def compare(expected: Snapshot, actual: Snapshot) -> list[str]:
    return [
        f"{name}: {part}"
        for name in expected
        for part in expected[name]
        if expected[name][part] != actual[name][part]
    ]


def leftovers(data: Path) -> list[str]:
    """Rows and blobs that must not exist after the kills."""
    findings: list[str] = []
    with sqlite3.connect(data / "towpath.db") as database:
        [running] = database.execute(
            "select count(*) from (select 1 from processing_runs where state = 'RUNNING' group by document_id"
            " having count(*) > 1)"
        ).fetchone()
        [twice] = database.execute(
            "select count(*) from (select 1 from provider_calls group by org_id, key having count(*) > 1)"
        ).fetchone()
        [open_windows] = database.execute("select coalesce(sum(repeated), 0) from provider_calls").fetchone()
    if running or twice:
        findings.append(f"{running} documents with two running runs, {twice} calls stored twice")
    print(f"repeated calls (local, free): {open_windows}")
    for flags in (["--repair"], []):
        check = run_towpath("check", "--json", "--data", str(data), *flags)
        storage = json.loads(check.stdout)["storage"]
    if storage["orphans"] or storage["missing"]:
        findings.append(f"blobs: {len(storage['orphans'])} orphans, {len(storage['missing'])} missing")
    return findings


def summary(seen: Snapshot) -> str:
    done = sum(entry["status"] == "COMPLETED" for entry in seen.values())
    chunks = sum(len(entry["chunks"]) for entry in seen.values())
    return f"{len(seen)} files, {done} completed, {chunks} chunks"


if __name__ == "__main__":
    main()
