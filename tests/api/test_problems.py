"""Bad requests get a clear answer, never a 500."""

from __future__ import annotations

import pytest

from tests.support.api_client import ApiClient

UNKNOWN = "00000000-0000-7000-8000-00000000dead"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", f"/documents/{UNKNOWN}", 404),
        ("GET", "/documents/not-an-id", 404),
        ("GET", "/documents/%00%ff/status", 404),
        ("DELETE", f"/documents/{UNKNOWN}", 404),
        ("GET", f"/documents/{UNKNOWN}/runs", 404),
        ("POST", f"/documents/{UNKNOWN}/runs", 404),
        ("POST", f"/runs/{UNKNOWN}/cancel", 404),
        ("POST", f"/jobs/{UNKNOWN}/retry", 404),
        ("GET", "/documents?limit=0", 422),
        ("GET", "/documents?cursor=nonsense", 400),
        ("GET", "/documents?status=SLEEPING", 422),
        ("GET", "/search", 422),
        ("GET", "/search?q=x&mode=telepathy", 422),
        ("GET", "/nowhere", 404),
        ("PUT", "/documents", 405),
    ],
)
async def test_the_answer_is_a_problem_that_says_what_to_do(
    client: ApiClient, method: str, path: str, status: int
) -> None:
    answer = await client.http.request(method, path)

    assert answer.status_code == status
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["status"] == status
    assert problem["type"].startswith("urn:towpath:")
    assert problem["detail"]
    assert problem["action"]


@pytest.mark.parametrize("query", ['"', "a AND OR (", "*", "x" * 4000, "\x00", "NEAR(", "-", "🚣", "col:val"])
async def test_no_query_breaks_the_search(client: ApiClient, query: str) -> None:
    for mode in ("hybrid", "text", "vector"):
        assert (await client.http.get("/search", params={"q": query, "mode": mode})).status_code == 200


async def test_an_unknown_stage_is_named(client: ApiClient) -> None:
    document = await client.upload("note.txt", b"a note")

    answer = await client.http.post(f"/documents/{document['id']}/runs", json={"from_stage": "polish"})

    assert answer.status_code == 400
    assert "extract, save_markdown, chunk, embed, publish" in answer.json()["detail"]


async def test_a_wrong_method_is_answered_with_the_allowed_methods(client: ApiClient) -> None:
    refused = await client.http.patch("/documents")
    assert refused.status_code == 405
    assert refused.headers["allow"] == "GET, POST"


async def test_the_api_document_describes_every_error_as_a_problem(client: ApiClient) -> None:
    schema = (await client.http.get("/openapi.json")).json()
    for operations in schema["paths"].values():
        for operation in operations.values():
            errors = {
                status: response
                for status, response in operation["responses"].items()
                if status[0] not in "23"
            }
            assert "default" in errors
            assert all(
                list(response["content"]) == ["application/problem+json"] for response in errors.values()
            )


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
async def test_moments_that_utc_cannot_hold_are_the_first_and_the_last_one(
    client: ApiClient, moment: str
) -> None:
    runs = await client.http.get("/runs", params={"created_from": moment, "created_before": moment})
    key = await client.http.post("/keys", json={"name": "page", "expires_at": moment})

    assert (runs.status_code, runs.json()) == (200, [])
    assert key.status_code == 201
    assert key.json()["expires_at"][:4] == moment[:4]
