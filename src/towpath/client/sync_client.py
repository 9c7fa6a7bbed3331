"""The blocking client: `AsyncClient` on an event loop in a thread of its own, so that it also works in a notebook."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from towpath.client.async_client import AsyncClient
from towpath.client.types import (
    Answer,
    Document,
    Field,
    Search,
    Status,
    Transcript,
    Upload,
    Version,
    VersionDiff,
)
from towpath.client.upload_source import OnUpload, Source

T = TypeVar("T")


class Client:
    """A client of one server. Use it as a context manager, or call `close`. The methods are those of `AsyncClient`."""

    def __init__(
        self, url: str = "http://127.0.0.1:8000", key: str | None = None, *, timeout: float = 60.0
    ) -> None:
        """``key``: an API key; without it the environment variable TOWPATH_API_KEY, if it is set."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="towpath-client", daemon=True)
        self._thread.start()
        self._client = AsyncClient(url, key, timeout=timeout)

    def upload(
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

        New bytes under the same ``key`` are the next version of the document with this key.
        """
        return self._run(
            self._client.upload(
                source,
                name=name,
                idempotency_key=idempotency_key,
                on_progress=on_progress,
                collection=collection,
                tags=tags,
                metadata=metadata,
                pipeline=pipeline,
                key=key,
            )
        )

    def wait(
        self,
        document_id: str,
        *,
        timeout: float | None = None,
        on_status: Callable[[Status], None] | None = None,
    ) -> Status:
        """Wait until the document's run has ended, and return its status. Raises TimeoutError after ``timeout`` s."""
        return self._run(self._client.wait(document_id, timeout=timeout, on_status=on_status))

    def status(self, document_id: str) -> Status:
        return self._run(self._client.status(document_id))

    def statuses(self, document_ids: Sequence[str]) -> list[Status]:
        return self._run(self._client.statuses(document_ids))

    def documents(
        self,
        *,
        status: str | None = None,
        kind: Literal["document", "call"] | None = None,
        name: str | None = None,
        page_size: int = 200,
    ) -> Iterator[Document]:
        """All documents, newest first, read page by page."""
        documents = self._client.documents(status=status, kind=kind, name=name, page_size=page_size)

        async def following() -> Document | None:
            return await anext(documents, None)

        while (document := self._run(following())) is not None:
            yield document

    def document(self, document_id: str) -> Document:
        return self._run(self._client.document(document_id))

    def delete(self, document_id: str) -> None:
        self._run(self._client.delete(document_id))

    def content(self, document_id: str, *, version: int | None = None) -> str:
        """The document's text as markdown, also of an earlier version."""
        return self._run(self._client.content(document_id, version=version))

    def versions(self, document_id: str) -> list[Version]:
        """The versions of a document, newest first."""
        return self._run(self._client.versions(document_id))

    def diff(self, document_id: str, old: int, new: int) -> VersionDiff:
        """The difference of the texts of two versions."""
        return self._run(self._client.diff(document_id, old, new))

    def fields(self, document_id: str) -> list[Field]:
        return self._run(self._client.fields(document_id))

    def transcript(self, document_id: str) -> Transcript:
        """The transcript of a call."""
        return self._run(self._client.transcript(document_id))

    def subtitles(self, document_id: str, format: Literal["srt", "vtt", "text"] = "srt") -> str:
        return self._run(self._client.subtitles(document_id, format))

    def search(
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
        return self._run(
            self._client.search(
                query, limit=limit, offset=offset, mode=mode, kind=kind, document_id=document_id, **filters
            )
        )

    def ask(self, question: str, *, document_id: str | None = None) -> Answer:
        """An answer from the documents, each sentence with its citations."""
        return self._run(self._client.ask(question, document_id=document_id))

    def get(self, path: str, **parameters: Any) -> Any:
        """The JSON of any other path of the API."""
        return self._run(self._client.get(path, **parameters))

    def post(self, path: str, **body: Any) -> Any:
        return self._run(self._client.post(path, **body))

    def close(self) -> None:
        if self._loop.is_closed():
            return
        self._run(self._client.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _run(self, request: Coroutine[Any, Any, T]) -> T:
        future = asyncio.run_coroutine_threadsafe(request, self._loop)
        try:
            return future.result()
        except BaseException:
            # Ctrl-C: end the request too.
            future.cancel()
            raise
