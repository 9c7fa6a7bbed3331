"""Every route of the OpenAPI document, asked by one organization with every id of another: nothing is shown."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.api_client import ApiClient, open_api_client
from tests.support.timeouts import async_wait_until
from towpath.access.contract import ALL_SCOPES, NewKey, Scope
from towpath.clock import SystemClock
from towpath.model.audit import COMMAND_LINE
from towpath.model.webhook import WebhookEvent

#: Words that occur in Ann's documents, names and keys only.
SECRET_WORDS = ("zephyrine", "quillon", "annskey", "bartholomew")
FIRST = (
    b"# Zephyrine ledger\n\nThe quillon of the zephyrine lock was repaired by Bartholomew on 12 May 2024. He took the "
    b"bronze hinge from the lower gate, filed its pin and set the quillon back before the barges came. The repair of "
    b"the zephyrine lock cost 480 florins, and Bartholomew wrote the sum into the ledger of the weir.\n"
)
SECOND = (
    b"# Zephyrine notes\n\nBartholomew repaired the quillon of the zephyrine lock, said the keeper. The bronze hinge "
    b"of the lower gate was worn, so he filed its pin before the barges came. For the repair of the zephyrine lock the "
    b"weir paid Bartholomew 480 florins, as the ledger says.\n"
)
#: Routes whose answer may be 200 for another organization, because they take no id: the body is checked.
UNKNOWN = "00000000-0000-7000-8000-00000000abcd"


@dataclass(frozen=True, slots=True)
class TwoOrganizations:
    client: ApiClient
    ann: dict[str, str]
    bob: dict[str, str]
    bob_operator: dict[str, str]
    ids: dict[str, str]


async def _key(
    client: ApiClient, organization: str, scopes: frozenset[Scope], name: str
) -> tuple[str, dict[str, str]]:
    key, secret = await client.runtime.services.keys.create(
        organization, NewKey(name, scopes), SystemClock().now()
    )
    return key.id, {"Authorization": f"Bearer {secret}"}


async def _webhook(client: ApiClient, bearer: str) -> str:
    """An endpoint of the organization of this key, created without the check of its address."""
    services, now = client.runtime.services, SystemClock().now()
    key = await services.keys.authenticate(bearer.removeprefix("Bearer "), now)
    assert key is not None
    url = "https://zephyrine.example/hook"
    endpoint, _ = await services.webhooks.create(key.org_id, url, tuple(WebhookEvent), "", now, COMMAND_LINE)
    return endpoint.id


@pytest.fixture
async def two(tmp_path: Path) -> AsyncIterator[TwoOrganizations]:
    async with open_api_client(tmp_path / "data") as client:
        key_id, ann = await _key(client, "ann", ALL_SCOPES, "annskey")
        _, bob = await _key(client, "bob", ALL_SCOPES - {Scope.OPERATE}, "bob")
        _, bob_operator = await _key(client, "bob", ALL_SCOPES, "bob operator")
        client.http.headers = ann
        documents = [
            await client.upload("zephyrine-1.md", FIRST),
            await client.upload("zephyrine-2.md", SECOND),
        ]
        for document in documents:
            await client.wait_until_finished(document["id"])

        async def connected() -> Any:
            return await client.get(f"/documents/{documents[0]['id']}/connections")

        connections = await async_wait_until(connected, "the documents to be connected")
        ids = {
            "document_id": documents[0]["id"],
            "run_id": documents[0]["run_id"],
            "job_id": (await client.get("/jobs"))[0]["id"],
            "connection_id": connections[0]["id"],
            "key_id": key_id,
            "schema_name": "zephyrine",
            "webhook_id": await _webhook(client, str(client.http.headers["authorization"])),
        }
        schema = {"type": "object", "properties": {"quillon": {"type": "string"}}}
        assert (await client.http.put("/schemas/zephyrine", json=schema)).status_code == 201
        client.http.headers = {}
        yield TwoOrganizations(client, ann, bob, bob_operator, ids)


#: A pause has no organization and no id.
PAUSE = {"kind": "stage", "name": "embed"}


def _value(values: dict[str, str], match: re.Match[str]) -> str:
    return values[match[1]]


def _routes(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


#: Valid requests of a worker, so that only the job decides.
_WORKER_REQUESTS: dict[str, dict[str, Any]] = {
    "heartbeat": {"json": {"epoch": 1}},
    "progress": {"json": {"epoch": 1, "done": 1, "total": 2, "unit": "page"}},
    "calls": {
        "json": {"epoch": 1, "action": "begin", "provider": "acme", "model": "m", "input_hash": "x"},
    },
    "artifacts": {"params": {"epoch": "1", "key": "orgs/x", "kind": "content", "suffix": "md"}},
    "settle": {"json": {"epoch": 1, "outcome": "release"}},
}


def _body(operation: dict[str, Any], document: dict[str, Any], path: str = "") -> dict[str, Any]:
    if path.startswith("/worker/{job_id}/"):
        return _WORKER_REQUESTS[path.rsplit("/", 1)[-1]]
    content = operation.get("requestBody", {}).get("content", {})
    if "multipart/form-data" in content:
        return {"files": {"file": ("bob.txt", b"Bob's note.")}}
    if not content:
        return {}
    models = re.findall(r"#/components/schemas/(\w+)", str(content))
    schemas = [document["components"]["schemas"][model] for model in models]
    named = any("name" in schema.get("properties", {}) for schema in schemas)
    return {"json": {"name": "bobs key"} if named else {}}


def _assert_no_leak(two: TwoOrganizations, answer: httpx.Response, what: str) -> None:
    text = answer.text.lower()
    for secret in (*SECRET_WORDS, *two.ids.values()):
        # The id that was asked for may be repeated in the refusal.
        if secret not in str(answer.request.url):
            assert secret not in text, f"{what} shows {secret}: {answer.text[:500]}"


async def test_ids_of_another_organization_are_unknown_on_every_route(two: TwoOrganizations) -> None:
    client = two.client
    document = await client.get("/openapi.json")
    routes = [route for route in _routes(document) if "{" in route[1]]
    assert len(routes) > 15
    for method, path, operation in routes:
        names = re.findall(r"\{(\w+)\}", path)
        values = {**two.ids, **PAUSE}
        assert set(names) <= values.keys(), f"this test needs an id for {path}"
        url = re.sub(r"\{(\w+)\}", partial(_value, values), path)
        for headers in (two.bob, two.bob_operator):
            answer = await client.http.request(
                method, url, headers=headers, **_body(operation, document, path)
            )
            # A PUT by name is about a schema of Bob's own, which this body is not.
            refusals = (403, 404, 422) if path == "/schemas/{schema_name}" else (403, 404)
            assert answer.status_code in refusals, f"{method} {path}: {answer.status_code} {answer.text}"
            _assert_no_leak(two, answer, f"{method} {path}")
    # Nothing was changed: Ann still has everything.
    client.http.headers = two.ann
    assert (await client.get("/documents"))["total"] == 2
    assert (await client.get("/search", q="quillon"))["hits"]
    assert (await client.get("/schemas/zephyrine"))["values"] == ["quillon"]
    assert any(key["id"] == two.ids["key_id"] and not key["revoked_at"] for key in await client.get("/keys"))


async def test_routes_without_an_id_show_nothing_of_another_organization(two: TwoOrganizations) -> None:
    client = two.client
    document = await client.get("/openapi.json")
    page = await client.http.get("/documents", params={"limit": 1}, headers=two.ann)
    cursor = page.json()["next_cursor"]
    values: dict[str, str] = {
        "q": "quillon zephyrine",
        "text": "zephyrine-1.md",
        "ids": two.ids["document_id"],
        "document_id": two.ids["document_id"],
        "after": two.ids["job_id"],
        "cursor": cursor,
        "limit": "50",
    }
    for method, path, operation in _routes(document):
        if "{" in path:
            continue
        parameters = {
            item["name"]: values[item["name"]]
            for item in operation.get("parameters", ())
            if item["in"] == "query" and item["name"] in values
        }
        required = {
            item["name"]: values.get(item["name"], "x")
            for item in operation.get("parameters", ())
            if item.get("required")
        }
        for query in (parameters, {}):
            answer = await client.http.request(
                method, path, params=required | query, headers=two.bob, **_body(operation, document)
            )
            assert answer.status_code < 500, f"{method} {path}: {answer.text}"
            _assert_no_leak(two, answer, f"{method} {path}")
    assert (await client.http.get("/documents", headers=two.bob)).json()["total"] == 1, "Bob's own upload"


async def test_job_ids_of_another_organization_are_not_retried(two: TwoOrganizations) -> None:
    body = {"job_ids": [two.ids["job_id"]]}
    answer = await two.client.http.post("/jobs/retry", json=body, headers=two.bob)
    assert answer.json() == {"run_ids": []}


async def test_a_bulk_action_reaches_no_document_of_another_organization(two: TwoOrganizations) -> None:
    ids = [two.ids["document_id"]]
    for action in ({"action": "delete"}, {"action": "rerun"}, {"action": "tag", "tags": ["bob"]}):
        for scope in ({"filter": {"ids": ids}}, {"all": True, "filter": {"q": "zephyrine"}}):
            body = {**action, **scope}
            answer = await two.client.http.post("/documents/bulk", json=body, headers=two.bob)
            assert (answer.status_code, answer.json()["matched"], answer.json()["changed"]) == (200, 0, 0)
    exported = await two.client.http.post("/documents/fields", json={"ids": ids}, headers=two.bob)
    assert len(exported.text.splitlines()) == 1, "the head of the table"
    shown = await two.client.http.get(f"/documents/{ids[0]}", headers=two.ann)
    assert shown.json()["tags"] == []


async def test_metrics_and_operations_count_one_organization(two: TwoOrganizations) -> None:
    http = two.client.http
    for path in ("/metrics", "/operations"):
        mine = (await http.get(path, headers=two.bob)).text
        counts = re.findall(r"^towpath_[a-z_]+(?:\{.*\})? ([0-9.]+)$", mine, re.MULTILINE)
        assert {float(count) for count in counts} <= {0.0}, f"Bob has nothing, but {path} counts: {mine}"
        assert '"COMPLETED"' not in mine
        assert str(two.client.runtime.settings.data) not in mine
    totals = (await http.get("/metrics", headers=two.bob_operator)).text
    assert 'towpath_documents{status="COMPLETED"} 2.0' in totals


async def test_workers_of_the_installation_are_shown_to_operators_only(two: TwoOrganizations) -> None:
    http = two.client.http
    assert (await http.get("/operations", headers=two.bob)).json()["workers"] == []
    (worker,) = (await http.get("/operations", headers=two.bob_operator)).json()["workers"]
    assert worker["pid"]
    for headers in (two.bob, {"Authorization": two.bob["Authorization"], "Host": "evil.example"}):
        assert (await http.get("/ready", headers=headers)).json()["differences"] == []


async def test_the_audit_log_of_one_organization(two: TwoOrganizations) -> None:
    http = two.client.http
    entries = (await http.get("/audit", headers=two.bob)).json()
    assert {entry["action"] for entry in entries} == {"key_created"}
    assert (await http.get("/audit", params={"all_organizations": True}, headers=two.bob)).status_code == 403
    everything = (
        await http.get("/audit", params={"all_organizations": True}, headers=two.bob_operator)
    ).json()
    assert len({entry["org_id"] for entry in everything}) == 2
