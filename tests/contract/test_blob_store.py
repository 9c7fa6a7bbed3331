"""The contract of blob stores: atomic writes, ranges, and keys of the known layout only."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, cast

import pytest

from towpath.model.ids import new_id
from towpath.storage.contract import BlobStore
from towpath.storage.local import LocalStore
from towpath.storage.scratch import own_folder

#: More than two blocks of the largest block size, so that stores have to split and join it.
LARGE = random.Random(7).randbytes((9 << 20) + 17)


@pytest.fixture(params=["local", "azure"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[BlobStore]:
    with own_folder(tmp_path / "incoming") as incoming:
        if request.param == "local":
            yield LocalStore(tmp_path, incoming)
            return
        from towpath.storage.azure import AzureStore

        # The container does not exist yet.
        azure = AzureStore(request.getfixturevalue("azurite"), f"test-{new_id()}", incoming)
        yield azure
        await azure.close()


async def streamed(store: BlobStore, key: str, start: int = 0, end: int | None = None) -> bytes:
    return b"".join([part async for part in store.stream(key, start, end)])


async def stored_keys(store: BlobStore, prefix: str = "") -> list[str]:
    return [key async for key in store.keys(prefix)]


@pytest.mark.parametrize("body", [b"", b"a lock and a boat", bytes(range(256)) * 4], ids=len)
async def test_a_stored_blob_can_be_read(store: BlobStore, body: bytes) -> None:
    await store.put("orgs/a/note", body)

    assert await store.get("orgs/a/note") == body
    assert await streamed(store, "orgs/a/note") == body
    assert await store.size("orgs/a/note") == len(body)


async def test_put_replaces_a_blob(store: BlobStore) -> None:
    await store.put("orgs/a/note", b"the first, which is longer")
    await store.put("orgs/a/note", b"the second")

    assert await store.get("orgs/a/note") == b"the second"


async def test_a_large_file_is_written_and_read_in_parts(store: BlobStore, tmp_path: Path) -> None:
    file = tmp_path / "large"
    file.write_bytes(LARGE)

    await store.put_file("orgs/a/large", file)

    parts = [part async for part in store.stream("orgs/a/large")]
    assert b"".join(parts) == LARGE
    assert max(map(len, parts)) <= 4 << 20
    async with store.as_file("orgs/a/large") as path:
        assert path.read_bytes() == LARGE


@pytest.mark.parametrize(
    ("start", "end"), [(0, 1), (3, 9), (3, None), (0, 100), (10, 10), (15, 100), (16, 20), (16, None)]
)
async def test_a_range_returns_part_of_the_blob(store: BlobStore, start: int, end: int | None) -> None:
    body = b"0123456789abcdef"
    await store.put("orgs/a/note", body)

    assert await streamed(store, "orgs/a/note", start, end) == body[start:end]


async def test_a_range_across_the_blocks_of_a_large_blob(store: BlobStore) -> None:
    await store.put("orgs/a/large", LARGE)

    assert (
        await streamed(store, "orgs/a/large", (4 << 20) - 5, (8 << 20) + 5)
        == LARGE[(4 << 20) - 5 : (8 << 20) + 5]
    )


async def test_a_reader_can_stop_before_the_end(store: BlobStore) -> None:
    await store.put("orgs/a/large", LARGE)

    async with aclosing(cast("Any", store.stream("orgs/a/large"))) as parts:
        first = await anext(parts)

    assert LARGE.startswith(first)
    assert await store.size("orgs/a/large") == len(LARGE)


async def test_a_missing_blob_raises_file_not_found(store: BlobStore) -> None:
    for store_is_used in (False, True):
        if store_is_used:
            await store.put("orgs/a/other", b"the store is in use now")
        with pytest.raises(FileNotFoundError):
            await store.get("orgs/a/none")
        with pytest.raises(FileNotFoundError):
            await streamed(store, "orgs/a/none")
        with pytest.raises(FileNotFoundError):
            async with store.as_file("orgs/a/none"):
                pass
        assert await store.size("orgs/a/none") is None
        await store.delete("orgs/a/none")
        assert await stored_keys(store, "orgs/a/no") == []


async def test_delete_removes_one_blob_only(store: BlobStore) -> None:
    for name in ("one", "one-more"):
        await store.put(f"orgs/a/{name}", b"x")

    await store.delete("orgs/a/one")

    assert await stored_keys(store) == ["orgs/a/one-more"]


async def test_keys_are_listed_by_prefix(store: BlobStore) -> None:
    names = ["orgs/a/documents/1/content.md", "orgs/a/documents/12/content.md", "orgs/b/originals/1"]
    for name in names:
        await store.put(name, b"x")

    assert await stored_keys(store) == names
    assert await stored_keys(store, "orgs/a/documents/1/") == names[:1]
    assert await stored_keys(store, "orgs/a/documents/1") == names[:2]
    assert await stored_keys(store, "orgs/c") == []


@pytest.mark.parametrize("key", ["", "/etc/passwd", "orgs/../secret", "orgs//a", "Orgs/a", "orgs/a?x=1", "."])
async def test_a_key_outside_the_known_layout_is_refused(store: BlobStore, key: str) -> None:
    with pytest.raises(ValueError, match="not a blob key"):
        await store.put(key, b"x")
    with pytest.raises(ValueError, match="not a blob key"):
        await store.get(key)


async def test_an_interrupted_write_keeps_the_previous_blob(store: BlobStore, tmp_path: Path) -> None:
    """At any point of interruption the old or the whole new blob is stored, and no temporary file is left."""
    await store.put("orgs/a/note", b"former")
    for steps in (1, 3, 10, 30, 100):
        file = tmp_path / "large"
        file.write_bytes(LARGE)
        writing = asyncio.create_task(store.put_file("orgs/a/note", file))
        for _ in range(steps):
            await asyncio.sleep(0)
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)

        assert await store.get("orgs/a/note") in (b"former", LARGE)
    assert await stored_keys(store) == ["orgs/a/note"]


async def test_of_two_concurrent_writers_one_blob_is_stored_whole(store: BlobStore, tmp_path: Path) -> None:
    bodies = [bytes([letter]) * len(LARGE) for letter in b"ab"]
    files = [tmp_path / "a", tmp_path / "b"]
    for file, body in zip(files, bodies, strict=True):
        file.write_bytes(body)

    await asyncio.gather(*(store.put_file("orgs/a/note", file) for file in files))

    assert await store.get("orgs/a/note") in bodies


async def test_a_local_file_of_a_blob_is_removed_after_use(store: BlobStore, tmp_path: Path) -> None:
    await store.put("orgs/a/note", b"read me")

    async with store.as_file("orgs/a/note") as path:
        assert path.read_bytes() == b"read me"

    assert await store.get("orgs/a/note") == b"read me"
    assert [path for path in (tmp_path / "incoming").rglob("*") if path.is_file()] == []
