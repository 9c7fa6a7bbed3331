"""Files that ask for much time or memory are refused with a sentence, and ordinary documents beside them proceed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.hostile_files import HOSTILE_FILES
from tests.support.memory_watch import MAX_CHILD_BYTES, MAX_SERVER_BYTES, MemoryWatch
from tests.support.servers import Client, Server

#: A third of the default: the tests need not wait for all of it.
SETTINGS = {"TOWPATH_READER_CPU_SECONDS": "5", "TOWPATH_RUN_DEADLINE_SECONDS": "none"}
#: Files that may also be read: what they ask for is only much, not too much.
HARMLESS = {"huge-media-box.pdf", "thousand-pages.tiff", "shared-strings-count.xlsx"}


@pytest.mark.parametrize("name", HOSTILE_FILES)
def test_a_hostile_file_is_refused_while_others_proceed(tmp_path: Path, name: str) -> None:
    body = HOSTILE_FILES[name]()
    with Server(tmp_path / "data", settings=SETTINGS) as server, MemoryWatch(server.process.pid) as memory:
        client = Client(server.url)
        uploaded = client.upload(name, body)
        hostile = uploaded["id"]
        # Ordinary documents complete while the hostile one holds a reader.
        ordinary = [
            client.upload(f"{number}.md", b"# Note %d\n\nThe keeper." % number)["id"] for number in range(3)
        ]
        for status in client.wait_until_finished(*ordinary):
            assert status["status"] == "COMPLETED", status
        if name == "thousand-pages.tiff":
            # Its pages are recognized in batches; one batch after another, beside the others.
            client.http.post(f"/runs/{uploaded['run_id']}/cancel")
        (status,) = client.wait_until_finished(hostile)
        if status["status"] == "COMPLETED" or status["status"] == "CANCELLED":
            assert name in HARMLESS
        else:
            failure_type = client.get(f"/documents/{hostile}/runs")[-1]["failure_type"]
            assert (status["status"], failure_type) == ("FAILED", "REJECTED"), status["error"]
            assert status["error"].startswith("This ")
            assert "Traceback" not in status["error"]
        assert server.process.poll() is None
    assert memory.server < MAX_SERVER_BYTES
    assert memory.child < MAX_CHILD_BYTES
