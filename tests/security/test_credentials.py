"""API keys: bad credentials, scopes, expiry, revocation, guessing, and what is stored of them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from tests.support.api_client import ApiClient, open_api_client
from tests.support.raw_http import send
from tests.support.servers import Client, Server
from towpath.access.contract import NewKey, Scope
from towpath.clock import SystemClock

PATHS = (
    "/",
    "/docs",
    "/openapi.json",
    "/health",
    "/ready",
    "/documents",
    "/metrics",
    "/operations",
    "/audit",
    "/none",
)
NOTE = {"file": ("note.txt", b"A note about the summit pound.")}


BAD = (
    "Token x",
    "Bearer",
    "Bearer ",
    "Bearer unknown",
    "Basic dXNlcjpwYXNz",
    "bearer\tx",
    "",
    "tp_x",
    "Bearer \xff",
)


def test_a_bad_credential_is_always_401(tmp_path: Path) -> None:
    unlimited = {"TOWPATH_FAILED_KEYS_PER_MINUTE": "none"}
    with Server(tmp_path / "data", settings=unlimited) as server:
        for credential in BAD:
            for path in PATHS:
                answer = send(server.port, "GET", path, "Host: localhost", f"Authorization: {credential}")
                assert answer.status == 401, (credential, path)
                assert answer.headers["www-authenticate"] == "Bearer"
            twice = (f"Authorization: {credential}", "Authorization: Bearer y")
            assert send(server.port, "GET", "/documents", "Host: localhost", *twice).status == 401


def test_guessing_keys_is_limited_and_does_not_lock_out_a_valid_key(tmp_path: Path) -> None:
    settings = {"TOWPATH_FAILED_KEYS_PER_MINUTE": "5"}
    with Server(tmp_path / "data", settings=settings) as server:
        good = Client(server.url).http.post("/keys", json={"name": "good"}).json()["secret"]
        late = Client(server.url).http.post("/keys", json={"name": "late"}).json()["secret"]
        host = "Host: localhost"
        assert send(server.port, "GET", "/documents", host, f"Authorization: Bearer {good}").status == 200
        answers = [
            send(
                server.port,
                "GET",
                "/documents",
                host,
                f"Authorization: Bearer tp_{number}",
                # Without a trusted proxy this header names nobody.
                f"X-Forwarded-For: 10.0.0.{number}",
            )
            for number in range(60)
        ]
        statuses = [answer.status for answer in answers]
        assert statuses[:5] == [401] * 5
        assert statuses.count(401) < 20, "a few more may come in while tokens are added"
        limited = next(answer for answer in answers if answer.status == 429)
        assert int(limited.headers["retry-after"]) >= 1
        assert b"urn:towpath:too-many-failed-keys" in limited.body
        # A key that was valid before keeps working; one that was never seen cannot be told from a guess.
        assert send(server.port, "GET", "/documents", host, f"Authorization: Bearer {good}").status == 200
        assert send(server.port, "GET", "/documents", host, f"Authorization: Bearer {late}").status == 429
        assert send(server.port, "GET", "/documents", host).status == 200


async def _key(client: ApiClient, organization: str, *scopes: Scope, **options: object) -> dict[str, str]:
    new_key = NewKey("test", frozenset(scopes), **options)  # pyright: ignore[reportArgumentType]
    _, secret = await client.runtime.services.keys.create(organization, new_key, SystemClock().now())
    return {"Authorization": f"Bearer {secret}"}


@pytest.fixture
async def client(tmp_path: Path):
    async with open_api_client(tmp_path / "data", with_worker=False) as api_client:
        yield api_client


async def test_each_scope_allows_its_requests_only(client: ApiClient) -> None:
    requests = {
        Scope.READ: ("GET", "/documents", 200),
        Scope.WRITE: ("POST", "/jobs/retry", 200),
        Scope.OPERATE: ("GET", "/keys", 200),
    }
    for scope in Scope:
        headers = await _key(client, "ann", scope)
        for needed, (method, path, status) in requests.items():
            answer = await client.http.request(method, path, headers=headers)
            assert answer.status_code == (status if scope is needed else 403), (scope, path)
            if scope is not needed:
                assert f"`{needed}`" in answer.json()["detail"]


async def test_an_expired_key_is_401_from_that_moment_on(client: ApiClient) -> None:
    now = SystemClock().now()
    ended = await _key(client, "ann", Scope.READ, expires_at=now - timedelta(seconds=1))
    valid = await _key(client, "ann", Scope.READ, expires_at=now + timedelta(days=1))
    assert (await client.http.get("/documents", headers=ended)).status_code == 401
    assert (await client.http.get("/documents", headers=valid)).status_code == 200


async def test_a_revoked_key_is_401_in_the_next_request(client: ApiClient) -> None:
    operator = await _key(client, "ann", *Scope)
    created = (await client.http.post("/keys", json={"name": "short"}, headers=operator)).json()
    headers = {"Authorization": f"Bearer {created['secret']}"}
    assert (await client.http.get("/documents", headers=headers)).status_code == 200
    assert (await client.http.delete(f"/keys/{created['id']}", headers=operator)).status_code == 204
    assert (await client.http.get("/documents", headers=headers)).status_code == 401
    assert (await client.http.delete(f"/keys/{created['id']}", headers=operator)).status_code == 404


async def test_keys_are_listed_with_scopes_expiry_and_last_use_but_no_secret(client: ApiClient) -> None:
    operator = await _key(client, "ann", *Scope)
    body = {"name": "scanner", "scopes": ["write"], "expires_at": "2099-01-01T00:00:00Z"}
    created = (await client.http.post("/keys", json=body, headers=operator)).json()
    headers = {"Authorization": f"Bearer {created['secret']}"}
    assert (await client.http.post("/documents", files=NOTE, headers=headers)).status_code == 200

    listed = (await client.http.get("/keys", headers=operator)).text
    (scanner,) = [key for key in httpx.Response(200, text=listed).json() if key["name"] == "scanner"]
    assert created["secret"] not in listed
    assert scanner["scopes"] == ["write"]
    assert scanner["expires_at"].startswith("2099-01-01")
    assert scanner["last_used_at"] is not None
    for file in client.runtime.settings.data.glob("towpath.db*"):
        assert created["secret"].encode() not in file.read_bytes()


async def test_a_key_gives_no_scope_that_it_does_not_have(client: ApiClient) -> None:
    operator = await _key(client, "ann", Scope.OPERATE, Scope.READ)
    asked = {"name": "more", "scopes": ["read", "write"]}
    assert (await client.http.post("/keys", json=asked, headers=operator)).status_code == 403


async def test_requests_bytes_and_stored_bytes_are_limited(tmp_path: Path) -> None:
    async with open_api_client(
        tmp_path / "data",
        with_worker=False,
        requests_per_second=5.0,
        max_bytes_in_flight=5_000,
        max_stored_bytes=3_000,
    ) as client:
        big = {"file": ("big.txt", b"x" * 6_000)}
        answer = await client.http.post("/documents", files=big)
        assert (answer.status_code, answer.json()["type"]) == (429, "urn:towpath:too-many-bytes-in-flight")

        async def chunks():
            for _ in range(100):
                yield b"x" * 100

        answer = await client.http.post(
            "/documents", content=chunks(), headers={"Content-Type": "text/plain"}
        )
        assert answer.status_code in (400, 429), "a body without a length is counted as it arrives"
        assert (
            await client.http.post("/documents", files={"file": ("a.txt", b"a " * 1_000)})
        ).status_code == 200
        answer = await client.http.post("/documents", files={"file": ("b.txt", b"b " * 1_000)})
        assert (answer.status_code, answer.json()["type"]) == (507, "urn:towpath:quota-exceeded")
        statuses = [(await client.http.get("/documents")).status_code for _ in range(40)]
        assert 429 in statuses


async def test_the_defaults_admit_many_clients_of_one_address(client: ApiClient) -> None:
    statuses = {(await client.http.get("/health")).status_code for _ in range(1_000)}
    assert statuses == {200}
