"""Connections over the API: paging, pinning, hiding, and errors for unknown ids."""

from __future__ import annotations

import uuid

from tests.support.api_client import ApiClient
from tests.support.books import CHAPTERS

NOBODY = str(uuid.UUID(int=7))


async def _upload_documents(client: ApiClient) -> str:
    """Upload a book and two documents that retell its chapters; return the book's id."""
    first = [chapter.first for chapter in CHAPTERS[:3]]
    retold = [chapter.retold for chapter in CHAPTERS[:3]]
    bodies = {
        "book": first,
        "retelling": retold,
        "notes": [f"Read on a Sunday. {text}" for text in reversed(first)],
    }
    ids: list[str] = []
    for name, texts in bodies.items():
        body = "\n\n".join(f"# Part {number}\n\n{text}" for number, text in enumerate(texts))
        ids.append((await client.upload(f"{name}.md", body.encode()))["id"])
    for document in ids:
        await client.wait_until_finished(document)
    return ids[0]


async def test_pages_together_are_the_whole_list_and_a_pinned_connection_is_first(client: ApiClient) -> None:
    address = f"/documents/{await _upload_documents(client)}/connections"
    whole = await client.get(address)
    assert len(whole) >= 2
    assert all(
        connection["this"]["text"] and connection["other"]["document_name"] and connection["kind"]
        for connection in whole
    )

    last = whole[-1]["id"]
    marked = await client.http.patch(f"/connections/{last}", json={"pinned": True})
    assert (marked.status_code, marked.json()["pinned"]) == (200, True)
    whole = await client.get(address)
    assert whole[0]["id"] == last

    pages = [await client.get(address, limit=1)]
    while pages[-1]:
        pages.append(await client.get(address, limit=1, after=pages[-1][-1]["id"]))
    assert [connection["id"] for page in pages for connection in page] == [
        connection["id"] for connection in whole
    ]


async def test_unknown_ids_are_refused_with_a_sentence(client: ApiClient) -> None:
    note = (await client.upload("note.md", b"# Weir\n\nThe water falls three metres."))["id"]
    await client.wait_until_finished(note)
    address = f"/documents/{note}/connections"
    assert await client.get(address) == []

    bad_requests: dict[int, list[tuple[str, dict[str, str]]]] = {
        404: [(address, {"after": NOBODY}), (f"/documents/{NOBODY}/connections", {})],
        422: [(address, {"limit": "0"}), (address, {"limit": "many"}), (address, {"limit": "1001"})],
    }
    for code, requests in bad_requests.items():
        for path, parameters in requests:
            answer = await client.http.get(path, params=parameters)
            assert answer.status_code == code, answer.text
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["detail"]
    refused = await client.http.patch(f"/connections/{NOBODY}", json={"hidden": True})
    assert refused.status_code == 404
    assert NOBODY in refused.json()["detail"]
