"""The Python client on a real server: the code of its guide, uploads with progress, and its errors."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ports import free_port
from tests.support.servers import Server
from tests.support.timeouts import COMMAND_SECONDS, WAIT_SECONDS
from towpath.client import ApiError, ApiNotFound, AsyncClient, Client, ConnectionFailed

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "python-client.md"
LETTER = b"# A letter\n\nThe invoice of the bakery is due on 4 May 2026.\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("client") / "data"
    with Server(data, settings={"TOWPATH_EMBEDDER": "fast"}) as running:
        yield running


def test_the_code_of_the_guide_works(server: Server, tmp_path: Path) -> None:
    (tmp_path / "letter.md").write_bytes(LETTER)
    (tmp_path / "memo.md").write_text("# A memo\n\nThe boat left at noon.\n")
    code = "\n".join(re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL))
    done = subprocess.run(
        [sys.executable, "-c", code.replace("http://127.0.0.1:8000", server.url)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        env=os.environ,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == [f"{len(LETTER)} of {len(LETTER)} bytes", "COMPLETED"]
    assert "['COMPLETED', 'COMPLETED']" in lines
    assert any("bakery is due on 4 May 2026. ['letter.md']" in line for line in lines)
    assert lines[-1].startswith("404 urn:towpath:not-found There is no document")


def test_an_upload_reports_its_progress_and_keeps_its_name(server: Server) -> None:
    body = b"The boat left at noon. " * 50_000
    calls: list[tuple[int, int]] = []

    def on_progress(sent: int, size: int) -> None:
        calls.append((sent, size))

    with Client(server.url) as client:
        uploaded = client.upload(body, name="boats.txt", on_progress=on_progress)
        assert (uploaded["name"], uploaded["size"]) == ("boats.txt", len(body))
        assert calls == sorted(calls)
        assert len(calls) > 5
        assert calls[-1] == (len(body), len(body))
        seen: list[str] = []
        status = client.wait(
            uploaded["id"], timeout=WAIT_SECONDS, on_status=lambda status: seen.append(status["status"])
        )
        assert (status["status"], seen[-1]) == ("COMPLETED", "COMPLETED")
        assert client.upload(body, name="again.txt")["duplicate"] is True
        client.delete(uploaded["id"])
        with pytest.raises(ApiNotFound):
            client.document(uploaded["id"])


def test_documents_are_read_page_by_page(server: Server) -> None:
    with Client(server.url) as client:
        ids = {client.upload(b"Number %d." % number, name=f"page-{number}.txt")["id"] for number in range(5)}
        assert {item["id"] for item in client.documents(name="page-", page_size=2)} == ids
        assert {status["document_id"] for status in client.statuses(sorted(ids))} == ids


async def test_the_asyncio_client_raises_a_timeout_and_the_problem_of_a_response(server: Server) -> None:
    async with AsyncClient(server.url) as client:
        uploaded = await client.upload(LETTER, name="letter.md")
        await client.wait(uploaded["id"], timeout=WAIT_SECONDS)
        found = await client.search("bakery", kind="document", language="en")
        assert uploaded["id"] in {hit["document_id"] for hit in found["hits"]}
        with pytest.raises(ApiError) as refused:
            await client.search("bakery", limit=100_000)
        assert (refused.value.status, refused.value.type) == (422, "urn:towpath:invalid-request")
        with pytest.raises(ApiNotFound):
            await client.transcript(uploaded["id"])
        big = await client.upload(b"One more line.\n" * 200_000, name="big.txt")
        with pytest.raises(TimeoutError):
            await client.wait(big["id"], timeout=0.0)


def test_a_server_that_does_not_answer_and_a_wrong_key(server: Server) -> None:
    with (
        Client(f"http://127.0.0.1:{free_port()}") as client,
        pytest.raises(ConnectionFailed, match="No server answers"),
    ):
        client.search("x")
    with Client(server.url, "tp_wrong") as client, pytest.raises(ApiError) as refused:
        client.search("x")
    assert refused.value.status == 401
