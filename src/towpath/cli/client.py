"""How commands reach Towpath: the server that owns the folder, or the same program opened in this process."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from towpath import app
from towpath.config import Settings
from towpath.errors import NotFound, UserError
from towpath.folder import running_server
from towpath.server.api import create_app


class Api:
    """The HTTP API with problem details turned into errors that print as sentences."""

    def __init__(self, http: httpx.AsyncClient, *, works_itself: bool) -> None:
        self.http = http
        self.works_itself = works_itself

    async def get(self, path: str, **parameters: Any) -> Any:
        given = {name: value for name, value in parameters.items() if value is not None}
        return checked(await self.http.get(path, params=given)).json()

    async def text(self, path: str, **parameters: Any) -> str:
        return checked(await self.http.get(path, params=parameters)).text

    async def post(self, path: str, **body: Any) -> Any:
        return checked(await self.http.post(path, **body)).json()

    async def delete(self, path: str) -> None:
        checked(await self.http.delete(path))


def checked(response: httpx.Response) -> httpx.Response:
    if response.is_success:
        return response
    try:
        problem = response.json()
        sentence = f"{problem['detail']} {problem['action']}"
    except (ValueError, KeyError):
        sentence = f"The server answered {response.status_code}."
    raise (NotFound if response.status_code == 404 else UserError)(sentence)


@asynccontextmanager
async def api(settings: Settings, *, work: bool = False) -> AsyncGenerator[Api]:
    """Talk to the running server of the folder; without one, open the folder here (and work it, if asked)."""
    key = os.environ.get("TOWPATH_API_KEY")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    url = os.environ.get("TOWPATH_URL") or (running_server(settings.data) if settings.embedded else None)
    if url:
        async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as http:
            try:
                yield Api(http, works_itself=False)
            except httpx.ConnectError as error:
                raise UserError(f"The server at {url} does not answer. Is it still starting?") from error
        return
    async with app.opened(settings, work=work) as towpath:
        transport = httpx.ASGITransport(create_app(towpath.services, None))
        base = "http://127.0.0.1"
        async with httpx.AsyncClient(
            transport=transport, base_url=base, headers=headers, timeout=None
        ) as http:
            yield Api(http, works_itself=work)
