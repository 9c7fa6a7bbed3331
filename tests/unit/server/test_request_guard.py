"""What a request is answered that the server ends because it stops."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import cast

import pytest
from starlette.types import Message, Receive, Scope, Send

from towpath.clock import SystemClock
from towpath.server.deps import Services
from towpath.server.request_guard import RequestGuard
from towpath.server.request_limits import RequestPolicy

SCOPE: Scope = {
    "type": "http",
    "method": "GET",
    "path": "/search",
    "headers": [(b"host", b"localhost")],
    "client": ("127.0.0.1", 1),
}


async def _no_body() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _cancelled_request(*sent_before: Message) -> list[Message]:
    """The messages of the response of a request that is cancelled after it sent these."""
    sent: list[Message] = []
    working = asyncio.Event()

    async def app(_scope: Scope, _receive: Receive, send: Send) -> None:
        for message in sent_before:
            await send(message)
        working.set()
        await asyncio.Event().wait()

    async def send(message: Message) -> None:
        sent.append(message)

    services = SimpleNamespace(request_policy=RequestPolicy(), clock=SystemClock(), key_required=False)
    guard = RequestGuard(app, cast("Services", services))
    request = asyncio.create_task(guard(dict(SCOPE), _no_body, send))
    await working.wait()
    request.cancel()
    with pytest.raises(asyncio.CancelledError):
        await request
    return sent


async def test_a_request_that_is_ended_by_the_stop_of_the_server_may_be_tried_again() -> None:
    start, body = await _cancelled_request()
    assert start["status"] == 503
    assert (b"retry-after", b"5") in start["headers"]
    assert json.loads(body["body"])["type"] == "urn:towpath:server-stopping"


async def test_a_response_that_has_begun_gets_no_second_one() -> None:
    begun: Message = {"type": "http.response.start", "status": 200, "headers": []}
    assert [message["status"] for message in await _cancelled_request(begun)] == [200]
