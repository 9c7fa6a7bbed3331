"""The HTTP client for SpeechKit: sends the API key, never retries, translates errors."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from towpath.errors import Ambiguous, Transient
from towpath.providers.yandex import errors

if TYPE_CHECKING:
    from httpx import AsyncClient, Response

STT_URL = "https://stt.api.cloud.yandex.net"
OPERATIONS_URL = "https://operation.api.cloud.yandex.net"
TRANSCRIBE_URL = "https://transcribe.api.cloud.yandex.net"

#: Time in seconds to connect; the time for an answer is a setting.
CONNECT_SECONDS = 10.0

AUDIO_TYPES = {
    "audio/ogg": "OGG_OPUS",
    "audio/opus": "OGG_OPUS",
    "audio/mpeg": "MP3",
    "audio/wav": "WAV",
    "audio/x-wav": "WAV",
}


class HttpClient:
    """An HTTP client that authenticates with the API key of a service account."""

    def __init__(self, api_key: str, folder_id: str | None, timeout: float) -> None:
        self._headers = {"Authorization": f"Api-Key {api_key}"}
        if folder_id:
            self._headers["x-folder-id"] = folder_id
        self._timeout = timeout
        self._client: AsyncClient | None = None

    async def request_free(self, method: str, url: str, query: Mapping[str, str] | None = None) -> Response:
        """Send a request that is not billed and may be repeated."""
        import httpx

        try:
            return await self._connected().request(method, url, params=query)
        except httpx.HTTPError as error:
            raise Transient(f"SpeechKit did not answer ({type(error).__name__}).") from error

    async def post_paid(self, url: str, body: AsyncIterator[bytes], size: int) -> Response:
        """Send a billed request once. Raises Ambiguous if it may have been received without an answer."""
        import httpx

        headers = {"Content-Type": "application/json", "Content-Length": str(size)}
        try:
            return await self._connected().post(url, content=body, headers=headers)
        except (
            httpx.ConnectError,
            httpx.ConnectTimeout,
            httpx.PoolTimeout,
            httpx.WriteError,
            httpx.WriteTimeout,
        ) as error:
            raise Transient(f"SpeechKit could not be reached ({type(error).__name__}).") from error
        except httpx.HTTPError as error:
            raise Ambiguous(
                f"SpeechKit did not answer ({type(error).__name__}). The recording had been sent completely,"
                " so its recognition may be billed."
            ) from error

    async def operation(self, base_url: str, operation: str) -> dict[str, Any]:
        """The state of a long-running operation. A failed operation raises the translated error."""
        response = await self.request_free("GET", f"{base_url}/operations/{quote(operation, safe='')}")
        if response.status_code == 404:
            raise errors.expired_operation(operation)
        state = parse_json(response)
        if state.get("error"):
            raise errors.from_failed_operation(state["error"])
        return state

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _connected(self) -> AsyncClient:
        import httpx

        if self._client is None:
            # A new connection for each request: if the server closes a kept-alive connection during
            # a POST, it is unknown whether it received the recording.
            self._client = httpx.AsyncClient(
                headers=self._headers,
                limits=httpx.Limits(max_keepalive_connections=0),
                timeout=httpx.Timeout(self._timeout, connect=CONNECT_SECONDS),
            )
        return self._client


def parse_json(response: Response) -> dict[str, Any]:
    """The JSON of a successful answer. Other answers raise the translated error."""
    if response.status_code != 200:
        raise errors.error_from_response(response.status_code, response.headers, response.content)
    try:
        return json.loads(response.content)
    except ValueError as error:
        raise Transient("The answer of SpeechKit is not JSON.") from error


def operation_id(response: Response) -> str:
    """The id of the operation that a billed request started."""
    if response.status_code != 200:
        raise errors.error_from_response(response.status_code, response.headers, response.content)
    try:
        return str(json.loads(response.content)["id"])
    except (ValueError, KeyError, TypeError) as error:
        raise Ambiguous("SpeechKit accepted the recording but returned no operation id.") from error
