"""What can be asked of a document, and done to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.desk import Desk, opened_desk

LETTER = (
    b"# Letter to the surveyor\n\nInvoice No: TP-1790-44\n\nThe aqueduct leaks at the third arch, and forty "
    b"pounds would mend it before winter.\n\n## Reply\n\nThe surveyor agrees and sends 40.00 GBP by boat.\n"
)


async def test_status_is_cheap_to_ask_again(desk: Desk) -> None:
    document = await desk.upload("letter.md", LETTER)
    await desk.finished(document["id"])
    first = await desk.http.get(f"/documents/{document['id']}/status")

    again = await desk.http.get(
        f"/documents/{document['id']}/status", headers={"If-None-Match": first.headers["etag"]}
    )

    assert first.json()["poll_after_ms"] is None
    assert again.status_code == 304
    assert again.content == b""


async def test_many_statuses_at_once_leave_unknown_ids_out(desk: Desk) -> None:
    one = await desk.upload("one.txt", b"the first text")
    two = await desk.upload("two.txt", b"the second text")
    unknown = "00000000-0000-7000-8000-00000000dead"

    found = await desk.get("/documents/status", ids=f"{one['id']},{unknown},nonsense,{two['id']}")

    assert [status["document_id"] for status in found] == [one["id"], two["id"]]


async def test_markdown_original_chunks_and_fields_can_be_read(desk: Desk) -> None:
    document = await desk.upload("letter.md", LETTER)
    await desk.finished(document["id"])
    path = f"/documents/{document['id']}"

    markdown = await desk.http.get(f"{path}/content")
    original = await desk.http.get(f"{path}/original")
    chunks = await desk.get(f"{path}/chunks")
    fields = {field["name"]: field for field in await desk.get(f"{path}/fields")}

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
    ("asked", "status", "expected"),
    [
        ("bytes=2-7", 206, LETTER[2:8]),
        ("bytes=10-", 206, LETTER[10:]),
        ("bytes=-5", 206, LETTER[-5:]),
        ("bytes=99999-", 416, None),
        ("lines=1-2", 200, LETTER),
    ],
)
async def test_ranges_of_the_original(desk: Desk, asked: str, status: int, expected: bytes | None) -> None:
    document = await desk.upload("letter.md", LETTER)

    answer = await desk.http.get(f"/documents/{document['id']}/original", headers={"Range": asked})

    assert answer.status_code == status
    if expected is not None:
        assert answer.content == expected


async def test_a_player_that_asks_first_is_told_without_the_bytes(desk: Desk) -> None:
    document = await desk.upload("letter.md", LETTER)
    path = f"/documents/{document['id']}/original"

    told = await desk.http.head(path)
    part = await desk.http.head(path, headers={"Range": "bytes=0-3"})
    tag = told.headers["etag"]
    unchanged = await desk.http.get(path, headers={"If-None-Match": tag})
    same = await desk.http.get(path, headers={"Range": "bytes=0-3", "If-Range": tag})
    changed = await desk.http.get(path, headers={"Range": "bytes=0-3", "If-Range": '"another"'})

    assert (told.status_code, told.content) == (200, b"")
    assert told.headers["content-length"] == str(len(LETTER))
    assert (part.status_code, part.headers["content-length"]) == (206, "4")
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert (same.status_code, same.content) == (206, LETTER[:4])
    assert (changed.status_code, changed.content) == (200, LETTER)


async def test_reprocessing_keeps_every_chunk_and_pays_for_nothing(desk: Desk) -> None:
    document = await desk.upload("letter.md", LETTER)
    await desk.finished(document["id"])
    before = await desk.chunk_ids(document["id"])
    paid = await desk.get(f"/documents/{document['id']}/costs")

    await desk.post(f"/documents/{document['id']}/runs", json={})
    status = await desk.finished(document["id"])

    after = await desk.get(f"/documents/{document['id']}/costs")
    assert status["status"] == "COMPLETED"
    assert await desk.chunk_ids(document["id"]) == before
    assert after["calls"] == paid["calls"]
    assert after["reused"] > paid["reused"]
    assert sum(stage["calls_made"] for stage in status["stages"][:5]) == 0


async def test_reprocessing_from_a_stage_takes_over_the_ones_before(desk: Desk) -> None:
    document = await desk.upload("letter.md", LETTER)
    await desk.finished(document["id"])

    await desk.post(f"/documents/{document['id']}/runs", json={"from_stage": "embed"})
    status = await desk.finished(document["id"])

    assert [stage["reused"] for stage in status["stages"][:5]] == [True, True, True, False, False]


async def test_reprocessing_afresh_makes_the_calls_again(desk: Desk) -> None:
    document = await desk.upload("letter.md", LETTER)
    await desk.finished(document["id"])
    before = await desk.chunk_ids(document["id"])

    await desk.post(f"/documents/{document['id']}/runs", json={"fresh": True})
    status = await desk.finished(document["id"])

    assert sum(stage["calls_made"] for stage in status["stages"][:5]) == 2
    assert await desk.chunk_ids(document["id"]) == before


async def test_deleting_leaves_neither_rows_nor_files(desk: Desk) -> None:
    document = await desk.upload("letter.md", LETTER)
    await desk.finished(document["id"])

    answer = await desk.http.delete(f"/documents/{document['id']}")

    assert answer.status_code == 204
    assert (await desk.http.get(f"/documents/{document['id']}")).status_code == 404
    assert (await desk.get("/search", q="third arch"))["hits"] == []
    assert [key for key in desk.blobs() if "/answers/" not in key] == []
    assert (await desk.http.delete(f"/documents/{document['id']}")).status_code == 404


async def test_a_queued_document_can_be_cancelled_and_says_so(tmp_path: Path) -> None:
    async with opened_desk(tmp_path / "data", work=False) as desk:
        document = await desk.upload("letter.md", LETTER)
        waiting = await desk.get(f"/documents/{document['id']}/status")

        cancelled = await desk.post(f"/runs/{document['run_id']}/cancel")
        twice = await desk.http.post(f"/runs/{document['run_id']}/cancel")

        assert waiting["waiting_for"] == "waiting for a free worker"
        assert waiting["poll_after_ms"] == 1000
        assert cancelled["state"] == "CANCELLED"
        assert twice.status_code == 409
        assert (await desk.get(f"/documents/{document['id']}"))["status"] == "CANCELLED"


async def test_the_list_is_paged_filtered_and_searched_by_name(desk: Desk) -> None:
    for number in range(7):
        await desk.upload(f"report {number}.txt", f"report number {number}".encode())
    await desk.upload("100% letter.md", LETTER)

    seen: list[str] = []
    cursor = None
    while True:
        page = await desk.get("/documents", limit=3, **({"cursor": cursor} if cursor else {}))
        seen += [document["name"] for document in page["documents"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert len(seen) == len(set(seen)) == 8
    assert seen[0] == "100% letter.md"
    assert (await desk.get("/documents", q="REPORT"))["total"] == 7
    assert (await desk.get("/documents", q="100%"))["total"] == 1
    assert (await desk.get("/documents", kind="call"))["total"] == 0


async def test_runs_tell_their_history(desk: Desk) -> None:
    document = await desk.upload("letter.md", LETTER)
    await desk.finished(document["id"])

    [run] = await desk.get(f"/documents/{document['id']}/runs")

    kinds = [event["kind"] for event in run["events"]]
    assert kinds[:3] == ["RUN_QUEUED", "RUN_STARTED", "STEP_STARTED"]
    assert kinds.count("STEP_COMPLETED") == 6
    assert [event["stage"] for event in run["events"][kinds.index("RUN_COMPLETED") + 1 :]] == ["connect"] * 2
