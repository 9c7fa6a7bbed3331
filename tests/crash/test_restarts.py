"""SIGTERM to `towpath serve` and `towpath worker`: work is released, nothing is paid twice, the exit code is 0."""

from __future__ import annotations

import os
import signal
import socket
import time
from pathlib import Path

import pytest

from tests.crash.restart_drill import TARGETS, run_restart_drill
from tests.support.servers import Client, Server
from tests.support.timeouts import PROCESS_SECONDS, wait_until


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("signals", "pages"), [(2, 4), pytest.param(3, 4, marks=pytest.mark.long)])
def test_restarts_use_no_attempt_count_no_crash_and_pay_nothing_twice(
    target: str, signals: int, pages: int, tmp_path: Path
) -> None:
    """`make drill-restart` sends twenty signals to each target."""
    report = run_restart_drill(target, tmp_path, signals, pages=pages)

    assert report.findings == []
    assert (report.status, report.signals, report.billed, report.repeated) == ("COMPLETED", signals, 1, 0)
    # Embedded, each start fails the interrupted run and resumes it by a new one. On Postgres the run goes on.
    assert report.runs == (signals + 1 if target == "serve-sqlite" else 1)


def _send_half_an_upload(port: int) -> socket.socket:
    """Send the headers and the first bytes of an upload that never ends."""
    connection = socket.create_connection(("127.0.0.1", port))
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="big.txt"\r\n\r\n'
    connection.sendall(
        b"POST /documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000000\r\n"
        b"Content-Type: multipart/form-data; boundary=b\r\n\r\n" + head + b"x" * 100_000
    )
    return connection


def _receiving(data: Path) -> bool:
    return any(file.stat().st_size for file in (data / "incoming").rglob("*") if file.is_file())


def test_an_upload_in_flight_delays_the_exit_by_the_grace_period_at_most(tmp_path: Path) -> None:
    settings = {"TOWPATH_SHUTDOWN_GRACE_SECONDS": "0.5"}
    with Server(tmp_path / "data", settings=settings) as server, _send_half_an_upload(server.port):
        wait_until(lambda: _receiving(tmp_path / "data"), "the upload to begin")
        assert server.stop() == 0

    with Server(tmp_path / "data") as server:
        assert Client(server.url).get("/documents")["documents"] == [], "half a file is no document"
        assert not _receiving(tmp_path / "data")


def test_a_second_signal_ends_the_grace_period(tmp_path: Path) -> None:
    grace = PROCESS_SECONDS
    settings = {"TOWPATH_SHUTDOWN_GRACE_SECONDS": str(grace)}
    with Server(tmp_path / "data", settings=settings) as server, _send_half_an_upload(server.port):
        wait_until(lambda: _receiving(tmp_path / "data"), "the upload to begin")
        asked_at = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: "stopping" in server.log_tail(), "the first signal to be handled")
        os.kill(server.process.pid, signal.SIGTERM)
        server.process.wait(PROCESS_SECONDS)
        assert time.monotonic() - asked_at < grace
