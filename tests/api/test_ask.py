"""Questions: answers with verified citations, paid once, from the emulator of OpenAI or by quoting passages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import ApiClient, open_api_client
from tests.support.emulators import OpenAIEmulator
from tests.support.emulators.faults import Fault
from tests.support.timeouts import async_wait_until
from towpath.access.contract import NewKey, Scope
from towpath.clock import SystemClock

JSON = {"Accept": "application/json"}
LINTIAN = "What does the lintian command check?"
HARBOUR = "When does the harbour office open?"
UNKNOWN = "Which opera did the zebra conduct on Jupiter?"

MANUAL = b"""# Building packages

The lintian command checks a Debian package for bugs and violations of the policy. Run it after every build.

# Uploading

The dput command uploads the package to the archive. It reads the file `.changes`.
"""
NOTICE = b"""# Harbour notice

The harbour office opens at 07:30 on weekdays. The crane may lift 12 tonnes.
"""


@pytest.fixture
async def server() -> AsyncGenerator[OpenAIEmulator]:
    async with OpenAIEmulator() as emulator:
        yield emulator


def _settings(server: OpenAIEmulator, **more: Any) -> dict[str, Any]:
    return {"answerer": "openai", "openai_api_key": server.key, "openai_base_url": server.base_url, **more}


@asynccontextmanager
async def _library(data: Path, **settings: Any) -> AsyncGenerator[tuple[ApiClient, dict[str, str]]]:
    """A client of a library with a manual and a notice, and the ids of both."""
    async with open_api_client(data, in_threads=True, **settings) as client:
        ids: dict[str, str] = {}
        for name, body in (("manual.md", MANUAL), ("notice.md", NOTICE)):
            ids[name] = (await client.upload(name, body))["id"]
            assert (await client.wait_until_finished(ids[name]))["status"] == "COMPLETED"
        yield client, ids


async def _ask(client: ApiClient, question: str, **scope: Any) -> Any:
    return await client.post("/ask", json={"question": question, **scope}, headers=JSON)


async def _require_verified(client: ApiClient, answer: Any) -> None:
    """Every citation names a chunk of the named document whose text has the quoted words at the offsets."""
    assert answer["sentences"], answer
    for sentence in answer["sentences"]:
        assert sentence["citations"], sentence
        for citation in sentence["citations"]:
            chunks = await client.get(f"/documents/{citation['document_id']}/chunks")
            [text] = [chunk["text"] for chunk in chunks if chunk["id"] == citation["chunk_id"]]
            assert citation["quote"] in text
            assert text[citation["start"] : citation["end"]] == citation["quote"]


def _events(body: str) -> list[tuple[str, Any]]:
    events: list[tuple[str, Any]] = []
    for block in body.strip().split("\n\n"):
        name, data = block.split("\n", 1)
        events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events


async def test_every_citation_points_to_a_passage_with_the_quoted_words(
    server: OpenAIEmulator, tmp_path: Path
) -> None:
    async with _library(tmp_path / "data", **_settings(server)) as (client, ids):
        answer = await _ask(client, LINTIAN)
        await _require_verified(client, answer)
        assert answer["status"] == "answered"
        assert answer["answered_by"] == "model"
        assert answer["sentences"][0]["citations"][0]["document_id"] == ids["manual.md"]
        assert "violations of the policy" in answer["sentences"][0]["text"]
        assert answer["cost"] > 0
        assert answer["message"] is None


async def test_a_question_without_an_answer_in_the_library_is_not_found(
    server: OpenAIEmulator, tmp_path: Path
) -> None:
    async with _library(tmp_path / "data", **_settings(server)) as (client, _):
        answer = await _ask(client, UNKNOWN)
        assert answer["status"] == "not_found"
        assert answer["sentences"] == []
        assert answer["message"].startswith("Not found")


async def test_an_empty_library_is_not_found_and_nothing_is_paid(
    server: OpenAIEmulator, tmp_path: Path
) -> None:
    async with open_api_client(tmp_path / "data", in_threads=True, **_settings(server)) as client:
        assert (await _ask(client, LINTIAN))["status"] == "not_found"
    assert server.bill.operations == 0


async def test_the_same_question_is_billed_once_also_after_a_restart(
    server: OpenAIEmulator, tmp_path: Path
) -> None:
    async with _library(tmp_path / "data", **_settings(server)) as (client, _):
        first = await _ask(client, LINTIAN)
        second = await _ask(client, f"  {LINTIAN}\n")
    async with open_api_client(tmp_path / "data", in_threads=True, **_settings(server)) as client:
        third = await _ask(client, LINTIAN)
        assert server.bill.operations == server.count("chat") == 1
        assert [answer["cached"] for answer in (first, second, third)] == [False, True, True]
        assert [answer["cost"] for answer in (second, third)] == [0, 0]
        assert first["sentences"] == second["sentences"] == third["sentences"]
        await _require_verified(client, third)
        # The ledger has the price, and that two answers were reused
        [provider] = [p for p in (await client.get("/operations"))["providers"] if p["provider"] == "openai"]
        assert provider["made"] == 1
        assert provider["reused"] == 2
        assert provider["cost"] == pytest.approx(first["cost"])


async def test_questions_at_the_same_time_are_billed_once(server: OpenAIEmulator, tmp_path: Path) -> None:
    async with _library(tmp_path / "data", **_settings(server)) as (client, _):
        server.faults.add(Fault("chat", "slow", seconds=0.3))
        answers = await asyncio.gather(*(_ask(client, LINTIAN) for _ in range(5)))
        assert server.bill.operations == 1
        assert sum(answer["cost"] > 0 for answer in answers) == 1
        assert all(answer["sentences"] == answers[0]["sentences"] for answer in answers)


async def test_other_passages_are_another_question(server: OpenAIEmulator, tmp_path: Path) -> None:
    async with _library(tmp_path / "data", **_settings(server)) as (client, _):
        await _ask(client, LINTIAN)
        more = await client.upload("more.md", b"The lintian command checks source packages too.")
        await client.wait_until_finished(more["id"])
        assert (await _ask(client, LINTIAN))["cached"] is False
        assert server.bill.operations == 2


async def test_the_answer_is_streamed_sentence_by_sentence(server: OpenAIEmulator, tmp_path: Path) -> None:
    async with _library(tmp_path / "data", **_settings(server)) as (client, _):
        response = await client.http.post("/ask", json={"question": LINTIAN})
        assert response.headers["content-type"].startswith("text/event-stream")
        names = [name for name, _ in _events(response.text)]
        assert names[0] == "passages"
        assert names[-1] == "done"
        assert set(names[1:-1]) == {"sentence"}
        whole = await _ask(client, LINTIAN)
        assert [data for name, data in _events(response.text) if name == "sentence"] == whole["sentences"]


async def test_a_server_without_streams_is_understood(server: OpenAIEmulator, tmp_path: Path) -> None:
    server.faults.add(Fault("chat", "whole"))
    async with _library(tmp_path / "data", **_settings(server)) as (client, _):
        await _require_verified(client, await _ask(client, LINTIAN))


async def test_invented_citations_are_left_out(server: OpenAIEmulator, tmp_path: Path) -> None:
    server.faults.add(Fault("chat", "invent", times=-1))
    async with _library(tmp_path / "data", **_settings(server)) as (client, _):
        answer = await _ask(client, LINTIAN)
        await _require_verified(client, answer)
        assert answer["left_out"] == 2
        unknown = await _ask(client, "Which painter restored the harbour of Atlantis in winter?")
        assert unknown["passages"]
        assert unknown["status"] == "not_found"
        assert unknown["sentences"] == []
        assert unknown["left_out"] == 2


async def test_a_question_is_about_one_document_or_a_filter(server: OpenAIEmulator, tmp_path: Path) -> None:
    async with _library(tmp_path / "data", **_settings(server)) as (client, ids):
        one = await _ask(client, HARBOUR, document_id=ids["notice.md"])
        await _require_verified(client, one)
        assert {passage["document_id"] for passage in one["passages"]} == {ids["notice.md"]}
        # The cost belongs to the document
        assert (await client.get(f"/documents/{ids['notice.md']}/costs"))["cost"] == pytest.approx(
            one["cost"]
        )
        other = await _ask(client, HARBOUR, document_id=ids["manual.md"])
        assert other["status"] == "not_found"
        assert (await _ask(client, HARBOUR, kind="call"))["passages"] == []
        assert (await _ask(client, HARBOUR, created_before="2001-01-01T00:00:00"))["passages"] == []
        assert (await _ask(client, HARBOUR, media_types=["text/markdown"]))["status"] == "answered"
        missing = await client.http.post(
            "/ask", json={"question": HARBOUR, "document_id": "00000000-0000-7000-8000-00000000abcd"}
        )
        assert missing.status_code == 404


async def test_without_a_chat_model_the_best_passages_are_the_answer(tmp_path: Path) -> None:
    async with _library(tmp_path / "data") as (client, ids):
        answer = await _ask(client, LINTIAN)
        await _require_verified(client, answer)
        assert answer["answered_by"] == "passages"
        assert answer["model"] is None
        assert "No chat model" in answer["message"]
        assert answer["sentences"][0]["citations"][0]["document_id"] == ids["manual.md"]
        assert "lintian command checks" in answer["sentences"][0]["text"]
        assert (await _ask(client, UNKNOWN))["status"] == "not_found"


@pytest.mark.parametrize(
    ("fault", "status", "problem"),
    [
        (Fault("chat", "status", status=500), 502, "provider-failed"),
        (Fault("chat", "status", status=401), 502, "provider-refused"),
        (Fault("chat", "status", status=429, retry_after=7.0), 503, "provider-throttled"),
        (Fault("chat", "status", status=404), 502, "provider-refused"),
        (Fault("chat", "drop"), 502, "provider-failed"),
        (Fault("chat", "cut"), 502, "provider-failed"),
        (Fault("chat", "hang"), 504, "answer-timeout"),
        (Fault("chat", "refuse"), 422, "question-rejected"),
    ],
    ids=lambda value: f"{value.kind} {value.status}" if isinstance(value, Fault) else None,
)
async def test_an_error_of_the_provider_is_a_problem_and_nothing_hangs(
    server: OpenAIEmulator, tmp_path: Path, fault: Fault, status: int, problem: str
) -> None:
    # Only a provider that never answers reaches the time limit
    settings = _settings(server, answer_timeout_seconds=1.5 if fault.kind == "hang" else 120.0)
    async with _library(tmp_path / "data", **settings) as (client, _):
        server.faults.add(fault)
        response = await client.http.post("/ask", json={"question": LINTIAN}, headers=JSON)
        assert response.status_code == status, response.text
        assert response.json()["type"] == f"urn:towpath:{problem}"
        if problem == "provider-throttled":
            assert response.headers["retry-after"] == "7"
        # The stream ends with the same problem
        server.faults.clear()
        server.faults.add(Fault("chat", fault.kind, status=fault.status, retry_after=fault.retry_after))
        events = _events((await client.http.post("/ask", json={"question": HARBOUR})).text)
        assert events[-1][0] == "error"
        assert events[-1][1]["type"].startswith("urn:towpath:")


async def test_after_an_error_the_question_can_be_asked_again(server: OpenAIEmulator, tmp_path: Path) -> None:
    async with _library(tmp_path / "data", **_settings(server)) as (client, _):
        for fault in (Fault("chat", "status", status=500), Fault("chat", "cut")):
            server.faults.add(fault)
            failed = await client.http.post("/ask", json={"question": LINTIAN}, headers=JSON)
            assert failed.status_code == 502
        await _require_verified(client, await _ask(client, LINTIAN))
        # The answer that was lost may have been paid for: that is recorded
        [provider] = [p for p in (await client.get("/operations"))["providers"] if p["provider"] == "openai"]
        assert provider["repeated"] == 1


async def test_an_answer_is_stored_although_nobody_waits_for_it(
    server: OpenAIEmulator, tmp_path: Path
) -> None:
    async with _library(tmp_path / "data", **_settings(server)) as (client, _):
        server.faults.add(Fault("chat", "slow", seconds=1.0))
        request = asyncio.create_task(_ask(client, LINTIAN))

        async def is_sent() -> bool:
            return server.count("chat") == 1

        await async_wait_until(is_sent, "the call to be sent")
        request.cancel()
        await asyncio.gather(request, return_exceptions=True)
        assert request.cancelled()
        assert (await _ask(client, LINTIAN))["cached"] is True
        assert server.bill.operations == 1


@pytest.mark.parametrize(
    "body",
    [{}, {"question": ""}, {"question": " ?! "}, {"question": "a" * 4001}, {"question": "a", "tag": "b"}],
    ids=["missing", "empty", "no words", "too long", "unknown field"],
)
async def test_an_invalid_question_is_a_problem(client: ApiClient, body: dict[str, str]) -> None:
    response = await client.http.post("/ask", json=body, headers=JSON)
    assert response.status_code == 422
    assert response.json()["type"] == "urn:towpath:invalid-request"


async def test_a_key_with_the_scope_read_asks_its_own_organization_only(
    server: OpenAIEmulator, tmp_path: Path
) -> None:
    async with open_api_client(tmp_path / "data", in_threads=True, **_settings(server)) as client:
        headers: dict[str, dict[str, str]] = {}
        for organization, scopes in (("ann", {Scope.READ, Scope.WRITE}), ("bob", {Scope.READ, Scope.WRITE})):
            for name, chosen in (("all", frozenset(scopes)), ("reader", frozenset({Scope.READ}))):
                new = NewKey(f"{organization} {name}", chosen)
                _, secret = await client.runtime.services.keys.create(organization, new, SystemClock().now())
                headers[new.name] = {"Authorization": f"Bearer {secret}"}
        answers: dict[str, Any] = {}
        for organization in ("ann", "bob"):
            client.http.headers = headers[f"{organization} all"]
            document = await client.upload("manual.md", MANUAL + organization.encode())
            await client.wait_until_finished(document["id"])
            client.http.headers = headers[f"{organization} reader"]
            answers[organization] = await _ask(client, LINTIAN)
            passages = answers[organization]["passages"]
            assert {passage["document_id"] for passage in passages} == {document["id"]}
        assert [answer["cached"] for answer in answers.values()] == [False, False]
        assert server.bill.operations == 2
        # Another organization's document is unknown
        other = answers["ann"]["passages"][0]["document_id"]
        response = await client.http.post("/ask", json={"question": LINTIAN, "document_id": other})
        assert response.status_code == 404
