"""The MCP server, used by the client of the official SDK over stdio and over HTTP."""

from __future__ import annotations

import base64
import json
import os
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.support.ports import free_port
from tests.support.timeouts import REQUEST_SECONDS, async_wait_until

MANUAL = "# Packages\n\nThe lintian command checks a package for bugs and violations of the policy.\n"
TOOLS = {"search", "ask", "get_document", "list_documents", "submit"}


@asynccontextmanager
async def _over_stdio(data: Path) -> AsyncGenerator[Client]:
    command = ["-m", "towpath", "mcp", "--data", str(data)]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=_environment())
    async with Client(parameters, read_timeout_seconds=REQUEST_SECONDS) as client:
        yield client


@contextmanager
def _http_process(data: Path, port: int) -> Generator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "towpath", "mcp", "--data", str(data), "--http-port", str(port)]
    with subprocess.Popen(command, env=_environment()) as process:
        try:
            yield process
        finally:
            process.terminate()


@asynccontextmanager
async def _over_http(data: Path) -> AsyncGenerator[Client]:
    port = free_port()
    with _http_process(data, port) as process:

        async def is_listening() -> bool:
            assert process.poll() is None
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0

        await async_wait_until(is_listening, "the MCP server to listen", every=0.1)
        async with Client(f"http://127.0.0.1:{port}/mcp", read_timeout_seconds=REQUEST_SECONDS) as client:
            yield client


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A data folder with a library that has one document."""
    command = [sys.executable, "-m", "towpath", "submit", "--create", "--data", str(tmp_path / "data")]
    subprocess.run([*command, __file__], check=True, env=_environment(), stdout=subprocess.DEVNULL)
    return tmp_path / "data"


def _environment() -> dict[str, str]:
    return {**os.environ, "TOWPATH_EMBEDDER": "fast"}


async def _call(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    [content] = result.content
    assert content.type == "text"
    assert not result.is_error, content.text
    return json.loads(content.text)


async def _error(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    [content] = result.content
    assert content.type == "text"
    return content.text


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_a_client_lists_and_calls_every_tool(tmp_path: Path, library: Path, transport: str) -> None:
    connection = _over_stdio(library) if transport == "stdio" else _over_http(library)
    async with connection as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        assert all(tool.description and "    " not in tool.description for tool in tools)

        submitted = await _call(client, "submit", name="manual.md", text=MANUAL)

        async def is_completed() -> bool:
            return (await _call(client, "get_document", document="manual.md"))["status"] == "COMPLETED"

        await async_wait_until(is_completed, "the document to be processed", every=0.2)
        document = await _call(client, "get_document", document=submitted["id"], max_characters=10)
        assert document["text"] == MANUAL[:10]
        assert document["next_offset"] == 10

        hits = (await _call(client, "search", query="violations of the policy", limit=3))["hits"]
        assert hits[0]["document_id"] == submitted["id"]

        answer = await _call(client, "ask", question="What does the lintian command check?")
        assert answer["status"] == "answered"
        quotes = {citation["quote"] for s in answer["sentences"] for citation in s["citations"]}
        assert any("lintian command checks" in quote for quote in quotes)
        one = await _call(client, "ask", question="What does the zebra sing?", document="manual.md")
        assert one["status"] == "not_found"

        listed = await _call(client, "list_documents", name="manual")
        [item] = listed["documents"]
        assert item["id"] == submitted["id"]
        assert "sha256" not in item, "a model pays attention to each field"

        again = await _call(
            client, "submit", name="manual.md", content_base64=base64.b64encode(MANUAL.encode()).decode()
        )
        assert again["duplicate"] is True
        (tmp_path / "note.txt").write_text("A note about the boat.")
        path = str(tmp_path / "note.txt")
        if transport == "stdio":
            assert (await _call(client, "submit", path=path))["name"] == "note.txt"
        else:
            assert "stdio only" in await _error(client, "submit", path=path)
        assert "No document" in await _error(client, "get_document", document="missing.md")
        assert "Give one of" in await _error(client, "submit", name="a.md")


def test_a_port_in_use_is_reported(library: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        command = [sys.executable, "-m", "towpath", "mcp", "--data", str(library), "--http-port", str(port)]
        result = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert f"Port {port} of 127.0.0.1 is in use" in result.stderr
