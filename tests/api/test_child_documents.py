"""Attachments and archive members become documents of their own, linked with the file that contains them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support import pdfs
from tests.support.api_client import ApiClient
from tests.support.mails import attach, mail, mailbox_file, zipped

LEDGER = b"The ledger of the boatyard lists eleven anchors, and the harbour master signs it every spring."


async def wait_for_family(client: ApiClient, document_id: str) -> dict[str, Any]:
    """Wait until a document and all documents inside it are finished; their links by name."""
    await client.wait_until_finished(document_id)
    links = await client.get(f"/documents/{document_id}/links")
    family = {document_id: links}
    for child in links["children"]:
        family |= await wait_for_family(client, child["id"])
    return family | {document_id: await client.get(f"/documents/{document_id}/links")}


async def names_of_hits(client: ApiClient, query: str) -> list[str]:
    answer = await client.get("/search", q=query)
    return [hit["document_name"] for hit in answer["hits"]]


async def test_a_mail_with_a_pdf_a_zip_and_a_mail_becomes_five_linked_documents(
    client: ApiClient, tmp_path: Path
) -> None:
    pdf = pdfs.plain(
        tmp_path / "report.pdf", [["The sluice report says that the paddles of the upper gate leak."]]
    )
    message = mail("Papers for the meeting", "Please read the attached papers before Thursday.")
    attach(message, "report.pdf", pdf.read_bytes(), "application/pdf")
    attach(message, "books.zip", zipped({"folder/ledger.txt": LEDGER}), "application/zip")
    message.add_attachment(mail("Older question", "Who repairs the drawbridge near the tannery?"))

    root = await client.upload("papers.eml", message.as_bytes())
    family = await wait_for_family(client, root["id"])

    children = family[root["id"]]["children"]
    assert [child["path"] for child in children] == ["report.pdf", "books.zip", "Older question.eml"]
    assert [child["status"] for child in children] == ["COMPLETED"] * 3
    archive = family[children[1]["id"]]
    assert [child["path"] for child in archive["children"]] == ["folder/ledger.txt"]
    assert [parent["id"] for parent in archive["parents"]] == [root["id"]]
    assert len(family) == 5
    assert (await names_of_hits(client, "paddles of the upper gate"))[0] == "report.pdf"
    assert (await names_of_hits(client, "eleven anchors harbour master"))[0] == "ledger.txt"
    assert (await names_of_hits(client, "drawbridge near the tannery"))[0] == "Older question.eml"


async def test_a_failed_child_does_not_fail_its_parent(client: ApiClient) -> None:
    archive = zipped({"broken.pdf": b"%PDF-1.7 nothing else", "ledger.txt": LEDGER})

    root = await client.upload("books.zip", archive)
    family = await wait_for_family(client, root["id"])

    assert (await client.get(f"/documents/{root['id']}"))["status"] == "COMPLETED"
    statuses = {child["name"]: child["status"] for child in family[root["id"]]["children"]}
    assert statuses == {"broken.pdf": "FAILED", "ledger.txt": "COMPLETED"}


async def test_deleting_a_parent_keeps_uploaded_children_and_children_of_others(client: ApiClient) -> None:
    files = {"own.txt": b"Only this archive has the notes of the ferryman.", "shared.txt": LEDGER}
    uploaded = b"The towing horse rests at noon in the stable by the bridge."
    first = await client.upload("first.zip", zipped({**files, "uploaded.txt": uploaded}))
    second = await client.upload("second.zip", zipped({"shared.txt": LEDGER}))
    await client.upload("horse.txt", uploaded)
    family = await wait_for_family(client, first["id"])
    await wait_for_family(client, second["id"])
    ids = {child["path"]: child["id"] for child in family[first["id"]]["children"]}

    answer = await client.http.delete(f"/documents/{first['id']}")

    assert answer.status_code == 204
    assert (await client.http.get(f"/documents/{ids['own.txt']}")).status_code == 404
    for kept, text in (("shared.txt", LEDGER), ("uploaded.txt", uploaded)):
        original = await client.http.get(f"/documents/{ids[kept]}/original")
        assert original.content == text


async def test_reprocessing_a_parent_creates_no_child_twice(client: ApiClient) -> None:
    root = await client.upload("books.zip", zipped({"ledger.txt": LEDGER}))
    before = await wait_for_family(client, root["id"])

    await client.http.post(f"/documents/{root['id']}/runs")
    after = await wait_for_family(client, root["id"])

    assert after == before
    child = before[root["id"]]["children"][0]
    assert len(await client.get(f"/documents/{child['id']}/runs")) == 1


async def test_endless_nesting_ends_with_a_refusal(client: ApiClient) -> None:
    content = zipped({"ledger.txt": LEDGER})
    for level in range(8, 0, -1):
        content = zipped({f"level-{level}.zip": content})

    root = await client.upload("level-0.zip", content)
    family = await wait_for_family(client, root["id"])

    assert len(family) == 6
    innermost = next(document_id for document_id, links in family.items() if not links["children"])
    run = (await client.get(f"/documents/{innermost}/runs"))[0]
    assert run["failure_type"] == "REJECTED"
    assert "Upload it on its own" in run["error"]


async def test_a_zip_bomb_is_refused(client: ApiClient) -> None:
    root = await client.upload("bomb.zip", zipped({"zeros.txt": bytes(64 << 20)}))
    await client.wait_until_finished(root["id"])

    run = (await client.get(f"/documents/{root['id']}/runs"))[0]

    assert run["failure_type"] == "REJECTED"
    assert "times its size" in run["error"]


async def test_an_archive_with_too_many_files_is_refused(client: ApiClient) -> None:
    root = await client.upload("many.zip", zipped({f"{n}.txt": b"%d" % n for n in range(1_001)}))
    await client.wait_until_finished(root["id"])

    assert "more than 1000 files" in (await client.get(f"/documents/{root['id']}/status"))["error"]


async def test_each_message_of_a_mailbox_is_a_document(client: ApiClient, tmp_path: Path) -> None:
    messages = (
        mail("First", "The dredger works until Friday."),
        mail("Second", "From here on the canal is closed."),
    )

    root = await client.upload("old.mbox", mailbox_file(tmp_path / "box", *messages))
    family = await wait_for_family(client, root["id"])

    assert [child["path"] for child in family[root["id"]]["children"]] == ["message 1.eml", "message 2.eml"]
    assert (await names_of_hits(client, "dredger works until Friday"))[0] == "message 1.eml"


async def test_names_of_members_never_become_paths(client: ApiClient) -> None:
    names = (
        "../../../escaped.txt",
        "/tmp/escaped.txt",
        "C:\\..\\escaped.txt",
        "a/./b/..",
        "long/" * 10_000 + "a.txt",
        "x\r\nSet-Cookie: a=b.txt",
    )
    files = {name: b"The lock %d." % number for number, name in enumerate(names)}
    before = _files_around(client)
    archive = await client.upload("names.zip", zipped(files))
    message = await client.upload(
        "names.eml", attach(mail("S", "T"), names[0], b"A gate.", "text/plain").as_bytes()
    )
    for parent in (archive, message):
        await client.wait_until_finished(parent["id"])
    assert _files_around(client) == before
    children = [
        link
        for parent in (archive, message)
        for link in (await client.get(f"/documents/{parent['id']}/links"))["children"]
    ]
    assert len(children) == len(names) + 1
    for child in children:
        answer = await client.http.get(f"/documents/{child['id']}/original")
        assert answer.status_code == 200
        assert not set(child["name"]) & set("/\\\r\n"), child["name"]
        assert child["path"].isprintable()
        assert len(child["path"]) <= 1_000
        assert "set-cookie" not in answer.headers


def _files_around(client: ApiClient) -> set[Path]:
    """Files outside the data folder where a name with `..` or an absolute name would lead."""
    folders = (client.runtime.settings.data.parent, Path("/tmp"))
    return {path for folder in folders for path in folder.glob("escaped*")}
