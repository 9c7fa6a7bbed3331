"""The SpeechKit client for API v3 over REST. The request contains the recording, so no bucket is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from towpath.errors import Ambiguous, OperationLost, Rejected, Transient
from towpath.model.provider_answer import Answer, Pending
from towpath.model.transcript import Transcript
from towpath.providers.contract import Source
from towpath.providers.yandex import errors, prices
from towpath.providers.yandex.base64_upload import InlineUpload
from towpath.providers.yandex.http_client import (
    AUDIO_TYPES,
    OPERATIONS_URL,
    STT_URL,
    HttpClient,
    operation_id,
)
from towpath.providers.yandex.parse_transcript import audio_seconds, parse_transcript

if TYPE_CHECKING:
    from httpx import Response

MAX_REQUEST_BYTES = 60 * 1024 * 1024  # about 4 hours of Opus at 24 kbit/s
#: A finished operation whose data is missing for longer than this has expired.
MAX_DATA_DELAY_SECONDS = 600.0


class SpeechKit:
    """Asynchronous recognition with speaker labelling, which distinguishes at most two speakers."""

    def __init__(
        self,
        api_key: str,
        *,
        folder_id: str | None = None,
        model: str = "general",
        languages: Sequence[str] = ("ru-RU",),
        stt_url: str = STT_URL,
        operations_url: str = OPERATIONS_URL,
        price_per_second: float = prices.PER_SECOND,
        timeout: float = 120.0,
    ) -> None:
        self.provider = errors.PROVIDER
        self.model = model
        self._languages = tuple(languages)
        self._stt_url = stt_url.rstrip("/")
        self._operations_url = operations_url.rstrip("/")
        self._price = price_per_second
        self._http = HttpClient(api_key, folder_id, timeout)

    def parameters(self) -> Mapping[str, str]:
        return {"api": "v3", "languages": ",".join(self._languages), "speakers": "true"}

    async def start(self, source: Source) -> str:
        upload = InlineUpload(source, self._settings(source))
        if source.size == 0:
            raise Rejected("empty", "The recording is empty. Upload a file with audio.")
        if upload.size > MAX_REQUEST_BYTES:
            raise Rejected(
                "too_large",
                f"The recording has {source.size} bytes. SpeechKit accepts about 44 million bytes in one request"
                " (four hours of Opus). Split the recording.",
            )
        try:
            response = await self._http.post_paid(
                f"{self._stt_url}/stt/v3/recognizeFileAsync", upload.stream(), upload.size
            )
        except Exception as error:
            if upload.failure:
                raise upload.failure from error
            if isinstance(error, Ambiguous) and not upload.complete:
                raise Transient(
                    "SpeechKit closed the connection before the recording was sent completely."
                ) from error
            raise
        return operation_id(response)

    async def poll(self, operation: str) -> Pending | Answer:
        state = await self._http.operation(self._operations_url, operation)
        if not state.get("done"):
            return Pending()
        response = await self._recognition("GET", "getRecognition", operation)
        if response.status_code == 404:
            # The data may follow some seconds after the operation is done.
            if _seconds_since(state.get("modifiedAt")) < MAX_DATA_DELAY_SECONDS:
                return Pending()
            raise errors.expired_operation(operation)
        if response.status_code != 200:
            raise errors.error_from_response(response.status_code, response.headers, response.content)
        parse_transcript(
            response.content
        )  # raises Transient for an incomplete answer, which is then polled again
        seconds = audio_seconds(response.content)
        return Answer(response.content, {"seconds": seconds}, prices.billed_seconds(seconds) * self._price)

    async def delete_remote_copy(self, operation: str) -> None:
        response = await self._recognition("DELETE", "deleteRecognition", operation)
        if response.status_code not in (200, 404):
            raise errors.error_from_response(response.status_code, response.headers, response.content)

    async def probe(self) -> None:
        """Ask for an operation that does not exist, which is free, to verify address and key."""
        with suppress(OperationLost):
            await self._http.operation(self._operations_url, "towpath-check")

    def read(self, answer: bytes) -> Transcript:
        """Parse the stored answer."""
        return parse_transcript(answer)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _recognition(self, method: str, verb: str, operation: str) -> Response:
        return await self._http.request_free(
            method, f"{self._stt_url}/stt/v3/{verb}", {"operationId": operation}
        )

    def _settings(self, source: Source) -> dict[str, Any]:
        kind = AUDIO_TYPES.get(source.media_type)
        if kind is None:
            raise Rejected(
                "unsupported",
                f"SpeechKit does not accept {source.media_type}. Convert the recording to OGG Opus.",
            )
        model: dict[str, Any] = {
            "model": self.model,
            "audioFormat": {"containerAudio": {"containerAudioType": kind}},
            "textNormalization": {"textNormalization": "TEXT_NORMALIZATION_ENABLED", "literatureText": True},
            "languageRestriction": {"restrictionType": "WHITELIST", "languageCode": list(self._languages)},
            "audioProcessingType": "FULL_DATA",
        }
        labelling = {"speakerLabeling": "SPEAKER_LABELING_ENABLED"}
        return {"recognitionModel": model, "speakerLabeling": labelling}


def _seconds_since(timestamp: str | None) -> float:
    """Seconds since an ISO 8601 timestamp of the service; 0 if it is missing."""
    if not timestamp:
        return 0.0
    return (datetime.now(UTC) - datetime.fromisoformat(timestamp)).total_seconds()
