"""Yandex SpeechKit, API v2: it fetches the recording by itself, from Yandex Object Storage alone.

For those whose recordings lie there already; everybody else is better served by v3.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from towpath.errors import Refused, Rejected
from towpath.model.transcript import Transcript
from towpath.providers.contract import Answer, Pending, Source
from towpath.providers.yandex import prices
from towpath.providers.yandex.reading import audio_seconds, read_transcript
from towpath.providers.yandex.wire import AUDIO_TYPES, OPERATIONS_URL, TRANSCRIBE_URL, Wire, started


class SpeechKitV2:
    """Asynchronous recognition of a recording that the storage can sign an address for."""

    def __init__(
        self,
        api_key: str,
        *,
        folder_id: str | None = None,
        iam: bool = False,
        model: str = "general",
        language: str = "ru-RU",
        transcribe_url: str = TRANSCRIBE_URL,
        operations_url: str = OPERATIONS_URL,
        price_per_second: float = prices.PER_SECOND,
        timeout: float = 60.0,
    ) -> None:
        self.provider = "yandex-speechkit"
        self.model = model
        self._language = language
        self._folder_id = folder_id
        self._transcribe_url = transcribe_url.rstrip("/")
        self._operations_url = operations_url.rstrip("/")
        self._price = price_per_second
        self._wire = Wire(api_key, None, iam, timeout)

    def parameters(self) -> Mapping[str, str]:
        return {"api": "v2", "languages": self._language}

    async def start(self, source: Source) -> str:
        kind = AUDIO_TYPES.get(source.media_type)
        if kind not in ("OGG_OPUS", "MP3"):
            raise Rejected(
                "unsupported",
                f"SpeechKit does not take {source.media_type}; convert the recording to OGG Opus.",
            )
        address = await source.signed_url()
        if address is None:
            raise Refused(
                "SpeechKit v2 fetches recordings from Yandex Object Storage, and this storage cannot sign an"
                " address. Use v3, or keep recordings there."
            )
        specification = {
            "languageCode": self._language,
            "model": self.model,
            "audioEncoding": kind,
            "literature_text": True,
        }
        folder = {"folderId": self._folder_id} if self._folder_id else {}
        asked: dict[str, Any] = {
            "config": {"specification": specification, **folder},
            "audio": {"uri": address},
        }
        body = json.dumps(asked).encode()
        url = f"{self._transcribe_url}/speech/stt/v2/longRunningRecognize"
        return started(await self._wire.send(url, _single(body), len(body)))

    async def poll(self, operation: str) -> Pending | Answer:
        state = await self._wire.operation(self._operations_url, operation)
        if not state.get("done"):
            return Pending()
        body = json.dumps(state, ensure_ascii=False).encode()
        seconds = audio_seconds(body)
        return Answer(body, {"seconds": seconds}, prices.billed_seconds(seconds) * self._price)

    async def forget(self, operation: str) -> None:
        """Version 2 cannot be asked to; it forgets after 3 days."""

    def read(self, answer: bytes) -> Transcript:
        """Turn the stored answer into a transcript."""
        return read_transcript(answer)

    async def aclose(self) -> None:
        await self._wire.aclose()


async def _single(body: bytes) -> AsyncIterator[bytes]:
    yield body
