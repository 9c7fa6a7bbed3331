"""HTTP as SpeechKit wants it: the key, no retries, and our own errors for whatever goes wrong."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from towpath.errors import Ambiguous, Transient
from towpath.providers.yandex import failures

if TYPE_CHECKING:
    from httpx import AsyncClient, Response

STT_URL = "https://stt.api.cloud.yandex.net"
OPERATIONS_URL = "https://operation.api.cloud.yandex.net"
TRANSCRIBE_URL = "https://transcribe.api.cloud.yandex.net"

AUDIO_TYPES = {
    "audio/ogg": "OGG_OPUS",
    "audio/opus": "OGG_OPUS",
    "audio/mpeg": "MP3",
    "audio/wav": "WAV",
    "audio/x-wav": "WAV",
}


class Wire:
    """A connection to SpeechKit; an API key of a service account, or an IAM token with its folder."""

    def __init__(self, api_key: str, folder_id: str | None, iam: bool, timeout: float) -> None:
        self._headers = {"Authorization": f"{'Bearer' if iam else 'Api-Key'} {api_key}"}
        if folder_id:
            self._headers["x-folder-id"] = folder_id
        self._timeout = timeout
        self._client: AsyncClient | None = None

    async def ask(self, method: str, url: str, query: Mapping[str, str] | None = None) -> Response:
        """A question that costs nothing: whatever happens to it, it can be asked again."""
        import httpx

        try:
            return await self._connected().request(method, url, params=query)
        except httpx.HTTPError as error:
            raise Transient(f"SpeechKit did not answer ({type(error).__name__}).") from error

    async def send(self, url: str, body: AsyncIterator[bytes], size: int) -> Response:
        """A request that is paid for, sent once; who made the body knows how far it came."""
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
                f"SpeechKit did not answer ({type(error).__name__}). The recording had been sent:"
                " its recognition may have been paid for."
            ) from error

    async def operation(self, base_url: str, operation: str) -> dict[str, Any]:
        """The state of a long-running operation; one that ended badly is raised as our error."""
        response = await self.ask("GET", f"{base_url}/operations/{quote(operation, safe='')}")
        if response.status_code == 404:
            raise failures.expired(operation)
        state = understood(response)
        if state.get("error"):
            raise failures.from_failed_operation(state["error"])
        return state

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    def _connected(self) -> AsyncClient:
        import httpx

        if self._client is None:
            # A new connection for each request: a kept one may be closed by the other side at the
            # very moment of a POST, and then nobody can tell whether the recording was received.
            self._client = httpx.AsyncClient(
                headers=self._headers,
                limits=httpx.Limits(max_keepalive_connections=0),
                timeout=httpx.Timeout(self._timeout, connect=min(10.0, self._timeout)),
            )
        return self._client


def understood(response: Response) -> dict[str, Any]:
    """The JSON of a good answer; any other is raised as our error."""
    if response.status_code != 200:
        raise failures.from_response(response.status_code, response.headers, response.content)
    try:
        return json.loads(response.content)
    except ValueError as error:
        raise Transient("SpeechKit gave an answer that is no JSON.") from error


def started(response: Response) -> str:
    """The id of the operation that a paid request has started."""
    if response.status_code != 200:
        raise failures.from_response(response.status_code, response.headers, response.content)
    try:
        return str(json.loads(response.content)["id"])
    except (ValueError, KeyError, TypeError) as error:
        raise Ambiguous("SpeechKit accepted the recording but did not name the operation.") from error
