"""Fields by schema through the API: own schemas, long documents, reprocessing, and the choice of the schema."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import ApiClient, open_api_client
from tests.support.emulators import Fault, OpenAIEmulator
from tests.support.emulators.azure_identity import AzureOpenAIEmulator

INVOICES = Path(__file__).parents[1] / "data" / "invoices"
SPIEL = INVOICES / "spiel-508.pdf"
OWN: dict[str, Any] = {
    "type": "object",
    "title": "Bill",
    "properties": {"supplier": {"type": "string"}, "total": {"type": "number", "format": "money"}},
}


@pytest.fixture
async def server() -> AsyncGenerator[OpenAIEmulator]:
    async with OpenAIEmulator() as emulator:
        yield emulator


def _settings(server: OpenAIEmulator, **more: Any) -> dict[str, Any]:
    return {
        "field_extractor": "openai",
        "openai_api_key": server.key,
        "openai_base_url": server.base_url,
        **more,
    }


async def _extracted(client: ApiClient, document_id: str) -> dict[str, Any]:
    """The values of schemas by name, after every job has ended."""
    await client.wait_until_finished(document_id)
    fields = await client.get(f"/documents/{document_id}/fields")
    return {field["name"]: field for field in fields if field["schema"] is not None}


def _stage(status: Any, name: str) -> Any:
    return next((stage for stage in status["stages"] if stage["name"] == name), None)


async def test_local_fields_and_fields_of_the_schema_are_listed_side_by_side(
    server: OpenAIEmulator, tmp_path: Path
) -> None:
    async with open_api_client(tmp_path / "data", **_settings(server)) as client:
        document = await client.upload(SPIEL.name, SPIEL.read_bytes())
        extracted = await _extracted(client, document["id"])
        assert extracted["total"]["value"] == "571.04"
        assert (extracted["total"]["schema"], extracted["total"]["verified"]) == ("invoice", True)
        fields = await client.get(f"/documents/{document['id']}/fields")
        local = [field for field in fields if field["schema"] is None]
        assert {"document_type", "total"} <= {field["name"] for field in local}
        assert {field["verified"] for field in local} == {None}
        assert fields[: len(local)] == local, "the fields of schemas come last"
        costs = await client.get(f"/documents/{document['id']}/costs")
        assert costs["cost"] > 0

        # The same document again pays nothing, and has each value once.
        await client.post(f"/documents/{document['id']}/runs", json={})
        assert await _extracted(client, document["id"]) == extracted
        assert len(await client.get(f"/documents/{document['id']}/fields")) == len(fields)
        assert server.bill.operations == 1


async def test_auto_sends_only_invoices_and_receipts(server: OpenAIEmulator, tmp_path: Path) -> None:
    async with open_api_client(tmp_path / "data", **_settings(server)) as client:
        note = await client.upload("note.md", b"# Locks\n\nThe keeper opens the lock at noon.")
        assert await _extracted(client, note["id"]) == {}
        status = await client.wait_until_finished(note["id"])
        assert _stage(status, "extract_fields")["status"] == "COMPLETED"
    assert server.bill.operations == 0


async def test_without_an_extractor_there_is_no_such_stage(server: OpenAIEmulator, tmp_path: Path) -> None:
    async with open_api_client(tmp_path / "data", **_settings(server, field_extractor="off")) as client:
        document = await client.upload(SPIEL.name, SPIEL.read_bytes())
        status = await client.wait_until_finished(document["id"])
        assert _stage(status, "extract_fields") is None
    assert server.bill.operations == 0


async def test_a_long_document_is_sent_in_parts_that_are_merged_and_paid_once(
    server: OpenAIEmulator, tmp_path: Path
) -> None:
    names = ("moulin-lyon.pdf", "spiel-508.pdf")
    async with open_api_client(tmp_path / "data", **_settings(server, field_part_characters=500)) as client:
        for name in names:
            document = await client.upload(name, (INVOICES / name).read_bytes())
            extracted = await _extracted(client, document["id"])
            answer = json.loads((INVOICES / "answers.json").read_text("utf-8"))[name]
            assert extracted["total"]["verified"]
            assert float(extracted["total"]["value"]) == answer["total"][0]
            items = [field for name, field in extracted.items() if name.endswith("].description")]
            assert [item["value"] for item in items] == [
                item["description"][0] for item in answer["line_items"]
            ]
            await client.post(f"/documents/{document['id']}/runs", json={})
            assert await _extracted(client, document["id"]) == extracted
    assert server.bill.operations > len(names)
    assert set(server.bill.by_content.values()) == {1}, "a part was paid for twice"


async def test_a_part_with_an_answer_that_is_too_long_is_cut_in_two(
    server: OpenAIEmulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "towpath.providers.openai.field_extractor.OpenAIFieldExtractor.default_answer_tokens", 400
    )
    async with open_api_client(tmp_path / "data", **_settings(server)) as client:
        document = await client.upload(SPIEL.name, SPIEL.read_bytes())
        extracted = await _extracted(client, document["id"])
        assert extracted["total"]["value"] == "571.04"
        assert extracted["line_items[2].amount"]["value"] == "20.00"
    assert server.bill.operations >= 3
    assert set(server.bill.by_content.values()) == {1}


async def test_a_refusal_fails_the_follow_up_and_not_the_document(
    server: OpenAIEmulator, tmp_path: Path
) -> None:
    async with open_api_client(tmp_path / "data", **_settings(server)) as client:
        server.faults.add(Fault("chat", "refuse"))
        document = await client.upload(SPIEL.name, SPIEL.read_bytes())
        status = await client.wait_until_finished(document["id"])
        assert status["status"] == "COMPLETED"
        assert _stage(status, "extract_fields")["status"] == "FAILED"
        assert await _extracted(client, document["id"]) == {}


async def test_an_own_schema_is_stored_used_replaced_and_deleted(
    server: OpenAIEmulator, tmp_path: Path
) -> None:
    async with open_api_client(tmp_path / "data", **_settings(server, field_schema="bill")) as client:
        created = await client.http.put("/schemas/bill", json=OWN)
        assert (created.status_code, created.json()["values"]) == (201, ["supplier", "total"])
        assert (await client.http.put("/schemas/bill", json=OWN)).status_code == 200
        document = await client.upload(SPIEL.name, SPIEL.read_bytes())
        extracted = await _extracted(client, document["id"])
        assert {name: field["value"] for name, field in extracted.items()} == {
            "supplier": "Bei Spiel GmbH",
            "total": "571.04",
        }
        assert {field["schema"] for field in extracted.values()} == {"bill"}
        listed = await client.get("/schemas")
        assert [(entry["name"], entry["source"]) for entry in listed] == [
            ("bill", "organization"),
            ("invoice", "shipped"),
            ("receipt", "shipped"),
        ]
        assert (await client.get("/schemas/bill"))["document"] == OWN
        assert (await client.http.delete("/schemas/bill")).status_code == 204
        assert (await client.http.get("/schemas/bill")).status_code == 404
        actions = [entry["action"] for entry in await client.get("/audit")]
        assert actions.count("schema_stored") == 2
        assert actions.count("schema_deleted") == 1
        # The values stay; a new run says that there is no such schema.
        assert await _extracted(client, document["id"]) == extracted
        await client.post(f"/documents/{document['id']}/runs", json={})
        status = await client.wait_until_finished(document["id"])
        assert _stage(status, "extract_fields")["status"] == "FAILED"


async def test_a_schema_that_cannot_be_used_is_refused(client: ApiClient) -> None:
    refused = await client.http.put("/schemas/own", json={"type": "object", "properties": {}})
    assert refused.status_code == 422
    assert refused.json()["type"] == "urn:towpath:schema-refused"
    assert "Add at least one." in refused.json()["detail"]
    assert (await client.http.put("/schemas/Own", json=OWN)).status_code == 422
    assert (await client.http.delete("/schemas/invoice")).status_code == 404
    assert [entry["name"] for entry in await client.get("/schemas")] == ["invoice", "receipt"]


async def test_a_folder_has_schemas_too_and_one_of_the_organization_hides_it(tmp_path: Path) -> None:
    folder = tmp_path / "schemas"
    folder.mkdir()
    (folder / "invoice.json").write_text(json.dumps(OWN))
    async with open_api_client(tmp_path / "data", with_worker=False, field_schemas_folder=folder) as client:
        assert (await client.get("/schemas/invoice"))["source"] == "folder"
        own = {"type": "object", "properties": {"number": {"type": "string"}}}
        assert (await client.http.put("/schemas/invoice", json=own)).status_code == 201
        assert (await client.get("/schemas/invoice"))["values"] == ["number"]
        assert (await client.http.delete("/schemas/invoice")).status_code == 204
        assert (await client.get("/schemas/invoice"))["values"] == ["supplier", "total"]


async def test_azure_openai_extracts_fields_by_its_deployment(tmp_path: Path) -> None:
    async with (
        AzureOpenAIEmulator() as azure,
        open_api_client(
            tmp_path / "data",
            field_extractor="azure-openai",
            azure_openai_endpoint=azure.url,
            azure_openai_key=azure.key,
            azure_openai_field_deployment="fields-eu",
        ) as client,
    ):
        document = await client.upload(SPIEL.name, SPIEL.read_bytes())
        assert (await _extracted(client, document["id"]))["total"]["value"] == "571.04"
        assert azure.bill.operations == 1
