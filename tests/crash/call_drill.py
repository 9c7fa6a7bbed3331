"""`python -m tests.crash.call_drill`: a recording of two hours, and a server that is killed while it hears it.

Every window must be transcribed exactly once, progress must never go back, and memory must stay flat.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from tests.support import recordings
from tests.support.servers import OVER, Client, Server, wait_for

#: Often enough to see progress move; looking costs the server time, too.
LOOK_EVERY = 0.2


@dataclass
class Told:
    """What became of the recording."""

    status: str = ""
    error: str | None = None
    kills: int = 0
    windows: int = 0
    made: int = 0
    reopened: int = 0
    seconds: float = 0.0
    #: Megabytes of the server and its children together, and the windows done, each time somebody looked.
    memory: list[int] = field(default_factory=list[int])
    progress: list[int] = field(default_factory=list[int])


def killed_while_hearing(
    data: Path, recording: bytes, kills: int, *, window: float, turn: float, patience: float = 120.0
) -> Told:
    """Upload, kill the server at even steps of its progress, let the last one finish."""
    told = Told()
    settings = {
        "TOWPATH_CALL_WINDOW_SECONDS": str(window),
        "TOWPATH_CHILD_PROCESSES": "1",
        "TOWPATH_CALL_TURN_SECONDS": str(turn),
    }
    document = ""
    for number in range(kills):
        server = Server(data, settings=settings).wait_until_ready()
        client = Client(server.url)
        document = document or client.upload("call.wav", recording)["id"]
        share = (number + 1) / (kills + 1)
        heard = partial(_past, client, document, server, told, share)
        wait_for(heard, "some windows to be heard", patience)
        server.kill()
        told.kills += 1
    with Server(data, settings=settings) as server:
        client = Client(server.url)
        status: dict[str, Any] = wait_for(
            lambda: _over(client, document, server, told), "the call to be over", patience
        )
    told.status, told.error = status["status"], status["error"]
    with sqlite3.connect(data / "towpath.db") as database:
        heard = "from provider_calls where model like 'moonshine%'"
        told.made, told.reopened = database.execute(
            f"select sum(status = 'ANSWERED'), sum(reopened) {heard}"
        ).fetchone()
        [told.seconds] = database.execute(f"select sum(json_extract(units, '$.seconds')) {heard}").fetchone()
    return told


def _past(client: Client, document: str, server: Server, told: Told, share: float) -> bool:
    stage = _hearing(client, document, server, told)
    return bool(stage and stage["total"] and stage["done"] >= share * stage["total"])


def _over(client: Client, document: str, server: Server, told: Told) -> dict[str, Any] | None:
    _hearing(client, document, server, told)
    status = client.get(f"/documents/{document}/status")
    return status if status["status"] in OVER and status["poll_after_ms"] is None else None


def _hearing(client: Client, document: str, server: Server, told: Told) -> dict[str, Any] | None:
    time.sleep(LOOK_EVERY)
    status = client.get(f"/documents/{document}/status")
    stage = next((one for one in status["stages"] if one["name"] == "transcribe_poll"), None)
    if stage and stage["total"]:
        told.windows = stage["total"]
        told.progress.append(stage["done"])
    told.memory.append(_megabytes(server))
    return stage


def _megabytes(server: Server) -> int:
    try:
        process = psutil.Process(server.process.pid)
        family = [process, *process.children(recursive=True)]
        return sum(one.memory_info().rss for one in family) >> 20
    except psutil.NoSuchProcess:
        return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--window", type=float, default=60)
    arguments = parser.parse_args()
    said = np.concatenate([recordings.speech("two_cities.wav"), recordings.speech("beckett.wav")])
    times = int(arguments.minutes * 60 * recordings.RATE / len(said)) + 1
    whole = np.tile(said, times)[: int(arguments.minutes * 60 * recordings.RATE)]
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="call-drill-") as place:
        told = killed_while_hearing(
            Path(place) / "data",
            recordings.wav(whole),
            arguments.kills,
            window=arguments.window,
            turn=20.0,
            patience=4 * 3600,
        )
    print(
        f"{arguments.minutes:g} minutes, {told.kills} kills: {told.status} {told.error or ''}\n"
        f"windows {told.windows}, answered {told.made}, in the open window {told.reopened}, "
        f"heard {told.seconds:.0f} s of {arguments.minutes * 60:.0f} s\n"
        f"memory of server and children: {max(told.memory)} MB at most, {told.memory[-1]} MB at the end\n"
        f"{time.monotonic() - began:.0f} s in all"
    )
    good = told.status == "COMPLETED" and told.made == told.windows and told.reopened <= told.kills
    sys.exit(not good)


if __name__ == "__main__":
    main()
