"""Organizing documents over the API on both engines: labels, filters, order, counts, edits, bulk actions, export."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import ApiClient, open_api_client
from tests.support.databases import PostgresServer

INVOICE = b"# Invoice %d\n\nInvoice No: TP-%04d\n\nThe canal company owes 40.00 GBP for timber number %d.\n"


@pytest.fixture(params=["sqlite", "postgres"])
async def client(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ApiClient]:
    if request.param == "sqlite":
        async with open_api_client(tmp_path / "data", in_threads=True) as client:
            yield client
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    dsn = server.create_migrated()
    async with open_api_client(tmp_path / "data", in_threads=True, database=dsn) as client:
        yield client
    server.drop(dsn)


async def _upload(client: ApiClient, number: int, **form: Any) -> Any:
    body = INVOICE % (number, number, number)
    files = {"file": (f"Invoice {number:02}.md", body)}
    return await client.post("/documents", files=files, data=form)


async def _names(client: ApiClient, **filters: Any) -> list[str]:
    return [document["name"] for document in (await client.get("/documents", **filters))["documents"]]


async def _patch(client: ApiClient, path: str, **body: Any) -> Any:
    answer = await client.http.patch(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_labels_of_an_upload_are_shown_filtered_and_counted(client: ApiClient) -> None:
    first = await _upload(
        client,
        1,
        collection=" Invoices  2026 ",
        tags=["paid", "urgent,paid"],
        metadata='{"year": 2026, "by": "Ann"}',
    )
    await _upload(client, 2, collection="Letters", tags="paid")
    await _upload(client, 3)

    assert (first["collection"], first["tags"]) == ("Invoices 2026", ["paid", "urgent"])
    assert first["metadata"] == {"year": 2026, "by": "Ann"}
    assert await _names(client, collection="Letters") == ["Invoice 02.md"]
    assert await _names(client, collection="") == ["Invoice 03.md"]
    assert await _names(client, collection=["", "Letters"]) == ["Invoice 03.md", "Invoice 02.md"]
    assert await _names(client, tag="paid") == ["Invoice 02.md", "Invoice 01.md"]
    assert await _names(client, tag=["paid", "urgent"]) == ["Invoice 01.md"]
    assert await _names(client, metadata="year=2026") == ["Invoice 01.md"]
    assert await _names(client, metadata=["year=2026", "by=Bob"]) == []
    assert await _names(client, media_type="text/markdown", q="voice 03") == ["Invoice 03.md"]
    assert await _names(client, tag="paid", created_before="2000-01-01") == []
    assert await _names(client, tag="paid", created_from="2000-01-01") == ["Invoice 02.md", "Invoice 01.md"]
    facets = await client.get("/documents/facets", collection="Letters")
    assert facets["collections"] == {"": 1, "Invoices 2026": 1, "Letters": 1}
    assert facets["tags"] == {"paid": 1}
    assert facets["total"] == 1
    everything = await client.get("/documents/facets")
    assert everything["tags"] == {"paid": 2, "urgent": 1}
    assert everything["kinds"] == {"document": 3}
    assert sum(everything["statuses"].values()) == 3


async def test_the_same_bytes_again_keep_the_collection_and_gain_tags(client: ApiClient) -> None:
    await _upload(client, 1, collection="Letters", tags="a", metadata='{"x": 1}')

    again = await _upload(client, 1, collection="Invoices", tags="b", metadata='{"y": 2}')

    assert again["duplicate"] is True
    assert (again["collection"], again["tags"]) == ("Letters", ["a", "b"])
    assert again["metadata"] == {"x": 1, "y": 2}


async def test_files_in_an_archive_have_its_collection_and_tags(client: ApiClient) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("inside.txt", "A letter about the lock gate.")
    form = {"collection": "Boxes", "tags": "attic"}

    box = await client.post("/documents", files={"file": ("box.zip", archive.getvalue())}, data=form)
    await client.wait_until_finished(box["id"])

    (child,) = (await client.get(f"/documents/{box['id']}/links"))["children"]
    found = await client.get("/documents", collection="Boxes", tag="attic", q="inside")
    assert [document["id"] for document in found["documents"]] == [child["id"]]


@pytest.mark.parametrize(
    "form",
    [
        {"metadata": "[1]"},
        {"metadata": "{"},
        {"collection": "x" * 201},
        {"tags": ",".join(f"tag {number}" for number in range(51))},
        {"metadata": json.dumps({"big": "x" * 20_000})},
    ],
)
async def test_labels_that_are_not_valid_are_refused_and_nothing_is_stored(
    client: ApiClient, form: dict[str, str]
) -> None:
    answer = await client.http.post("/documents", files={"file": ("a.txt", b"text")}, data=form)

    assert answer.status_code == 400, answer.text
    assert (await client.get("/documents"))["total"] == 0
    assert client.blobs() == set()


async def test_every_order_is_the_same_page_by_page(client: ApiClient) -> None:
    for number, name in enumerate(["b.txt", "A.txt", "c.txt", "ä.txt", "B.txt"]):
        body = b"word " * (1 + number % 3) + name.encode()
        await client.post("/documents", files={"file": (name, body)}, data={"tags": "t"})
    for document in (await client.get("/documents"))["documents"]:
        await client.wait_until_finished(document["id"])

    async def ids_by_page(**parameters: str) -> list[str]:
        ids: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = await client.get("/documents", limit=2, **parameters, **cursor)
            ids += [document["id"] for document in page["documents"]]
            if page["next_cursor"] is None:
                return ids
            cursor = {"cursor": page["next_cursor"]}

    for sort in ("created", "-created", "name", "-name", "size", "-size", "status", "-status"):
        whole = (await client.get("/documents", sort=sort, limit=500))["documents"]
        ids = [document["id"] for document in whole]
        assert len(set(ids)) == 5
        assert await ids_by_page(sort=sort) == ids
        assert await ids_by_page(sort=sort, tag="t") == ids
        names = [document["name"].lower() for document in whole]
        sizes = [document["size"] for document in whole]
        if sort.endswith("name"):
            assert names == sorted(names, reverse=sort.startswith("-"))
        if sort.endswith("size"):
            assert sizes == sorted(sizes, reverse=sort.startswith("-"))


async def test_a_cursor_of_another_order_is_refused(client: ApiClient) -> None:
    for number in range(3):
        await _upload(client, number)
    page = await client.get("/documents", sort="name", limit=1)

    answer = await client.http.get("/documents", params={"sort": "size", "cursor": page["next_cursor"]})

    assert answer.status_code == 400


async def test_an_edited_title_and_edited_fields_survive_processing_again(client: ApiClient) -> None:
    document = await _upload(client, 7)
    await client.wait_until_finished(document["id"])
    path = f"/documents/{document['id']}"
    fields = await client.get(f"{path}/fields")
    number = next(field for field in fields if field["value"] == "TP-0007")

    edited = await _patch(
        client, path, title="Timber", collection="Invoices", tags=["x"], metadata={"k": "v"}
    )
    await _patch(
        client,
        f"{path}/fields",
        edits=[
            {"name": number["name"], "ordinal": number["ordinal"], "value": "TP-0008"},
            {"name": "approved_by", "value": "Ann"},
        ],
    )
    await client.post(f"{path}/runs", json={"fresh": True})
    await client.wait_until_finished(document["id"])

    after = await client.get(path)
    assert (after["title"], after["extracted_title"]) == ("Timber", "Invoice 7")
    assert after["title_edited_by"] == "local"
    assert after["title_edited_at"] is not None
    assert (after["collection"], after["tags"], after["metadata"]) == ("Invoices", ["x"], {"k": "v"})
    assert edited["title"] == "Timber"
    by_name = {field["name"]: field for field in await client.get(f"{path}/fields")}
    assert by_name[number["name"]]["value"] == "TP-0008"
    assert by_name[number["name"]]["extracted_value"] == "TP-0007"
    assert by_name[number["name"]]["edited_by"] == "local"
    assert by_name[number["name"]]["edited_at"] is not None
    assert by_name["approved_by"]["value"] == "Ann"
    assert by_name["approved_by"]["extracted_value"] is None


async def test_null_removes_edits_and_labels(client: ApiClient) -> None:
    document = await _upload(client, 7, collection="Letters", tags="a", metadata='{"x": 1, "y": 2}')
    await client.wait_until_finished(document["id"])
    path = f"/documents/{document['id']}"
    await _patch(client, path, title="Timber")
    await _patch(client, f"{path}/fields", edits=[{"name": "title", "value": "Wood"}])

    removed = await _patch(
        client, path, title=None, collection=None, tags=None, metadata={"x": None, "z": True}
    )
    fields = await _patch(client, f"{path}/fields", edits=[{"name": "title", "value": None}])

    assert (removed["title"], removed["title_edited_by"]) == ("Invoice 7", None)
    assert (removed["collection"], removed["tags"], removed["metadata"]) == (None, [], {"y": 2, "z": True})
    title = next(field for field in fields if field["name"] == "title")
    assert (title["value"], title["edited_at"]) == ("Invoice 7", None)
    assert await _names(client, metadata="z=true") == ["Invoice 07.md"]
    assert await _names(client, metadata="x=1") == []
    assert (await _patch(client, path, metadata=None))["metadata"] == {}
    unchanged = await _patch(client, path, add_tags=["b", "c"], remove_tags=["d"])
    assert unchanged["tags"] == ["b", "c"]


async def test_unusual_filters_and_labels_are_answered(client: ApiClient) -> None:
    document = await _upload(client, 1, tags="a")
    unusual: list[dict[str, Any]] = [
        {"created_from": "0001-01-01T00:00:00+14:00"},
        {"created_before": "9999-12-31T23:59:59-14:00", "tag": "a"},
        {"q": "%_\\", "collection": "\u2028", "metadata": "k=\U0001f600"},
        {"min_size": 2**63 - 1},
    ]
    for path in ("/documents", "/documents/facets", "/documents/fields", "/search"):
        for filters in unusual:
            answer = await client.http.get(path, params={"q": "canal", **filters})
            assert answer.status_code == 200, (path, filters, answer.text)
    assert (await client.http.get("/documents", params={"metadata": "no sign"})).status_code == 400

    metadata = {"x\0": ["\0", {"y": 1.5}], "big": 10**30}
    edited = await _patch(
        client, f"/documents/{document['id']}", title="a\0b", tags=["\0", "ok"], metadata=metadata
    )

    assert (edited["title"], edited["tags"]) == ("ab", ["ok"])
    assert edited["metadata"] == {"x\ufffd": ["\ufffd", {"y": 1.5}], "big": 10**30}


async def test_a_search_and_a_question_keep_to_the_filters(client: ApiClient) -> None:
    first = await _upload(client, 1, tags="paid", collection="Invoices")
    second = await _upload(client, 2, metadata='{"by": "Ann"}')
    for document in (first, second):
        await client.wait_until_finished(document["id"])

    async def found(**filters: Any) -> set[str]:
        hits = (await client.get("/search", q="canal company timber", **filters))["hits"]
        return {hit["document_id"] for hit in hits}

    assert await found() == {first["id"], second["id"]}
    assert await found(tag="paid") == {first["id"]}
    assert await found(tag="paid", created_from="2000-01-01") == {first["id"]}
    assert await found(tag="paid", created_before="2000-01-01") == set()
    assert await found(collection="Invoices", status="COMPLETED") == {first["id"]}
    assert await found(metadata="by=Ann") == {second["id"]}
    answer = await client.post(
        "/ask", json={"question": "What does the canal company owe?", "stream": False, "tags": ["paid"]}
    )
    assert {passage["document_id"] for passage in answer["passages"]} == {first["id"]}


async def test_a_bulk_action_reaches_every_document_of_its_filter_once(client: ApiClient) -> None:
    ids = [(await _upload(client, number, collection="In"))["id"] for number in range(5)]
    for document_id in ids:
        await client.wait_until_finished(document_id)
    other = await _upload(client, 9)

    async def bulk(**body: Any) -> Any:
        return await client.post("/documents/bulk", json=body)

    dry = await bulk(action="move", collection="Out", filter={"collections": ["In"]}, dry_run=True)
    assert (dry["matched"], dry["changed"]) == (5, 0)
    changed, after = 0, None
    while True:
        answer = await bulk(
            action="move", collection="Out", filter={"collections": ["In"]}, limit=2, after=after
        )
        changed, after = changed + answer["changed"], answer["next_after"]
        if after is None:
            break
    assert changed == 5
    assert (await client.get("/documents", collection="Out"))["total"] == 5
    await bulk(action="tag", tags=["ten", "more"], filter={"ids": ids[:3]})
    await bulk(action="untag", tags=["more"], filter={"tags": ["ten"]})
    assert (await client.get("/documents/facets"))["tags"] == {"ten": 3}
    rerun = await bulk(action="rerun", filter={"tags": ["ten"]})
    assert (rerun["changed"], rerun["failures"]) == (3, [])
    for document_id in ids[:3]:
        assert (await client.wait_until_finished(document_id))["status"] == "COMPLETED"
        assert len(await client.get(f"/documents/{document_id}/runs")) == 2
    deleted = await bulk(action="delete", filter={"collections": ["Out"]})
    assert deleted["changed"] == 5
    assert [document["id"] for document in (await client.get("/documents"))["documents"]] == [other["id"]]
    assert (await client.get("/documents/facets"))["tags"] == {}


async def test_an_empty_filter_needs_a_word_that_all_documents_are_meant(client: ApiClient) -> None:
    await _upload(client, 1)

    refused = await client.http.post("/documents/bulk", json={"action": "delete"})
    accepted = await client.post("/documents/bulk", json={"action": "delete", "all": True, "dry_run": True})

    assert refused.status_code == 400
    assert accepted["matched"] == 1
    assert (await client.get("/documents"))["total"] == 1


async def test_fields_of_matching_documents_are_exported(client: ApiClient) -> None:
    for number in (1, 2):
        document = await _upload(client, number, tags="paid", collection="=cmd()")
        await client.wait_until_finished(document["id"])
    await _upload(client, 3)
    await _patch(client, f"/documents/{document['id']}/fields", edits=[{"name": "note", "value": "-1,50"}])

    table = await client.http.get("/documents/fields", params={"tag": "paid"})
    objects = await client.get("/documents/fields", tag="paid", format="json")

    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(table.text.removeprefix("\ufeff")))}
    assert table.headers["content-type"].startswith("text/csv")
    assert set(rows) == {"Invoice 01.md", "Invoice 02.md"}
    assert any("TP-0001" in value for value in rows["Invoice 01.md"].values())
    assert rows["Invoice 01.md"]["collection"] == "'=cmd()", "a spreadsheet must not execute it"
    assert rows["Invoice 02.md"]["note"] == "-1,50"
    assert {item["name"] for item in objects} == set(rows)
    assert {field["name"] for item in objects for field in item["fields"] if field["edited"]} == {"note"}
    assert await client.get("/documents/fields", tag="none", format="json") == []
