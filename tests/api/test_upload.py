"""Uploads: answered at once, deduplicated, and stored completely or not at all."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import httpx

from tests.support.api_client import ApiClient, open_api_client
from towpath.intake.upload import BUFFER_BYTES

STORY = b"# The lock keeper\n\nEvery boat that passed was written down in a ledger of oilcloth.\n"


async def test_an_upload_is_answered_at_once_and_becomes_searchable(client: ApiClient) -> None:
    answer = await client.upload("keeper.md", STORY)

    assert answer["status"] == "PROCESSING"
    assert answer["media_type"] == "text/markdown"
    assert not answer["duplicate"]

    status = await client.wait_until_finished(answer["id"])
    assert status["status"] == "COMPLETED"
    assert [stage["status"] for stage in status["stages"][:5]] == ["COMPLETED"] * 5

    hits = (await client.get("/search", q="ledger of oilcloth"))["hits"]
    assert hits[0]["document_id"] == answer["id"]
    assert hits[0]["anchor"]["heading_path"] == ["The lock keeper"]


async def test_the_answer_to_an_upload_is_the_document_as_it_is_stored(client: ApiClient) -> None:
    answer = await client.upload("keeper.md", STORY)

    stored = await client.get(f"/documents/{answer['id']}")
    later = {"status", "searchable", "updated_at", "title", "extracted_title", "pages", "language", "summary"}
    shared = (answer.keys() & stored.keys()) - later
    assert {"name", "kind", "size", "sha256", "created_at", "tags", "metadata", "key"} <= shared
    assert {name: answer[name] for name in shared} == {name: stored[name] for name in shared}


async def test_an_upload_that_is_collected_in_memory_and_one_that_is_not_are_stored_alike(
    client: ApiClient,
) -> None:
    for size in (1, BUFFER_BYTES, BUFFER_BYTES + 1, 3 * BUFFER_BYTES):
        body = (b"lock keeper " * (size // 12 + 1))[:size]
        answer = await client.upload(f"{size}.txt", body)
        assert (answer["size"], answer["sha256"]) == (size, hashlib.sha256(body).hexdigest())
        original = await client.http.get(f"/documents/{answer['id']}/original")
        assert original.content == body


async def test_the_same_bytes_are_the_same_document(client: ApiClient) -> None:
    first = await client.upload("keeper.md", STORY)
    await client.wait_until_finished(first["id"])
    blobs = client.blobs()

    again = await client.upload("another name.md", STORY)

    assert again["id"] == first["id"]
    assert again["duplicate"]
    assert again["run_id"] == first["run_id"]
    assert client.blobs() == blobs, "the second copy leaves nothing behind"


async def test_two_uploads_of_the_same_bytes_at_once_make_one_document(client: ApiClient) -> None:
    answers = await asyncio.gather(*(client.upload(f"{n}.md", STORY) for n in range(8)))

    assert len({answer["id"] for answer in answers}) == 1
    assert sum(not answer["duplicate"] for answer in answers) == 1
    assert (await client.get("/documents"))["total"] == 1


async def test_an_idempotency_key_identifies_one_file(client: ApiClient) -> None:
    first = await client.upload("keeper.md", STORY, **{"Idempotency-Key": "order-7"})
    again = await client.upload("keeper.md", STORY, **{"Idempotency-Key": "order-7"})
    other = await client.http.post(
        "/documents", files={"file": ("other.md", b"other text")}, headers={"Idempotency-Key": "order-7"}
    )

    assert again["id"] == first["id"]
    assert other.status_code == 409
    assert "Idempotency-Key" in other.json()["detail"]


async def test_of_two_concurrent_files_with_one_idempotency_key_one_is_refused(
    client: ApiClient,
) -> None:
    async def send(number: int) -> httpx.Response:
        name, body = f"{number}.md", f"Note {number} of the lock keeper.".encode()
        return await client.http.post(
            "/documents", files={"file": (name, body)}, headers={"Idempotency-Key": "order-8"}
        )

    answers = await asyncio.gather(*(send(number) for number in range(5)))

    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]
    assert (await client.get("/documents"))["total"] == 1
    (document_id,) = [answer.json()["id"] for answer in answers if answer.is_success]
    await client.wait_until_finished(document_id)
    assert sum("original" in blob for blob in client.blobs()) == 1, "nothing is left of the refused ones"


async def test_the_content_decides_what_a_file_is(client: ApiClient) -> None:
    page = b"<!doctype html><html><body><h1>Tolls</h1><p>Two pence for a laden boat.</p></body></html>"

    answer = await client.upload("tolls.pdf", page)

    assert answer["media_type"] == "text/html"
    assert (await client.wait_until_finished(answer["id"]))["status"] == "COMPLETED"


async def test_a_file_that_cannot_be_read_is_rejected_with_a_reason(client: ApiClient) -> None:
    answer = await client.upload("program.exe", b"MZ\x90\x00" + bytes(500))
    status = await client.wait_until_finished(answer["id"])

    assert status["status"] == "FAILED"
    assert status["run"]["failure_type"] == "REJECTED"
    assert "cannot be read" in status["error"]


async def test_a_rejected_file_is_not_processed_again_when_it_is_uploaded_again(client: ApiClient) -> None:
    first = await client.upload("nothing.txt", b"   \n ")
    verdict = await client.wait_until_finished(first["id"])
    assert verdict["run"]["failure_type"] == "REJECTED"

    again = await client.upload("still nothing.txt", b"   \n ")

    assert again["duplicate"]
    assert again["run_id"] == first["run_id"]
    assert (await client.get(f"/documents/{first['id']}/status"))["error"] == verdict["error"]


async def test_a_rejected_file_is_processed_again_if_the_readers_changed(
    tmp_path: Path,
) -> None:
    async with open_api_client(tmp_path / "data", in_threads=True) as client:
        first = await client.upload("nothing.txt", b"   \n ")
        await client.wait_until_finished(first["id"])
    async with open_api_client(tmp_path / "data", in_threads=True, ocr="off") as changed:
        again = await changed.upload("nothing.txt", b"   \n ")

    assert again["duplicate"]
    assert again["run_id"] != first["run_id"]


async def test_a_body_without_a_file_is_refused_and_nothing_is_stored(client: ApiClient) -> None:
    for body, kind in (
        (b"not multipart at all", "text/plain"),
        (b"--x\r\nbroken", "multipart/form-data; boundary=x"),
        (
            b'--x\r\nContent-Disposition: form-data; name="other"\r\n\r\n1\r\n--x--\r\n',
            "multipart/form-data; boundary=x",
        ),
        (b"--x\r\n", f"multipart/form-data; boundary={'x' * 500}"),
    ):
        answer = await client.http.post("/documents", content=body, headers={"Content-Type": kind})
        assert answer.status_code == 400
        assert answer.headers["content-type"] == "application/problem+json"

    assert (await client.get("/documents"))["total"] == 0
    assert client.blobs() == set()
    assert list(client.runtime.services.intake.scratch_dir.iterdir()) == []


async def test_a_body_that_was_cut_off_is_refused_although_its_length_is_right(client: ApiClient) -> None:
    part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="keeper.md"\r\n\r\n' + STORY
    kind = {"Content-Type": "multipart/form-data; boundary=x"}

    for end in (b"", b"\r\n", b"\r\n--", b"\r\n--x", b"\r\n--x\r\n", b"\r\n--x-"):
        answer = await client.http.post("/documents", content=part + end, headers=kind)
        assert (answer.status_code, answer.json()["detail"]) == (
            400,
            "The multipart body ends before its closing boundary.",
        )
    assert (await client.get("/documents"))["total"] == 0
    assert client.blobs() == set()

    # The line break after the closing boundary is optional.
    answer = await client.http.post("/documents", content=part + b"\r\n--x--", headers=kind)
    assert (answer.status_code, answer.json()["size"]) == (200, len(STORY))


async def test_a_name_in_the_extended_syntax_is_read(client: ApiClient) -> None:
    """Some clients send it, alone or after a `filename` that has no readable name."""
    names = {
        b"filename*=UTF-8''na%C3%AFve.txt": "na\u00efve.txt",
        b"filename=\"=?utf-8?B?bmHDr3ZlLnR4dA==?=\"; filename*=utf-8''na%C3%AFve.txt": "na\u00efve.txt",
        b"filename*=utf-8'en'..%2F..%2Fplan.txt": "plan.txt",
        b"filename*=": "unnamed",
        b"filename=\"plan; filename*=utf-8''b.txt\"": "plan; filename*=utf-8''b.txt",
    }
    for number, (parameter, name) in enumerate(names.items()):
        part = b'--x\r\nContent-Disposition: form-data; name="file"; ' + parameter
        body = part + b"\r\n\r\ntext %d\r\n--x--\r\n" % number
        answer = await client.http.post(
            "/documents", content=body, headers={"Content-Type": "multipart/form-data; boundary=x"}
        )
        assert answer.json()["name"] == name


async def test_a_file_over_the_limit_is_refused_before_it_is_stored(tmp_path: Path) -> None:
    async with open_api_client(tmp_path / "data", in_threads=True, max_upload_bytes=1000) as client:
        answer = await client.http.post("/documents", files={"file": ("big.txt", b"x" * 2000)})

        assert answer.status_code == 413
        assert "max_upload_bytes" in answer.json()["detail"]
        assert client.blobs() == set()


async def test_a_file_uploaded_again_after_its_run_failed_is_processed_from_the_stored_bytes(
    tmp_path: Path,
) -> None:
    async with open_api_client(tmp_path / "data", in_threads=True, with_worker=False) as idle:
        first = await idle.upload("letter.txt", b"The lock is closed.")
        await idle.post(f"/runs/{first['run_id']}/cancel")
        again = await idle.upload("letter.txt", b"The lock is closed.")
        assert again["duplicate"]
        assert again["run_id"] != first["run_id"]
    async with open_api_client(tmp_path / "data", in_threads=True) as client:
        status = await client.wait_until_finished(first["id"])
        assert status["status"] == "COMPLETED", status["error"]
        assert len([key for key in client.blobs() if "/originals/" in key]) == 1
