"""`python -m tests.crash.call_drill`: transcribes a recording of two hours while the server is killed.

Every window must be transcribed exactly once, and memory must stay flat.
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
from tests.support.servers import FINISHED_STATUSES, Client, Server
from tests.support.timeouts import COMMAND_SECONDS, wait_until

#: Seconds between two requests for the status; each request costs the server time.
POLL_INTERVAL = 0.2


@dataclass
class CallDrillReport:
    """The result of a call drill."""

    status: str = ""
    error: str | None = None
    kills: int = 0
    windows: int = 0
    #: Answered calls that transcribed a window; without the call that finds the language of the recording.
    made: int = 0
    #: Calls of the model that a kill interrupted and that were made again.
    repeated: int = 0
    #: Seconds of audio in the transcribed windows.
    seconds: float = 0.0
    #: Megabytes of the server with its child processes, and finished windows, at each status request.
    memory: list[int] = field(default_factory=list[int])
    progress: list[int] = field(default_factory=list[int])


def run_call_drill(
    data: Path,
    recording: bytes,
    kills: int,
    *,
    window: float,
    slice_seconds: float,
    limit: float = COMMAND_SECONDS,
) -> CallDrillReport:
    """Upload the recording, kill the server at equal steps of its progress, and let the last server finish."""
    report = CallDrillReport()
    settings = {
        "TOWPATH_CALL_WINDOW_SECONDS": str(window),
        "TOWPATH_CHILD_PROCESSES": "1",
        "TOWPATH_CALL_SLICE_SECONDS": str(slice_seconds),
    }
    document = ""
    for number in range(kills):
        server = Server(data, settings=settings).wait_until_ready()
        client = Client(server.url)
        document = document or client.upload("call.wav", recording)["id"]
        share = (number + 1) / (kills + 1)
        enough_transcribed = partial(_passed_share, client, document, server, report, share)
        wait_until(enough_transcribed, "some windows to be transcribed", limit)
        server.kill()
        report.kills += 1
    with Server(data, settings=settings) as server:
        client = Client(server.url)
        status: dict[str, Any] = wait_until(
            lambda: _finished_status(client, document, server, report), "the call to be finished", limit
        )
    report.status, report.error = status["status"], status["error"]
    with sqlite3.connect(data / "towpath.db") as database:
        report.made, report.repeated, report.seconds = database.execute(
            "select sum(seconds is not null and status = 'ANSWERED'), sum(repeated), sum(seconds) from "
            "(select *, json_extract(units, '$.seconds') as seconds from provider_calls "
            "where model like 'whisper%')"
        ).fetchone()
    return report


def _passed_share(
    client: Client, document: str, server: Server, report: CallDrillReport, share: float
) -> bool:
    stage = _poll_transcription(client, document, server, report)
    progress = stage and stage["progress"]
    return bool(progress and progress["done"] >= share * progress["total"])


def _finished_status(
    client: Client, document: str, server: Server, report: CallDrillReport
) -> dict[str, Any] | None:
    _poll_transcription(client, document, server, report)
    status = client.get(f"/documents/{document}/status")
    return status if status["status"] in FINISHED_STATUSES and status["poll_after_ms"] is None else None


def _poll_transcription(
    client: Client, document: str, server: Server, report: CallDrillReport
) -> dict[str, Any] | None:
    time.sleep(POLL_INTERVAL)
    status = client.get(f"/documents/{document}/status")
    stage = next((one for one in status["stages"] if one["name"] == "transcribe_poll"), None)
    if stage and stage["progress"]:
        report.windows = stage["progress"]["total"]
        report.progress.append(stage["progress"]["done"])
    report.memory.append(_megabytes(server))
    return stage


def _megabytes(server: Server) -> int:
    try:
        process = psutil.Process(server.process.pid)
        processes = [process, *process.children(recursive=True)]
        return sum(one.memory_info().rss for one in processes) >> 20
    except psutil.NoSuchProcess:
        return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--window", type=float, default=60)
    arguments = parser.parse_args()
    speech = np.concatenate([recordings.speech("two_cities.wav"), recordings.speech("beckett.wav")])
    repeats = int(arguments.minutes * 60 * recordings.RATE / len(speech)) + 1
    samples = np.tile(speech, repeats)[: int(arguments.minutes * 60 * recordings.RATE)]
    started_at = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="call-drill-") as temp_dir:
        report = run_call_drill(
            Path(temp_dir) / "data",
            recordings.wav(samples),
            arguments.kills,
            window=arguments.window,
            slice_seconds=20.0,
            limit=4 * 3600,
        )
    print(
        f"{arguments.minutes:g} minutes, {report.kills} kills: {report.status} {report.error or ''}\n"
        f"windows {report.windows}, answered {report.made}, in the open window {report.repeated}, "
        f"transcribed {report.seconds:.0f} s of {arguments.minutes * 60:.0f} s\n"
        f"memory of server and children: {max(report.memory)} MB at most, {report.memory[-1]} MB at the end\n"
        f"{time.monotonic() - started_at:.0f} s in all"
    )
    good = report.status == "COMPLETED" and report.made == report.windows and report.repeated <= report.kills
    sys.exit(not good)


if __name__ == "__main__":
    main()
