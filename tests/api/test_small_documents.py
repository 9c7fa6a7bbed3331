"""A small document is read, chunked and indexed by one call of a child process, with the results of separate calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import ApiClient, open_api_client
from tests.support.thread_pool import ThreadPool
from towpath.stages.support import prepared_documents

NOTE = b"# The lock\n\nThe lock at Braunston was closed in March.\n\n## Costs\n\nInvoice number: 4711\n"

Calls = Counter[str]
#: What a child process is asked to do for a note whose results are not prepared.
FUNCTIONS = ("read_and_continue", "chunk_file", "embed_fast", "index_words")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """The calls of child processes, which run in threads here, by the name of their function."""
    counted = Calls()
    run = ThreadPool.run

    async def count(pool: ThreadPool, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        counted[function.__name__] += 1
        return await run(pool, function, *arguments, **options)

    monkeypatch.setattr(ThreadPool, "run", count)
    return counted


def _client(data: Path) -> AbstractAsyncContextManager[ApiClient]:
    return open_api_client(data, in_threads=True)


async def _process(client: ApiClient) -> dict[str, Any]:
    """What the API shows of a note."""
    document = await client.upload("note.md", NOTE)
    status = await client.wait_until_finished(document["id"])
    assert status["status"] == "COMPLETED", status
    path = f"/documents/{document['id']}"
    [hit] = (await client.get("/search", q="Braunston", mode="text"))["hits"]
    return {
        "chunks": [
            (chunk["id"], chunk["text"], chunk["anchor"]) for chunk in await client.get(f"{path}/chunks")
        ],
        "fields": await client.get(f"{path}/fields"),
        "content": (await client.http.get(f"{path}/content")).content,
        "hit": (hit["chunk_id"], hit["anchor"]),
    }


async def test_a_note_needs_one_call_to_be_read_chunked_embedded_and_indexed(
    tmp_path: Path, calls: Calls
) -> None:
    async with _client(tmp_path) as client:
        await _process(client)
    assert [calls[name] for name in FUNCTIONS] == [1, 0, 0, 0]


async def test_a_model_that_is_not_light_is_asked_by_the_stage(tmp_path: Path, calls: Calls) -> None:
    async with open_api_client(tmp_path, in_threads=True, embedder="multilingual") as client:
        await _process(client)
    assert [calls[name] for name in (*FUNCTIONS, "embed_multilingual")] == [1, 0, 0, 0, 1]


async def test_a_note_whose_preparation_is_lost_has_the_same_content(
    tmp_path: Path, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _client(tmp_path / "prepared") as client:
        expected = await _process(client)
    # As after a restart, or when another worker continues the run.
    monkeypatch.setattr(prepared_documents, "MAX_DOCUMENTS", 0)
    async with _client(tmp_path / "lost") as client:
        assert await _process(client) == expected
    assert [calls[name] for name in FUNCTIONS] == [2, 1, 1, 1]
