"""Where a user stands: the API of a Towpath that runs inside the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx

from towpath import app
from towpath.config import Settings
from towpath.server.api import create_app

PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Desk:
    http: httpx.AsyncClient
    towpath: app.Towpath

    async def get(self, path: str, **parameters: Any) -> Any:
        answer = await self.http.get(path, params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, **body: Any) -> Any:
        answer = await self.http.post(path, **body)
        assert answer.is_success, answer.text
        return answer.json()

    async def upload(self, name: str, body: bytes, **headers: str) -> Any:
        return await self.post("/documents", files={"file": (name, body)}, headers=headers)

    async def finished(self, document_id: str) -> Any:
        """The status once nothing more will change by itself."""

        async def settled() -> Any:
            while True:
                status = await self.get(f"/documents/{document_id}/status")
                live = any(stage["status"] in ("PENDING", "PROCESSING") for stage in status["stages"])
                if status["poll_after_ms"] is None and not live:
                    return status
                await asyncio.sleep(0.02)

        return await asyncio.wait_for(settled(), PATIENCE)

    async def chunk_ids(self, document_id: str) -> list[str]:
        return [chunk["id"] for chunk in await self.get(f"/documents/{document_id}/chunks", limit=1000)]

    def blobs(self) -> set[str]:
        root = self.towpath.settings.data / "blobs"
        return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


@asynccontextmanager
async def opened_desk(data: Path, *, work: bool = True, **settings: Any) -> AsyncGenerator[Desk]:
    chosen = replace(Settings(data=data, backoff_scale=0.0), **settings)
    async with app.opened(chosen, work=work) as towpath:
        transport = httpx.ASGITransport(create_app(towpath.services, None), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as http:
            yield Desk(http, towpath)
