"""Documents over the API: status, content, ranges, reprocessing, deletion, cancelling and lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.api_client import ApiClient, open_api_client
from tests.support.timeouts import async_wait_until
from towpath.server.schemas.document_status import StatusView

LETTER = (
    b"# Letter to the surveyor\n\nInvoice No: TP-1790-44\n\nThe aqueduct leaks at the third arch, and forty "
    b"pounds would mend it before winter.\n\n## Reply\n\nThe surveyor agrees and sends 40.00 GBP by boat.\n"
)


async def test_an_unchanged_status_is_answered_with_304(client: ApiClient) -> None:
    document = await client.upload("letter.md", LETTER)
    await client.wait_until_finished(document["id"])
    first = await client.http.get(f"/documents/{document['id']}/status")

    again = await client.http.get(
        f"/documents/{document['id']}/status", headers={"If-None-Match": first.headers["etag"]}
    )

    assert first.json()["poll_after_ms"] is None
    assert again.status_code == 304
    assert again.content == b""


async def test_many_statuses_at_once_leave_unknown_ids_out(client: ApiClient) -> None:
    one = await client.upload("one.txt", b"the first text")
    two = await client.upload("two.txt", b"the second text")
    unknown = "00000000-0000-7000-8000-00000000dead"

    statuses = await client.get("/documents/status", ids=f"{one['id']},{unknown},nonsense,{two['id']}")

    assert [status["document_id"] for status in statuses] == [one["id"], two["id"]]


async def test_a_status_in_a_list_is_the_status_of_the_document(client: ApiClient) -> None:
    document = await client.upload("letter.md", LETTER)

    async def connected() -> bool:
        status = await client.get(f"/documents/{document['id']}/status")
        return all(stage["status"] == "COMPLETED" for stage in status["stages"])

    await async_wait_until(connected, "the last stage to be completed")

    [listed] = await client.get("/documents/status", ids=document["id"])

    assert listed == await client.get(f"/documents/{document['id']}/status")
    assert StatusView.model_validate(listed).model_dump(mode="json") == listed


async def test_markdown_original_chunks_and_fields_can_be_read(client: ApiClient) -> None:
    document = await client.upload("letter.md", LETTER)
    await client.wait_until_finished(document["id"])
    path = f"/documents/{document['id']}"

    markdown = await client.http.get(f"{path}/content")
    original = await client.http.get(f"{path}/original")
    chunks = await client.get(f"{path}/chunks")
    fields = {field["name"]: field for field in await client.get(f"{path}/fields")}

    assert "third arch" in markdown.text
    assert original.content == LETTER
    assert "sandbox" in original.headers["content-security-policy"]
    assert [chunk["ordinal"] for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        place = chunk["anchor"]
        assert markdown.text[place["start"] : place["end"]].strip() == chunk["text"].strip()
    assert fields["title"]["value"] == "Letter to the surveyor"
    assert any("TP-1790-44" in field["value"] for field in fields.values())


@pytest.mark.parametrize(
    ("range_header", "status", "expected"),
    [
        ("bytes=2-7", 206, LETTER[2:8]),
        ("bytes=10-", 206, LETTER[10:]),
        ("bytes=-5", 206, LETTER[-5:]),
        ("bytes=99999-", 416, None),
        ("lines=1-2", 200, LETTER),
    ],
)
async def test_ranges_of_the_original(
    client: ApiClient, range_header: str, status: int, expected: bytes | None
) -> None:
    document = await client.upload("letter.md", LETTER)

    answer = await client.http.get(f"/documents/{document['id']}/original", headers={"Range": range_header})

    assert answer.status_code == status
    if expected is not None:
        assert answer.content == expected


async def test_head_returns_the_headers_without_the_body(client: ApiClient) -> None:
    document = await client.upload("letter.md", LETTER)
    path = f"/documents/{document['id']}/original"

    head = await client.http.head(path)
    part = await client.http.head(path, headers={"Range": "bytes=0-3"})
    tag = head.headers["etag"]
    unchanged = await client.http.get(path, headers={"If-None-Match": tag})
    same = await client.http.get(path, headers={"Range": "bytes=0-3", "If-Range": tag})
    changed = await client.http.get(path, headers={"Range": "bytes=0-3", "If-Range": '"another"'})

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(LETTER))
    assert (part.status_code, part.headers["content-length"]) == (206, "4")
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert (same.status_code, same.content) == (206, LETTER[:4])
    assert (changed.status_code, changed.content) == (200, LETTER)


async def test_reprocessing_keeps_every_chunk_and_repeats_no_call(client: ApiClient) -> None:
    document = await client.upload("letter.md", LETTER)
    await client.wait_until_finished(document["id"])
    before = await client.chunk_ids(document["id"])
    paid = await client.get(f"/documents/{document['id']}/costs")

    await client.post(f"/documents/{document['id']}/runs", json={})
    status = await client.wait_until_finished(document["id"])

    after = await client.get(f"/documents/{document['id']}/costs")
    assert status["status"] == "COMPLETED"
    assert await client.chunk_ids(document["id"]) == before
    assert after["calls"] == paid["calls"]
    assert after["reused"] > paid["reused"]
    assert sum(stage["calls_made"] for stage in status["stages"][:5]) == 0


async def test_reprocessing_from_a_stage_reuses_the_stages_before(client: ApiClient) -> None:
    document = await client.upload("letter.md", LETTER)
    await client.wait_until_finished(document["id"])

    await client.post(f"/documents/{document['id']}/runs", json={"from_stage": "embed"})
    status = await client.wait_until_finished(document["id"])

    assert [stage["reused"] for stage in status["stages"][:5]] == [True, True, True, False, False]


async def test_reprocessing_with_fresh_makes_the_calls_again(client: ApiClient) -> None:
    document = await client.upload("letter.md", LETTER)
    await client.wait_until_finished(document["id"])
    before = await client.chunk_ids(document["id"])

    await client.post(f"/documents/{document['id']}/runs", json={"fresh": True})
    status = await client.wait_until_finished(document["id"])

    assert sum(stage["calls_made"] for stage in status["stages"][:5]) == 2
    assert await client.chunk_ids(document["id"]) == before


async def test_deleting_removes_rows_and_files(client: ApiClient) -> None:
    document = await client.upload("letter.md", LETTER)
    await client.wait_until_finished(document["id"])

    answer = await client.http.delete(f"/documents/{document['id']}")

    assert answer.status_code == 204
    assert (await client.http.get(f"/documents/{document['id']}")).status_code == 404
    assert (await client.get("/search", q="third arch"))["hits"] == []
    assert [key for key in client.blobs() if "/answers/" not in key] == []
    assert (await client.http.delete(f"/documents/{document['id']}")).status_code == 404


async def test_a_queued_document_can_be_cancelled_and_says_so(tmp_path: Path) -> None:
    async with open_api_client(tmp_path / "data", in_threads=True, with_worker=False) as client:
        document = await client.upload("letter.md", LETTER)
        waiting = await client.get(f"/documents/{document['id']}/status")

        await client.post(f"/documents/{document['id']}/runs", json={})
        first, second = await client.get(f"/documents/{document['id']}/runs")
        assert (first["waiting_reason"], first["waiting_run_id"]) == ("free_worker", None)
        assert (second["waiting_reason"], second["waiting_run_id"]) == ("earlier_run", first["id"])
        assert (await client.get(f"/runs/{second['id']}"))["waiting_reason"] == "earlier_run"
        await client.post(f"/runs/{second['id']}/cancel")

        cancelled = await client.post(f"/runs/{document['run_id']}/cancel")
        assert cancelled["waiting_reason"] is None
        twice = await client.http.post(f"/runs/{document['run_id']}/cancel")

        assert waiting["waiting_reason"] == "free_worker"
        assert waiting["poll_after_ms"] == 1000
        assert cancelled["state"] == "CANCELLED"
        assert twice.status_code == 409
        assert (await client.get(f"/documents/{document['id']}"))["status"] == "CANCELLED"


async def test_the_list_is_paged_filtered_and_searched_by_name(client: ApiClient) -> None:
    for number in range(7):
        await client.upload(f"report {number}.txt", f"report number {number}".encode())
    await client.upload("100% letter.md", LETTER)

    seen: list[str] = []
    cursor = None
    while True:
        page = await client.get("/documents", limit=3, **({"cursor": cursor} if cursor else {}))
        seen += [document["name"] for document in page["documents"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert len(seen) == len(set(seen)) == 8
    assert seen[0] == "100% letter.md"
    assert (await client.get("/documents", q="REPORT"))["total"] == 7
    assert (await client.get("/documents", q="100%"))["total"] == 1
    assert (await client.get("/documents", kind="call"))["total"] == 0


async def test_a_run_is_returned_with_its_events(client: ApiClient) -> None:
    document = await client.upload("letter.md", LETTER)
    await client.wait_until_finished(document["id"])

    [run] = await client.get(f"/documents/{document['id']}/runs")

    kinds = [event["kind"] for event in run["events"]]
    assert kinds[:3] == ["RUN_QUEUED", "RUN_STARTED", "STEP_STARTED"]
    assert kinds.count("STEP_COMPLETED") == 6
    assert [event["stage"] for event in run["events"][kinds.index("RUN_COMPLETED") + 1 :]] == ["connect"] * 2
