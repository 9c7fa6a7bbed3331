"""Kills of the server during a call: no window is transcribed twice, and no recognition is started twice."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.crash.call_drill import run_call_drill
from tests.support import recordings
from tests.support.emulators.process import emulator_process, order_fault, state
from tests.support.servers import Client, Server
from tests.support.timeouts import wait_until


@pytest.mark.parametrize(("kills", "repeats"), [(1, 1), pytest.param(3, 3, marks=pytest.mark.long)])
def test_each_window_is_transcribed_once_although_the_server_is_killed(
    tmp_path: Path, kills: int, repeats: int
) -> None:
    speech = recordings.speech("beckett.wav")
    samples = recordings.np.tile(speech, repeats)
    report = run_call_drill(tmp_path / "data", recordings.wav(samples), kills, window=3.0, slice_seconds=0.5)

    assert report.status == "COMPLETED", report.error
    assert report.kills == kills
    assert report.windows > 2 * repeats
    assert report.made == report.windows, "each window was answered once"
    assert report.seconds == pytest.approx(len(samples) / recordings.RATE, abs=0.1)
    assert report.repeated <= report.kills, "a kill repeats at most the window in progress"


def _operations(data: Path) -> int:
    with closing(sqlite3.connect(data / "towpath.db")) as database:
        [operations] = database.execute("select count(operation_id) from provider_calls").fetchone()
        return operations


def test_a_recognition_is_billed_once_although_the_server_is_killed_before_the_first_poll(
    tmp_path: Path,
) -> None:
    with emulator_process() as service:
        order_fault(service.speechkit, on="poll", kind="running", times=1)
        settings = {
            **service.settings,
            "TOWPATH_TRANSCRIBER": "speechkit",
            "TOWPATH_TRANSCRIPT_FIRST_POLL_SECONDS": "0.1",
            "TOWPATH_READER": "local",
            "TOWPATH_EMBEDDER": "fast",
        }
        server = Server(tmp_path / "data", settings=settings).wait_until_ready()
        call = Client(server.url).upload("call.wav", recordings.wav(recordings.tone(3)))
        # Wait until the operation id is stored; a kill before that would repeat the call, which other tests cover.
        wait_until(lambda: _operations(tmp_path / "data") == 1, "the operation id to be stored")
        server.kill()

        with Server(tmp_path / "data", settings=settings) as again:
            [status] = Client(again.url).wait_until_finished(call["id"])
        assert status["status"] == "COMPLETED", status["error"]
        assert state(service.speechkit)["billed"]["operations"] == 1
