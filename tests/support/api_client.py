"""A client of the API of a runtime that runs inside the test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx

from tests.support.databases import put_migrated_sqlite
from tests.support.thread_pool import IN_THREADS
from tests.support.timeouts import WAIT_SECONDS
from towpath import bootstrap
from towpath.bootstrap import Overrides
from towpath.config import Settings
from towpath.server.app import create_app


@dataclass(frozen=True, slots=True)
class ApiClient:
    http: httpx.AsyncClient
    runtime: bootstrap.Runtime

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

    async def wait_until_finished(self, document_id: str) -> Any:
        """Wait until no job of the document is active; return its status."""

        async def settled() -> Any:
            while True:
                status = await self.get(f"/documents/{document_id}/status")
                live = any(stage["status"] in ("PENDING", "PROCESSING") for stage in status["stages"])
                if status["poll_after_ms"] is None and not live:
                    return status
                await asyncio.sleep(0.1)

        return await asyncio.wait_for(settled(), WAIT_SECONDS)

    async def chunk_ids(self, document_id: str) -> list[str]:
        return [chunk["id"] for chunk in await self.get(f"/documents/{document_id}/chunks", limit=1000)]

    def blobs(self) -> set[str]:
        root = self.runtime.settings.data / "blobs"
        return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


@asynccontextmanager
async def open_api_client(
    data: Path, *, with_worker: bool = True, in_threads: bool = False, **settings: Any
) -> AsyncGenerator[ApiClient]:
    """Open a runtime. Files are read in child processes, or ``in_threads`` of the test, which is much faster."""
    chosen = replace(Settings(data=data, backoff_scale=0.0, embedder="fast"), **settings)
    if chosen.embedded:
        put_migrated_sqlite(data)
    overrides = IN_THREADS if in_threads else Overrides()
    async with bootstrap.open_runtime(chosen, with_worker=with_worker, overrides=overrides) as runtime:
        transport = httpx.ASGITransport(create_app(runtime.services, None), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as http:
            yield ApiClient(http, runtime)
