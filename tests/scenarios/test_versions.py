"""A corrected file under the same key: the same document, only changed chunks are paid for, old links still open."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import ApiClient, open_api_client
from tests.support.emulators import OpenAIEmulator
from tests.support.random_text import prose
from tests.support.timeouts import WAIT_SECONDS
from towpath.model.ids import DEFAULT_ORG_ID

CHAPTERS = 40
KEY = "handbook/canal.md"


def _book(**changed: str) -> bytes:
    """A book of chapters, one chunk each; ``changed`` are texts of chapters, such as ``c7``."""
    texts = (changed.get(f"c{number}", prose(90, number)) for number in range(CHAPTERS))
    return "\n\n".join(f"# Chapter {number}\n\n{text}" for number, text in enumerate(texts)).encode()


@pytest.fixture
async def emulator() -> AsyncGenerator[OpenAIEmulator]:
    async with OpenAIEmulator() as emulator:
        yield emulator


@pytest.fixture(params=["sqlite", "postgres"])
async def client(
    request: pytest.FixtureRequest, tmp_path: Path, emulator: OpenAIEmulator
) -> AsyncGenerator[ApiClient]:
    settings: dict[str, Any] = {
        "embedder": "openai",
        "openai_api_key": emulator.key,
        "openai_base_url": emulator.base_url,
        # A busy machine is no reason to stop a run.
        "run_deadline_seconds": WAIT_SECONDS,
    }
    if request.param == "postgres":
        settings["database"] = request.getfixturevalue("dsn")
    async with open_api_client(tmp_path / "data", **settings) as client:
        yield client


async def _upload(client: ApiClient, body: bytes, key: str | None = KEY) -> dict[str, Any]:
    """Upload a file and wait until it is published and connected."""
    form = {} if key is None else {"key": key}
    document = await client.post("/documents", files={"file": ("canal.md", body)}, data=form)
    status = await client.wait_until_finished(document["id"])
    assert status["status"] == "COMPLETED", status["error"]
    return document


def _texts_billed(emulator: OpenAIEmulator) -> int:
    return sum(emulator.bill.by_content.values())


async def test_only_changed_chunks_of_a_new_version_are_embedded(
    client: ApiClient, emulator: OpenAIEmulator
) -> None:
    first = await _upload(client, _book())
    chunks = {
        chunk["id"]: chunk for chunk in await client.get(f"/documents/{first['id']}/chunks", limit=1000)
    }
    assert len(chunks) >= CHAPTERS
    assert _texts_billed(emulator) == len(chunks)

    second = await _upload(client, _book(c7="The lock at Foxton was rebuilt in 1900."))

    assert (second["id"], second["version"], second["duplicate"]) == (first["id"], 2, False)
    new_ids = set(await client.chunk_ids(first["id"]))
    changed = len(new_ids - chunks.keys())
    assert changed == 1, "one chapter is one chunk"
    assert _texts_billed(emulator) == len(chunks) + changed
    assert set(emulator.bill.by_content.values()) == {1}, "a text was paid for twice"
    # Old links open: the document, its unchanged chunks, and the file and the text of the first version.
    assert (await client.get(f"/documents/{first['id']}"))["version"] == 2
    assert len(chunks.keys() & new_ids) == len(chunks) - 1
    old = await client.http.get(f"/documents/{first['id']}/original", params={"version": 1})
    assert old.content == _book()
    old_text = await client.http.get(f"/documents/{first['id']}/content", params={"version": 1})
    assert prose(90, 7).split(".")[0] in old_text.text
    (hit, *_) = (await client.get("/search", q="Foxton rebuilt"))["hits"]
    assert hit["document_id"] == first["id"]


async def test_versions_say_what_changed(client: ApiClient) -> None:
    first = await _upload(client, _book())
    await _upload(client, _book(c7="The lock at Foxton was rebuilt in 1900."))
    new, old = await client.get(f"/documents/{first['id']}/versions")

    assert (new["number"], new["current"], new["status"]) == (2, True, "COMPLETED")
    assert (new["chunks_added"], new["chunks_removed"]) == (1, 1)
    assert new["chunks_kept"] == old["chunks_added"] - 1
    assert (old["number"], old["current"], old["status"]) == (1, False, "COMPLETED")
    diff = await client.get(f"/documents/{first['id']}/diff", **{"from": 1, "to": 2})
    assert (diff["added"], diff["removed"], diff["truncated"]) == (1, 1, False)
    assert "+The lock at Foxton was rebuilt in 1900." in diff["diff"].split("\n")


async def test_an_earlier_text_again_and_the_same_bytes_under_a_second_key_cost_nothing(
    client: ApiClient, emulator: OpenAIEmulator
) -> None:
    first = await _upload(client, _book())
    await _upload(client, _book(c7="The lock at Foxton was rebuilt in 1900."))
    billed = emulator.bill.operations
    blobs = {key for key in client.blobs() if "/originals/" in key}
    reverted = await _upload(client, _book())
    copy = await _upload(client, _book(), "copy of the handbook.md")
    without_key = await _upload(client, _book(), None)

    assert (reverted["id"], reverted["version"]) == (first["id"], 3)
    assert len({first["id"], copy["id"], without_key["id"]}) == 3
    assert emulator.bill.operations == billed
    assert {key for key in client.blobs() if "/originals/" in key} - blobs == {
        (await client.runtime.services.queries.document(DEFAULT_ORG_ID, without_key["id"])).blob_key
    }
    for document_id in (first["id"], without_key["id"]):
        (await client.http.delete(f"/documents/{document_id}")).raise_for_status()
    kept = await client.http.get(f"/documents/{copy['id']}/original")
    assert kept.content == _book(), "a shared file is kept for the last document"
    (await client.http.delete(f"/documents/{copy['id']}")).raise_for_status()
    assert {key for key in client.blobs() if "/originals/" in key} == set()


async def test_connections_and_pins_of_unchanged_chunks_survive(client: ApiClient) -> None:
    # Long enough to be connected by its words: the vectors of the emulator have no meaning.
    shared = (
        "The flight of locks at Bratch has side ponds that are shared by the chambers below and above. "
        "A keeper who empties one chamber fills the pond beside it, so that half of the water is used again."
    )
    first = await _upload(client, _book(c3=shared))
    other = b"# Notes\n\n" + shared.encode() + b" It was built by James Brindley."
    await _upload(client, other, "notes.md")
    path = f"/documents/{first['id']}/connections"
    pinned = next(item for item in await client.get(path) if "Bratch" in str(item))
    (await client.http.patch(f"/connections/{pinned['id']}", json={"pinned": True})).raise_for_status()
    await _upload(client, _book(c3=shared, c7="The lock at Foxton was rebuilt in 1900."))

    kept = {item["id"]: item for item in await client.get(path)}
    assert pinned["id"] in kept
    assert kept[pinned["id"]]["pinned"] is True


async def test_an_upload_with_its_idempotency_key_again_is_no_new_version(client: ApiClient) -> None:
    async def send(body: bytes, idempotency_key: str) -> Any:
        return await client.http.post(
            "/documents",
            files={"file": ("canal.md", body)},
            data={"key": KEY},
            headers={"Idempotency-Key": idempotency_key},
        )

    first = (await send(_book(), "one")).json()
    await client.wait_until_finished(first["id"])
    second = (await send(_book(c7="Changed."), "two")).json()
    await client.wait_until_finished(first["id"])
    again = (await send(_book(), "one")).json()

    assert (again["id"], again["version"], again["duplicate"]) == (first["id"], 1, True)
    assert second["version"] == 2
    assert len(await client.get(f"/documents/{first['id']}/versions")) == 2
    assert (await send(_book(c8="Another."), "one")).status_code == 409


async def test_a_document_without_a_key_is_replaced(client: ApiClient, emulator: OpenAIEmulator) -> None:
    first = await _upload(client, _book(), None)
    new = _book(c7="The lock at Foxton was rebuilt in 1900.")
    answer = await client.post(f"/documents/{first['id']}/versions", files={"file": ("new.md", new)})
    await client.wait_until_finished(first["id"])

    assert (answer["id"], answer["version"], answer["name"]) == (first["id"], 2, "new.md")
    document = await client.get(f"/documents/{first['id']}")
    assert (document["name"], document["version"], document["key"]) == ("new.md", 2, first["id"])
    assert set(emulator.bill.by_content.values()) == {1}
    again = await client.post(f"/documents/{first['id']}/versions", files={"file": ("new.md", new)})
    assert (again["duplicate"], again["version"]) == (True, 2)
