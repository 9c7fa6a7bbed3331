"""A short run of each fuzzer; `make fuzz` processes 2,000 files, and sends requests for ten minutes."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.api import SHORT, fuzz_api
from tests.fuzz.files import BATCH, fuzz
from tests.support.servers import Client, Server


def test_damaged_files_are_read_or_rejected_and_the_server_keeps_running(tmp_path: Path) -> None:
    assert fuzz(tmp_path, BATCH, seed=2026) == []


def test_generated_requests_conform_to_the_api_document(tmp_path: Path) -> None:
    with Server(tmp_path / "data") as server:
        client = Client(server.url)
        client.wait_until_finished(client.upload("keeper.md", b"# The keeper\n\nHe opens the gates.")["id"])
        ran = fuzz_api(server.url, tmp_path, *SHORT)
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-1000:]
