"""Results of stages: small ones in the result, large ones as blobs with a row."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from towpath.stages.support.artifact import INLINE_BYTES, inline_body, load_result, store_result
from towpath.storage.local import LocalStore

ORG, DOCUMENT = "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"
CONTEXT = cast("Any", SimpleNamespace(org_id=ORG, document_id=DOCUMENT))


@pytest.fixture
def blobs(tmp_path: Path) -> LocalStore:
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    return LocalStore(tmp_path, incoming)


async def _keys(blobs: LocalStore) -> list[str]:
    return [key async for key in blobs.keys()]  # noqa: SIM118  (a store is no dictionary)


@pytest.mark.parametrize("body", [b"", b"{}", bytes(range(256)), b"x" * INLINE_BYTES])
async def test_a_small_result_is_in_its_reference(blobs: LocalStore, body: bytes) -> None:
    reference, rows = await store_result(CONTEXT, blobs, "chunks", "json", "application/json", body)

    assert (inline_body(reference), rows) == (body, [])
    assert await load_result(blobs, reference) == body
    assert await _keys(blobs) == []


async def test_a_large_result_is_a_blob_with_a_row(blobs: LocalStore) -> None:
    body = b"y" * (INLINE_BYTES + 1)

    reference, rows = await store_result(CONTEXT, blobs, "chunks", "json", "application/json", body)

    assert inline_body(reference) is None
    assert await load_result(blobs, reference) == body
    assert await _keys(blobs) == [reference] == [row.key for row in rows]


async def test_a_blob_is_streamed_from_and_up_to_any_position(blobs: LocalStore) -> None:
    await blobs.put("orgs/a", bytes(range(100)) * 30_000)

    whole = b"".join([part async for part in blobs.stream("orgs/a")])
    some = b"".join([part async for part in blobs.stream("orgs/a", 10, 2_000_010)])
    none = b"".join([part async for part in blobs.stream("orgs/a", 5, 5)])

    assert whole == bytes(range(100)) * 30_000
    assert (some, none) == (whole[10:2_000_010], b"")
