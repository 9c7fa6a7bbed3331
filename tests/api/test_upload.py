"""Files come in: at once, once, whole, or not at all."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx

from tests.support.desk import Desk, opened_desk

STORY = b"# The lock keeper\n\nEvery boat that passed was written down in a ledger of oilcloth.\n"


async def test_an_upload_is_answered_at_once_and_becomes_searchable(desk: Desk) -> None:
    answer = await desk.upload("keeper.md", STORY)

    assert answer["status"] == "PROCESSING"
    assert answer["media_type"] == "text/markdown"
    assert not answer["duplicate"]

    status = await desk.finished(answer["id"])
    assert status["status"] == "COMPLETED"
    assert [stage["status"] for stage in status["stages"][:5]] == ["COMPLETED"] * 5

    hits = (await desk.get("/search", q="ledger of oilcloth"))["hits"]
    assert hits[0]["document_id"] == answer["id"]
    assert hits[0]["anchor"]["heading_path"] == ["The lock keeper"]


async def test_the_same_bytes_are_the_same_document(desk: Desk) -> None:
    first = await desk.upload("keeper.md", STORY)
    await desk.finished(first["id"])
    blobs = desk.blobs()

    again = await desk.upload("another name.md", STORY)

    assert again["id"] == first["id"]
    assert again["duplicate"]
    assert again["run_id"] == first["run_id"]
    assert desk.blobs() == blobs, "the second copy leaves nothing behind"


async def test_two_uploads_of_the_same_bytes_at_once_make_one_document(desk: Desk) -> None:
    answers = await asyncio.gather(*(desk.upload(f"{n}.md", STORY) for n in range(8)))

    assert len({answer["id"] for answer in answers}) == 1
    assert sum(not answer["duplicate"] for answer in answers) == 1
    assert (await desk.get("/documents"))["total"] == 1


async def test_an_idempotency_key_stands_for_one_file(desk: Desk) -> None:
    first = await desk.upload("keeper.md", STORY, **{"Idempotency-Key": "order-7"})
    again = await desk.upload("keeper.md", STORY, **{"Idempotency-Key": "order-7"})
    other = await desk.http.post(
        "/documents", files={"file": ("other.md", b"other text")}, headers={"Idempotency-Key": "order-7"}
    )

    assert again["id"] == first["id"]
    assert other.status_code == 409
    assert "Idempotency-Key" in other.json()["detail"]


async def test_an_idempotency_key_used_twice_at_once_for_two_files_is_refused_to_one_of_them(
    desk: Desk,
) -> None:
    async def send(number: int) -> httpx.Response:
        name, body = f"{number}.md", f"Note {number} of the lock keeper.".encode()
        return await desk.http.post(
            "/documents", files={"file": (name, body)}, headers={"Idempotency-Key": "order-8"}
        )

    answers = await asyncio.gather(*(send(number) for number in range(5)))

    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]
    assert (await desk.get("/documents"))["total"] == 1
    (kept,) = [answer.json()["id"] for answer in answers if answer.is_success]
    await desk.finished(kept)
    assert sum("original" in blob for blob in desk.blobs()) == 1, "nothing is left of the refused ones"


async def test_the_content_decides_what_a_file_is(desk: Desk) -> None:
    page = b"<!doctype html><html><body><h1>Tolls</h1><p>Two pence for a laden boat.</p></body></html>"

    answer = await desk.upload("tolls.pdf", page)

    assert answer["media_type"] == "text/html"
    assert (await desk.finished(answer["id"]))["status"] == "COMPLETED"


async def test_a_file_that_cannot_be_read_is_rejected_with_a_reason(desk: Desk) -> None:
    answer = await desk.upload("program.exe", b"MZ\x90\x00" + bytes(500))
    status = await desk.finished(answer["id"])

    assert status["status"] == "FAILED"
    assert status["run"]["failure_type"] == "REJECTED"
    assert "cannot be read" in status["error"]


async def test_a_file_that_can_never_work_is_not_tried_again_when_it_is_sent_again(desk: Desk) -> None:
    first = await desk.upload("nothing.txt", b"   \n ")
    verdict = await desk.finished(first["id"])
    assert verdict["run"]["failure_type"] == "REJECTED"

    again = await desk.upload("still nothing.txt", b"   \n ")

    assert again["duplicate"]
    assert again["run_id"] == first["run_id"]
    assert (await desk.get(f"/documents/{first['id']}/status"))["error"] == verdict["error"]


async def test_a_rejected_file_is_tried_again_when_it_is_sent_again_once_there_are_other_means_to_read_it(
    tmp_path: Path,
) -> None:
    async with opened_desk(tmp_path / "data") as desk:
        first = await desk.upload("nothing.txt", b"   \n ")
        await desk.finished(first["id"])
    async with opened_desk(tmp_path / "data", ocr=False) as changed:
        again = await changed.upload("nothing.txt", b"   \n ")

    assert again["duplicate"]
    assert again["run_id"] != first["run_id"]


async def test_a_body_without_a_file_is_refused_and_leaves_nothing(desk: Desk) -> None:
    for body, kind in (
        (b"not multipart at all", "text/plain"),
        (b"--x\r\nbroken", "multipart/form-data; boundary=x"),
        (
            b'--x\r\nContent-Disposition: form-data; name="other"\r\n\r\n1\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
        ),
    ):
        answer = await desk.http.post("/documents", content=body, headers={"Content-Type": kind})
        assert answer.status_code == 400
        assert answer.headers["content-type"] == "application/problem+json"

    assert (await desk.get("/documents"))["total"] == 0
    assert desk.blobs() == set()
    assert list(desk.towpath.services.intake.incoming.iterdir()) == []


async def test_a_file_over_the_limit_is_refused_before_it_is_kept(tmp_path: Path) -> None:
    async with opened_desk(tmp_path / "data", max_upload_bytes=1000) as desk:
        answer = await desk.http.post("/documents", files={"file": ("big.txt", b"x" * 2000)})

        assert answer.status_code == 413
        assert "max_upload_bytes" in answer.json()["detail"]
        assert desk.blobs() == set()


async def test_a_file_sent_again_after_its_run_failed_is_worked_from_the_bytes_that_are_there(
    tmp_path: Path,
) -> None:
    async with opened_desk(tmp_path / "data", work=False) as idle:
        first = await idle.upload("letter.txt", b"The lock is closed.")
        await idle.post(f"/runs/{first['run_id']}/cancel")
        again = await idle.upload("letter.txt", b"The lock is closed.")
        assert again["duplicate"]
        assert again["run_id"] != first["run_id"]
    async with opened_desk(tmp_path / "data") as desk:
        status = await desk.finished(first["id"])
        assert status["status"] == "COMPLETED", status["error"]
        assert len([key for key in desk.blobs() if "/originals/" in key]) == 1
