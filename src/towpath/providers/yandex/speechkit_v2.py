"""The SpeechKit client for API v2, which downloads the recording from Yandex Object Storage.

Use it only if the recordings are stored there; otherwise use API v3.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

from towpath.errors import OperationLost, Refused, Rejected
from towpath.model.provider_answer import Answer, Pending
from towpath.model.transcript import Transcript
from towpath.providers.contract import Source
from towpath.providers.yandex import errors, prices
from towpath.providers.yandex.http_client import (
    AUDIO_TYPES,
    OPERATIONS_URL,
    TRANSCRIBE_URL,
    HttpClient,
    operation_id,
)
from towpath.providers.yandex.parse_transcript import audio_seconds, parse_transcript


class SpeechKitV2:
    """Asynchronous recognition of a recording for which the storage can sign a URL."""

    def __init__(
        self,
        api_key: str,
        *,
        folder_id: str | None = None,
        model: str = "general",
        language: str = "ru-RU",
        transcribe_url: str = TRANSCRIBE_URL,
        operations_url: str = OPERATIONS_URL,
        price_per_second: float = prices.PER_SECOND,
        timeout: float = 60.0,
    ) -> None:
        self.provider = errors.PROVIDER
        self.model = model
        self._language = language
        self._folder_id = folder_id
        self._transcribe_url = transcribe_url.rstrip("/")
        self._operations_url = operations_url.rstrip("/")
        self._price = price_per_second
        self._http = HttpClient(api_key, None, timeout)

    def parameters(self) -> Mapping[str, str]:
        return {"api": "v2", "languages": self._language}

    async def start(self, source: Source) -> str:
        kind = AUDIO_TYPES.get(source.media_type)
        if kind not in ("OGG_OPUS", "MP3"):
            raise Rejected(
                "unsupported",
                f"SpeechKit does not accept {source.media_type}. Convert the recording to OGG Opus.",
            )
        url = await source.signed_url()
        if url is None:
            raise Refused(
                "SpeechKit v2 downloads recordings from Yandex Object Storage, and this storage cannot sign a URL."
                " Use API v3 or store the recordings there."
            )
        specification = {
            "languageCode": self._language,
            "model": self.model,
            "audioEncoding": kind,
            "literature_text": True,
        }
        folder = {"folderId": self._folder_id} if self._folder_id else {}
        request: dict[str, Any] = {
            "config": {"specification": specification, **folder},
            "audio": {"uri": url},
        }
        body = json.dumps(request).encode()
        endpoint = f"{self._transcribe_url}/speech/stt/v2/longRunningRecognize"
        return operation_id(await self._http.post_paid(endpoint, _single(body), len(body)))

    async def poll(self, operation: str) -> Pending | Answer:
        state = await self._http.operation(self._operations_url, operation)
        if not state.get("done"):
            return Pending()
        body = json.dumps(state, ensure_ascii=False).encode()
        seconds = audio_seconds(body)
        return Answer(body, {"seconds": seconds}, prices.billed_seconds(seconds) * self._price)

    async def delete_remote_copy(self, operation: str) -> None:
        """API v2 has no such request. It deletes results after 3 days."""

    async def probe(self) -> None:
        """Ask for an operation that does not exist, which is free, to verify address and key."""
        with suppress(OperationLost):
            await self._http.operation(self._operations_url, "towpath-check")

    def read(self, answer: bytes) -> Transcript:
        """Parse the stored answer."""
        return parse_transcript(answer)

    async def aclose(self) -> None:
        await self._http.aclose()


async def _single(body: bytes) -> AsyncIterator[bytes]:
    yield body
