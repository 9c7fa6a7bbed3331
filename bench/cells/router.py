"""A router in front of the cells: finds the cell of an organization by the hash of the API key, and forwards requests.

It holds one table: key hash -> organization, and organization -> cell and state. While an organization is moved, its
reads go to the old cell and its writes are answered with 503 and Retry-After.
"""

from __future__ import annotations

import contextlib
import hashlib
import socket
import threading
import time
from collections.abc import Generator
from dataclasses import dataclass, field

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

READS = ("GET", "HEAD")
RETRY_SECONDS = 1
#: Headers of one connection, which are not forwarded.
_HOP_HEADERS = frozenset({"host", "connection", "content-length", "transfer-encoding", "keep-alive"})


@dataclass(slots=True)
class LookupTable:
    """In production three small tables of a database of their own, cached by every router."""

    organization_by_key: dict[str, str] = field(default_factory=dict[str, str])
    cell_by_organization: dict[str, str] = field(default_factory=dict[str, str])
    moving: set[str] = field(default_factory=set[str])

    def add_key(self, secret: str, organization: str) -> None:
        self.organization_by_key[_hash(secret)] = organization

    def organization(self, authorization: str) -> str | None:
        return self.organization_by_key.get(_hash(authorization.removeprefix("Bearer ")))


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def create_router(table: LookupTable) -> Starlette:
    client = httpx.AsyncClient(timeout=60)

    async def forward(request: Request) -> Response:
        organization = table.organization(request.headers.get("authorization", ""))
        if organization is None:
            return JSONResponse({"type": "unauthorized", "title": "This API key is not known."}, 401)
        if organization in table.moving and request.method not in READS:
            body = {"type": "moving", "title": "This organization is being moved. Try again in a moment."}
            return JSONResponse(body, 503, {"Retry-After": str(RETRY_SECONDS)})
        url = f"{table.cell_by_organization[organization]}{request.url.path}"
        answer = await client.request(
            request.method,
            url if not request.url.query else f"{url}?{request.url.query}",
            headers={name: value for name, value in request.headers.items() if name not in _HOP_HEADERS},
            content=await request.body(),
        )
        kept = {
            name: value
            for name, value in answer.headers.items()
            if name not in _HOP_HEADERS and name != "content-encoding"
        }
        return Response(answer.content, answer.status_code, kept)

    methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
    return Starlette(routes=[Route("/{path:path}", forward, methods=methods)])


@contextlib.contextmanager
def running_router(table: LookupTable) -> Generator[str]:
    """The address of a router that runs in a thread of this process."""
    with contextlib.closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(create_router(table), log_level="warning"))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
