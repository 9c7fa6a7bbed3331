"""A call survives kills: what was heard is not heard again, and what was sent is not sent again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.crash.call_drill import killed_while_hearing
from tests.support import recordings
from tests.support.emulators.process import emulator_process, order_fault, state
from tests.support.servers import Client, Server, wait_for


def test_a_recording_killed_three_times_is_heard_once(tmp_path: Path) -> None:
    said = recordings.speech("beckett.wav")
    told = killed_while_hearing(
        tmp_path / "data", recordings.wav(recordings.np.tile(said, 3)), 3, window=3.0, turn=0.5
    )

    assert told.status == "COMPLETED", told.error
    assert told.kills == 3
    assert told.windows > 6
    assert told.made == told.windows, "each window was answered once"
    assert told.reopened <= told.kills, "at most the window in hand was lost to a kill"


def _operations(data: Path) -> int:
    with closing(sqlite3.connect(data / "towpath.db")) as database:
        [found] = database.execute("select count(operation_id) from provider_calls").fetchone()
        return found


def test_killed_between_start_and_poll_the_recognition_is_billed_once(tmp_path: Path) -> None:
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
        # On record, and not only at the service: between the two lies the open window, which other tests look at.
        wait_for(lambda: _operations(tmp_path / "data") == 1, "the recognition to be on record")
        server.kill()

        with Server(tmp_path / "data", settings=settings) as again:
            [status] = Client(again.url).wait_until_over(call["id"])
        assert status["status"] == "COMPLETED", status["error"]
        assert state(service.speechkit)["billed"]["operations"] == 1
