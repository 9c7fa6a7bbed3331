"""What every blob store promises: whole blobs or none, ranges, names of ours only."""

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
from towpath.storage.incoming import own_folder
from towpath.storage.local import LocalStore

#: More than two blocks of the largest size in which a store sends: it has to be cut and put together.
LARGE = random.Random(7).randbytes((9 << 20) + 17)


@pytest.fixture(params=["local", "azure"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[BlobStore]:
    with own_folder(tmp_path / "incoming") as incoming:
        if request.param == "local":
            yield LocalStore(tmp_path, incoming)
            return
        from towpath.storage.azure import AzureStore

        # A container that nobody has made yet.
        azure = AzureStore(request.getfixturevalue("azurite"), f"test-{new_id()}", incoming)
        yield azure
        await azure.close()


async def streamed(store: BlobStore, key: str, start: int = 0, end: int | None = None) -> bytes:
    return b"".join([piece async for piece in store.stream(key, start, end)])


async def stored_keys(store: BlobStore, prefix: str = "") -> list[str]:
    return [key async for key in store.keys(prefix)]


@pytest.mark.parametrize("body", [b"", b"a lock and a boat", bytes(range(256)) * 4], ids=len)
async def test_what_was_put_is_there(store: BlobStore, body: bytes) -> None:
    await store.put("orgs/a/note", body)

    assert await store.get("orgs/a/note") == body
    assert await streamed(store, "orgs/a/note") == body
    assert await store.size("orgs/a/note") == len(body)


async def test_putting_again_replaces(store: BlobStore) -> None:
    await store.put("orgs/a/note", b"the first, which is longer")
    await store.put("orgs/a/note", b"the second")

    assert await store.get("orgs/a/note") == b"the second"


async def test_a_large_file_goes_in_and_comes_out_in_pieces(store: BlobStore, tmp_path: Path) -> None:
    file = tmp_path / "large"
    file.write_bytes(LARGE)

    await store.put_file("orgs/a/large", file)

    pieces = [piece async for piece in store.stream("orgs/a/large")]
    assert b"".join(pieces) == LARGE
    assert max(map(len, pieces)) <= 4 << 20
    async with store.as_file("orgs/a/large") as path:
        assert path.read_bytes() == LARGE


@pytest.mark.parametrize(
    ("start", "end"), [(0, 1), (3, 9), (3, None), (0, 100), (10, 10), (15, 100), (16, 20), (16, None)]
)
async def test_a_range_is_a_slice(store: BlobStore, start: int, end: int | None) -> None:
    body = b"0123456789abcdef"
    await store.put("orgs/a/note", body)

    assert await streamed(store, "orgs/a/note", start, end) == body[start:end]


async def test_a_range_across_the_blocks_of_a_large_blob(store: BlobStore) -> None:
    await store.put("orgs/a/large", LARGE)

    assert (
        await streamed(store, "orgs/a/large", (4 << 20) - 5, (8 << 20) + 5)
        == LARGE[(4 << 20) - 5 : (8 << 20) + 5]
    )


async def test_a_reader_may_leave_in_the_middle(store: BlobStore) -> None:
    await store.put("orgs/a/large", LARGE)

    async with aclosing(cast("Any", store.stream("orgs/a/large"))) as pieces:
        first = await anext(pieces)

    assert LARGE.startswith(first)
    assert await store.size("orgs/a/large") == len(LARGE)


async def test_what_is_not_there_is_missing_and_nothing_else(store: BlobStore) -> None:
    for touched in (False, True):
        if touched:
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


async def test_deleting_takes_one_blob(store: BlobStore) -> None:
    for name in ("one", "one-more"):
        await store.put(f"orgs/a/{name}", b"x")

    await store.delete("orgs/a/one")

    assert await stored_keys(store) == ["orgs/a/one-more"]


async def test_keys_are_listed_by_their_beginning(store: BlobStore) -> None:
    names = ["orgs/a/documents/1/content.md", "orgs/a/documents/12/content.md", "orgs/b/originals/1"]
    for name in names:
        await store.put(name, b"x")

    assert await stored_keys(store) == names
    assert await stored_keys(store, "orgs/a/documents/1/") == names[:1]
    assert await stored_keys(store, "orgs/a/documents/1") == names[:2]
    assert await stored_keys(store, "orgs/c") == []


@pytest.mark.parametrize("key", ["", "/etc/passwd", "orgs/../secret", "orgs//a", "Orgs/a", "orgs/a?x=1", "."])
async def test_a_key_of_somebody_else_is_refused(store: BlobStore, key: str) -> None:
    with pytest.raises(ValueError, match="not a blob key"):
        await store.put(key, b"x")
    with pytest.raises(ValueError, match="not a blob key"):
        await store.get(key)


async def test_a_writer_that_breaks_off_leaves_the_former_blob(store: BlobStore, tmp_path: Path) -> None:
    """Wherever it is stopped: the old blob or the whole new one, never a part, and no debris."""
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


async def test_of_two_writers_one_wins_whole(store: BlobStore, tmp_path: Path) -> None:
    bodies = [bytes([letter]) * len(LARGE) for letter in b"ab"]
    files = [tmp_path / "a", tmp_path / "b"]
    for file, body in zip(files, bodies, strict=True):
        file.write_bytes(body)

    await asyncio.gather(*(store.put_file("orgs/a/note", file) for file in files))

    assert await store.get("orgs/a/note") in bodies


async def test_a_file_to_read_is_not_a_file_to_keep(store: BlobStore, tmp_path: Path) -> None:
    await store.put("orgs/a/note", b"read me")

    async with store.as_file("orgs/a/note") as path:
        assert path.read_bytes() == b"read me"

    assert await store.get("orgs/a/note") == b"read me"
    assert [left for left in (tmp_path / "incoming").rglob("*") if left.is_file()] == []
