"""Yandex SpeechKit, API v3 over REST: the recording goes inside the request, so no bucket is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from towpath.errors import Ambiguous, Rejected, Transient
from towpath.model.transcript import Transcript
from towpath.providers.contract import Answer, Pending, Source
from towpath.providers.yandex import failures, prices
from towpath.providers.yandex.reading import audio_seconds, read_transcript
from towpath.providers.yandex.upload import InlineUpload
from towpath.providers.yandex.wire import AUDIO_TYPES, OPERATIONS_URL, STT_URL, Wire, started

if TYPE_CHECKING:
    from httpx import Response

MAX_REQUEST = 60 * 1024 * 1024  # about 4 hours of Opus at 24 kbit/s


class SpeechKit:
    """Asynchronous recognition; with speaker labels, two speakers at most are told apart."""

    def __init__(
        self,
        api_key: str,
        *,
        folder_id: str | None = None,
        iam: bool = False,
        model: str = "general",
        languages: Sequence[str] = ("ru-RU",),
        speakers: bool = True,
        stt_url: str = STT_URL,
        operations_url: str = OPERATIONS_URL,
        price_per_second: float = prices.PER_SECOND,
        timeout: float = 120.0,
    ) -> None:
        self.provider = "yandex-speechkit"
        self.model = model
        self._languages = tuple(languages)
        self._speakers = speakers
        self._stt_url = stt_url.rstrip("/")
        self._operations_url = operations_url.rstrip("/")
        self._price = price_per_second
        self._wire = Wire(api_key, folder_id, iam, timeout)

    def parameters(self) -> Mapping[str, str]:
        return {"api": "v3", "languages": ",".join(self._languages), "speakers": str(self._speakers).lower()}

    async def start(self, source: Source) -> str:
        upload = InlineUpload(source, self._settings(source))
        if source.size == 0:
            raise Rejected("empty", "The recording is empty; there is nothing to hear.")
        if upload.size > MAX_REQUEST:
            raise Rejected(
                "too_large",
                f"The recording has {source.size} bytes; SpeechKit takes about 44 million in one request,"
                " which is four hours of Opus. Split the recording.",
            )
        try:
            response = await self._wire.send(
                f"{self._stt_url}/stt/v3/recognizeFileAsync", upload.stream(), upload.size
            )
        except Exception as error:
            if upload.failure:
                raise upload.failure from error
            if isinstance(error, Ambiguous) and not upload.complete:
                raise Transient(
                    "SpeechKit cut the connection before the whole recording was sent."
                ) from error
            raise
        return started(response)

    async def poll(self, operation: str) -> Pending | Answer:
        state = await self._wire.operation(self._operations_url, operation)
        if not state.get("done"):
            return Pending()
        response = await self._recognition("GET", "getRecognition", operation)
        if response.status_code == 404:
            # It happens that the operation is done some seconds before its data can be had.
            if failures.Complaint.in_body(response.content).not_ready:
                return Pending()
            raise failures.expired(operation)
        if response.status_code != 200:
            raise failures.from_response(response.status_code, response.headers, response.content)
        read_transcript(response.content)  # a torn answer is asked for again, not kept
        seconds = audio_seconds(response.content)
        return Answer(response.content, {"seconds": seconds}, prices.billed_seconds(seconds) * self._price)

    async def forget(self, operation: str) -> None:
        response = await self._recognition("DELETE", "deleteRecognition", operation)
        if response.status_code not in (200, 404):
            raise failures.from_response(response.status_code, response.headers, response.content)

    def read(self, answer: bytes) -> Transcript:
        """Turn the stored answer into a transcript."""
        return read_transcript(answer)

    async def aclose(self) -> None:
        await self._wire.aclose()

    async def _recognition(self, method: str, verb: str, operation: str) -> Response:
        return await self._wire.ask(method, f"{self._stt_url}/stt/v3/{verb}", {"operationId": operation})

    def _settings(self, source: Source) -> dict[str, Any]:
        kind = AUDIO_TYPES.get(source.media_type)
        if kind is None:
            raise Rejected(
                "unsupported",
                f"SpeechKit does not take {source.media_type}; convert the recording to OGG Opus.",
            )
        model: dict[str, Any] = {
            "model": self.model,
            "audioFormat": {"containerAudio": {"containerAudioType": kind}},
            "textNormalization": {"textNormalization": "TEXT_NORMALIZATION_ENABLED", "literatureText": True},
            "languageRestriction": {"restrictionType": "WHITELIST", "languageCode": list(self._languages)},
            "audioProcessingType": "FULL_DATA",
        }
        labels = (
            {"speakerLabeling": {"speakerLabeling": "SPEAKER_LABELING_ENABLED"}} if self._speakers else {}
        )
        return {"recognitionModel": model, **labels}
