"""The asynchronous Python client of the API: upload, wait, search, ask and read documents."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Literal, Self, cast
from urllib.parse import quote

import httpx

from towpath.client.errors import ConnectionFailed, check_response
from towpath.client.types import (
    Answer,
    Document,
    DocumentPage,
    Field,
    Search,
    Status,
    Transcript,
    Upload,
    Version,
    VersionDiff,
)
from towpath.client.upload_source import OnUpload, Source, open_source

FINAL_STATUSES = frozenset({"COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"})
#: Ids per status request.
STATUS_BATCH = 200


class AsyncClient:
    """A client of one server. Use it as a context manager, or call `aclose`."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        key: str | None = None,
        *,
        timeout: float = 60.0,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """``key``: an API key; without it the environment variable TOWPATH_API_KEY, if it is set.

        ``timeout``: seconds without any byte from the server. ``http`` replaces the whole connection.
        """
        secret = key or os.environ.get("TOWPATH_API_KEY")
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        self.http = http or httpx.AsyncClient(base_url=url, headers=headers, timeout=timeout)

    async def upload(
        self,
        source: Source,
        *,
        name: str | None = None,
        idempotency_key: str | None = None,
        on_progress: OnUpload | None = None,
        collection: str | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, object] | None = None,
        pipeline: str | None = None,
        key: str | None = None,
    ) -> Upload:
        """Upload a file, given by its path, as bytes or open for reading. It is processed in the background.

        ``on_progress`` is called with the bytes sent and the size. Bytes that the library has are not stored again:
        the answer is then the known document, with `duplicate`. New bytes under the same ``key`` are the next version
        of the document with this key.
        """
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else None
        given = {
            "collection": collection,
            "tags": list(tags),
            "metadata": json.dumps(dict(metadata)) if metadata else None,
            "pipeline": pipeline,
            "key": key,
        }
        form = {part: value for part, value in given.items() if value}
        with open_source(source, name, on_progress) as (file_name, file):
            return await self.post(
                "/documents", files={"file": (file_name, file)}, data=form, headers=headers
            )

    async def wait(
        self,
        document_id: str,
        *,
        timeout: float | None = None,
        on_status: Callable[[Status], None] | None = None,
    ) -> Status:
        """Wait until the document's run has ended, and return its status, such as COMPLETED or FAILED.

        Raises TimeoutError after ``timeout`` seconds. ``on_status`` is called with every status on the way.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            status = await self.status(document_id)
            if on_status is not None:
                on_status(status)
            if status["poll_after_ms"] is None and status["status"] in FINAL_STATUSES:
                return status
            pause = (status["poll_after_ms"] or 500) / 2000
            if deadline is not None and time.monotonic() + pause > deadline:
                raise TimeoutError(
                    f"The document {document_id} is {status['status']} after {timeout:g} seconds."
                )
            await asyncio.sleep(pause)

    async def status(self, document_id: str) -> Status:
        return await self.get(f"/documents/{_id(document_id)}/status")

    async def statuses(self, document_ids: Sequence[str]) -> list[Status]:
        """The statuses of many documents; deleted ones are left out."""
        found: list[Status] = []
        for start in range(0, len(document_ids), STATUS_BATCH):
            found += await self.get(
                "/documents/status", ids=",".join(document_ids[start : start + STATUS_BATCH])
            )
        return found

    async def documents(
        self,
        *,
        status: str | None = None,
        kind: Literal["document", "call"] | None = None,
        name: str | None = None,
        page_size: int = 200,
    ) -> AsyncIterator[Document]:
        """All documents, newest first, read page by page. ``name``: part of the name."""
        cursor: str | None = None
        while True:
            page = cast(
                "DocumentPage",
                await self.get(
                    "/documents", status=status, kind=kind, q=name, cursor=cursor, limit=page_size
                ),
            )
            for document in page["documents"]:
                yield document
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def document(self, document_id: str) -> Document:
        return await self.get(f"/documents/{_id(document_id)}")

    async def delete(self, document_id: str) -> None:
        check_response(await self.send("DELETE", f"/documents/{_id(document_id)}"))

    async def content(self, document_id: str, *, version: int | None = None) -> str:
        """The document's text as markdown, also of an earlier version."""
        number = {} if version is None else {"version": version}
        return await self.text(f"/documents/{_id(document_id)}/content", **number)

    async def versions(self, document_id: str) -> list[Version]:
        """The versions of a document, newest first."""
        return await self.get(f"/documents/{_id(document_id)}/versions")

    async def diff(self, document_id: str, old: int, new: int) -> VersionDiff:
        """The difference of the texts of two versions."""
        return await self.get(f"/documents/{_id(document_id)}/diff", **{"from": old, "to": new})

    async def fields(self, document_id: str) -> list[Field]:
        return await self.get(f"/documents/{_id(document_id)}/fields")

    async def transcript(self, document_id: str) -> Transcript:
        """The transcript of a call."""
        return await self.get(f"/documents/{_id(document_id)}/transcript")

    async def subtitles(self, document_id: str, format: Literal["srt", "vtt", "text"] = "srt") -> str:
        return await self.text(f"/documents/{_id(document_id)}/transcript", format=format)

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        offset: int = 0,
        mode: Literal["hybrid", "text", "vector"] | None = None,
        kind: Literal["document", "call"] | None = None,
        document_id: str | None = None,
        **filters: str | int | bool,
    ) -> Search:
        """The best passages. ``filters``: the other parameters of `GET /search`, such as ``language``."""
        return await self.get(
            "/search",
            q=query,
            limit=limit,
            offset=offset or None,
            mode=mode,
            kind=kind,
            document_id=document_id,
            **filters,
        )

    async def ask(self, question: str, *, document_id: str | None = None) -> Answer:
        """An answer from the documents, each sentence with its citations."""
        body: dict[str, Any] = {"question": question, "stream": False}
        if document_id is not None:
            body["document_id"] = document_id
        return await self.post("/ask", json=body)

    async def get(self, path: str, **parameters: Any) -> Any:
        """The JSON of any other path of the API."""
        query = {name: value for name, value in parameters.items() if value is not None}
        return check_response(await self.send("GET", path, params=query)).json()

    async def text(self, path: str, **parameters: Any) -> str:
        return check_response(await self.send("GET", path, params=parameters)).text

    async def post(self, path: str, **body: Any) -> Any:
        return check_response(await self.send("POST", path, **body)).json()

    async def send(self, method: str, path: str, **request: Any) -> httpx.Response:
        async with connection_errors(str(self.http.base_url).rstrip("/")):
            return await self.http.request(method, path, **request)

    async def aclose(self) -> None:
        await self.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()


def _id(document_id: str) -> str:
    return quote(document_id, safe="")


@asynccontextmanager
async def connection_errors(url: str) -> AsyncGenerator[None]:
    """Raise ConnectionFailed, with a sentence, for errors of the connection to this server."""
    try:
        yield
    except httpx.ConnectError as error:
        raise ConnectionFailed(
            f"No server answers at {url}. Check the address. If the server is starting or stopping, try again."
        ) from error
    except httpx.TransportError as error:
        raise ConnectionFailed(f"The connection to {url} failed: {error or type(error).__name__}.") from error
