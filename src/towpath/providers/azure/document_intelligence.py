"""The Azure Document Intelligence client: one POST starts an analysis, one GET polls its result.

The official client provides the pipeline (key, user agent, proxies) through its ``send_request``.
Its typed methods are not used: they cannot stream an upload, and they lose the HTTP status of an
error whose body is not JSON, such as the error page of a gateway.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from towpath.errors import Ambiguous, ConfigError, Rejected, Transient
from towpath.model.content import Extraction
from towpath.model.provider_answer import Answer, Pending
from towpath.providers.azure import errors
from towpath.providers.azure.parse_analysis import parse_analysis
from towpath.providers.azure.prices import price_per_thousand_pages
from towpath.providers.contract import Source

if TYPE_CHECKING:
    from azure.ai.documentintelligence.aio import DocumentIntelligenceClient
    from azure.core.credentials_async import AsyncTokenCredential
    from azure.core.rest import AsyncHttpResponse

API_VERSION = "2024-11-30"
_OPERATION_ID = re.compile(r"/analyzeResults/([^/?]+)")
_OFFICE = frozenset(
    {
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "text/html",
    }
)
_PAGED = frozenset(
    {"application/pdf", "image/jpeg", "image/png", "image/bmp", "image/tiff", "image/heif", "image/heic"}
)


class DocumentIntelligence:
    """Reads documents with a prebuilt or trained model; ``prebuilt-layout`` gives markdown."""

    def __init__(
        self,
        endpoint: str,
        credential: str | AsyncTokenCredential,
        model: str = "prebuilt-layout",
        features: Sequence[str] = ("keyValuePairs",),
        *,
        by_url: bool = False,
        price_per_thousand: float | None = None,
        connect_timeout: float = 10.0,
        read_timeout: float = 60.0,
    ) -> None:
        self.provider = errors.PROVIDER
        self.model = model
        self._base = f"{endpoint.rstrip('/')}/documentintelligence/documentModels/{quote(model)}"
        self._endpoint = endpoint
        self._credential = credential
        self._options: dict[str, Any] = {
            "connection_timeout": connect_timeout,
            "read_timeout": read_timeout,
        }
        if not isinstance(credential, str):
            # A token is sent in plain text to this machine only; the SDK refuses it for every other http address.
            is_local = urlsplit(endpoint).hostname in ("127.0.0.1", "localhost", "::1")
            self._options["enforce_https"] = not is_local
        self._features = tuple(features)
        self._by_url = by_url
        self._price = (
            price_per_thousand_pages(model, features) if price_per_thousand is None else price_per_thousand
        )
        self._client: DocumentIntelligenceClient | None = None

    def accepts(self, media_type: str) -> bool:
        """Whether the model accepts this media type. Models with trained fields do not accept Office files."""
        return media_type in _PAGED or (
            media_type in _OFFICE and self.model in ("prebuilt-read", "prebuilt-layout")
        )

    def parameters(self) -> Mapping[str, str]:
        values = {
            "api-version": API_VERSION,
            "stringIndexType": "unicodeCodePoint",
            "features": ",".join(self._features),
            # Only the layout model writes markdown. The others return the plain text of the page.
            "outputContentFormat": "markdown" if self.model == "prebuilt-layout" else "text",
        }
        return {name: value for name, value in values.items() if value}

    async def start(self, source: Source) -> str:
        if source.size == 0:
            raise Rejected("empty", "The file is empty. Upload a file with content.")
        query = dict(self.parameters())
        if source.media_type in _OFFICE:
            query.pop("features", None)  # with add-ons, the service answers 400 for Office files
        upload = await self._upload(source)
        try:
            response = await self._send("POST", f"{self._base}:analyze", query, upload)
        except Transient as error:
            if upload.failure:
                raise upload.failure from error
            if upload.sent < upload.size:
                raise
            raise Ambiguous(
                f"{error} The document had been sent completely, so the analysis may be billed."
            ) from error
        if response.status_code != 202:
            raise errors.error_from_response(response.status_code, response.headers, response.content)
        operation = _OPERATION_ID.search(response.headers.get("Operation-Location", ""))
        if operation is None:
            raise Ambiguous("Document Intelligence accepted the document but returned no operation id.")
        return operation[1]

    async def poll(self, operation: str) -> Pending | Answer:
        response = await self._send("GET", self._result_url(operation), {"api-version": API_VERSION})
        if response.status_code == 404:
            raise errors.expired_operation(operation)
        if response.status_code != 200:
            raise errors.error_from_response(response.status_code, response.headers, response.content)
        try:
            state: Any = json.loads(response.content)
        except ValueError as error:
            raise Transient("The answer of Document Intelligence is not JSON.") from error
        if state["status"] == "succeeded":
            pages = len(state["analyzeResult"].get("pages") or [])
            return Answer(response.content, {"pages": float(pages)}, pages * self._price / 1000)
        if state["status"] in ("failed", "canceled", "skipped"):
            raise errors.from_failed_analysis(state["status"], state.get("error"))
        return Pending(errors.retry_after(response.headers))

    async def delete_remote_copy(self, operation: str) -> None:
        response = await self._send("DELETE", self._result_url(operation), {"api-version": API_VERSION})
        if response.status_code not in (204, 404):
            raise errors.error_from_response(response.status_code, response.headers, response.content)

    async def probe(self) -> None:
        """Get the description of the model, which is free, to verify endpoint, key and model."""
        response = await self._send("GET", self._base, {"api-version": API_VERSION})
        if response.status_code != 200:
            raise errors.error_from_response(response.status_code, response.headers, response.content)

    def read(self, answer: bytes) -> Extraction:
        return parse_analysis(answer)

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None
        if not isinstance(self._credential, str):
            await self._credential.close()

    def _result_url(self, operation: str) -> str:
        # Built from the settings, never from a stored URL: the request carries the key.
        return f"{self._base}/analyzeResults/{quote(operation, safe='')}"

    async def _upload(self, source: Source) -> _Upload:
        if self._by_url and (url := await source.signed_url()):
            body = json.dumps({"urlSource": url}).encode()
            return _Upload(_single(body), len(body), "application/json")
        return _Upload(source.stream(), source.size, "application/octet-stream")

    async def _send(
        self, method: str, url: str, query: Mapping[str, str], upload: _Upload | None = None
    ) -> AsyncHttpResponse:
        client = self._connected()
        from azure.core.exceptions import AzureError, ClientAuthenticationError
        from azure.core.rest import HttpRequest

        headers = {"Content-Type": upload.media_type, "Content-Length": str(upload.size)} if upload else {}
        content = upload.stream() if upload else None
        request = HttpRequest(method, url, params=dict(query), headers=headers, content=content)
        try:
            return await client.send_request(request, **self._options)
        except ClientAuthenticationError as error:
            raise errors.no_token(error.message) from error
        except AzureError as error:
            raise Transient(f"Document Intelligence at {self._endpoint} did not answer ({error}).") from error

    def _connected(self) -> DocumentIntelligenceClient:
        if self._client is None:
            try:
                import aiohttp
                from azure.ai.documentintelligence.aio import DocumentIntelligenceClient
                from azure.core.credentials import AzureKeyCredential
                from azure.core.pipeline.transport import AioHttpTransport
            except ImportError as error:
                raise ConfigError(
                    "Reading documents with Azure needs more packages: pip install 'towpath[azure]'"
                ) from error
            # A new connection for each request: if the server closes a kept-alive connection during
            # a POST, it is unknown whether it received the document.
            session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(force_close=True),
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=True,
                auto_decompress=False,
            )
            self._client = DocumentIntelligenceClient(
                self._endpoint,
                AzureKeyCredential(self._credential)
                if isinstance(self._credential, str)
                else self._credential,
                api_version=API_VERSION,
                transport=AioHttpTransport(session=session),
                retry_total=0,  # the default repeats a billed POST after 500, 503 and 504
            )
        return self._client


class _Upload:
    """A request body: counts the bytes sent and keeps the error if reading the file failed."""

    def __init__(self, chunks: AsyncIterator[bytes], size: int, media_type: str) -> None:
        self.size = size
        self.media_type = media_type
        self.sent = 0
        self.failure: Exception | None = None
        self._chunks = chunks

    async def stream(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._chunks:
                self.sent += len(chunk)
                yield chunk
            if self.sent != self.size:
                raise Transient(f"The stored file has {self.sent} bytes; {self.size} bytes were expected.")
        except Exception as error:
            self.failure = error
            raise


async def _single(body: bytes) -> AsyncIterator[bytes]:
    yield body
