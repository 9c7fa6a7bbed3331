"""Connections over the API: read in pages, pinned and hidden, and refused with a sentence where there are none."""

from __future__ import annotations

import uuid

from bench.quality.texts import CHAPTERS
from tests.support.desk import Desk

NOBODY = str(uuid.UUID(int=7))


async def _filed(desk: Desk) -> str:
    """A book, and two documents that retell its chapters; answers the book's id."""
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
        ids.append((await desk.upload(f"{name}.md", body.encode()))["id"])
    for document in ids:
        await desk.finished(document)
    return ids[0]


async def test_the_list_is_the_same_in_pages_and_a_mark_moves_it(desk: Desk) -> None:
    address = f"/documents/{await _filed(desk)}/connections"
    whole = await desk.get(address)
    assert len(whole) >= 2
    assert all(one["here"]["text"] and one["there"]["document_name"] and one["reason"] for one in whole)

    last = whole[-1]["id"]
    marked = await desk.http.patch(f"/connections/{last}", json={"pinned": True})
    assert (marked.status_code, marked.json()["pinned"]) == (200, True)
    whole = await desk.get(address)
    assert whole[0]["id"] == last

    pages = [await desk.get(address, limit=1)]
    while pages[-1]:
        pages.append(await desk.get(address, limit=1, after=pages[-1][-1]["id"]))
    assert [one["id"] for page in pages for one in page] == [one["id"] for one in whole]


async def test_what_is_not_there_is_refused_with_a_sentence(desk: Desk) -> None:
    note = (await desk.upload("note.md", b"# Weir\n\nThe water falls three metres."))["id"]
    await desk.finished(note)
    address = f"/documents/{note}/connections"
    assert await desk.get(address) == []

    asked: dict[int, list[tuple[str, dict[str, str]]]] = {
        404: [(address, {"after": NOBODY}), (f"/documents/{NOBODY}/connections", {})],
        422: [(address, {"limit": "0"}), (address, {"limit": "many"}), (address, {"limit": "1001"})],
    }
    for code, requests in asked.items():
        for path, parameters in requests:
            answer = await desk.http.get(path, params=parameters)
            assert answer.status_code == code, answer.text
            assert answer.headers["content-type"] == "application/problem+json"
            assert answer.json()["detail"]
    refused = await desk.http.patch(f"/connections/{NOBODY}", json={"hidden": True})
    assert refused.status_code == 404
    assert NOBODY in refused.json()["detail"]
