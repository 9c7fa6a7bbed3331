"""A local Yandex SpeechKit: API v3 with the recording inside, and v2 with its address.

It measures the recording but does not listen: the words are those of ``script``.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import aiohttp
from aiohttp import web

from tests.support.emulators.base import FAULT, Emulator, Operation
from tests.support.emulators.faults import Fault
from tests.support.emulators.ogg import opus_seconds
from tests.support.emulators.speech import CONVERSATION, heard, v2_chunks, v3_results

Json = dict[str, Any]
MAX_BODY = 60 * 1024 * 1024
_GRPC = {400: 3, 401: 16, 403: 7, 404: 5, 429: 8, 500: 13, 501: 12, 503: 14, 504: 4}
_SAID = {
    401: "The token or key is not valid",
    403: "Permission denied",
    404: "operation not found",
    429: "The limit on requests was exceeded",
    503: "Service unavailable",
}


class SpeechKitEmulator(Emulator):
    """All three of the vendor's hosts on one port.

    ``late_data`` is how often the data of a finished operation are said not to be ready yet.
    """

    name = "speechkit"

    def __init__(
        self, *, script: Sequence[tuple[int, str]] = CONVERSATION, late_data: int = 0, **settings: Any
    ) -> None:
        super().__init__(**settings)
        self.script = script
        self.late_data = late_data
        self._early: dict[str, int] = {}

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/stt/v3/recognizeFileAsync", self._recognize, name="recognize"),
            web.post("/speech/stt/v2/longRunningRecognize", self._recognize_v2, name="recognize-v2"),
            web.get("/operations/{id}", self._poll, name="poll"),
            web.get("/stt/v3/getRecognition", self._result, name="result"),
            web.delete("/stt/v3/deleteRecognition", self._delete, name="delete"),
        ]

    def authorized(self, request: web.Request) -> bool:
        return request.headers.get("Authorization") in (f"Api-Key {self.key}", f"Bearer {self.key}")

    def error(self, status: int, fault: Fault | None = None) -> web.Response:
        said = (fault.message if fault else None) or _SAID.get(status, "Internal error")
        told = _told(status, said)
        if fault and fault.retry_after is not None:
            # The vendor promises none; a gateway before it may send one.
            told.headers["Retry-After"] = f"{fault.retry_after:g}"
        return told

    async def _recognize(self, request: web.Request) -> web.Response:
        body = await request.read()
        if len(body) > MAX_BODY:
            return _told(400, "Request body is larger than 60 MB")
        try:
            asked: Json = json.loads(body)
            recording = base64.b64decode(asked.pop("content"), validate=True)
            container = asked["recognitionModel"]["audioFormat"]["containerAudio"]["containerAudioType"]
        except (ValueError, KeyError, binascii.Error) as problem:
            return _told(400, f"Invalid request: {problem}")
        if container != "OGG_OPUS":
            return _told(400, f"This emulator hears OGG_OPUS only, not {container}")
        return self._accept(recording, {**asked, "description": "STT v3 async recognition"})

    async def _recognize_v2(self, request: web.Request) -> web.Response:
        asked: Json = await request.json()
        async with aiohttp.ClientSession() as session, session.get(asked["audio"]["uri"]) as response:
            if response.status != 200:
                return _told(400, "Audio uri is not accessible")
            return self._accept(await response.read(), {"v2": True})

    def _accept(self, recording: bytes, asked: Json) -> web.Response:
        try:
            seconds = opus_seconds(recording)
        except ValueError as problem:
            return _told(400, f"Audio cannot be decoded: {problem}")
        if seconds > 4 * 3600:
            return _told(400, "Audio is longer than 4 hours")
        operation = Operation(f"f8d{uuid.uuid4().hex[:17]}", recording, {**asked, "seconds": seconds})
        self.operations[operation.id] = operation
        self.bill.charge(recording, seconds=float(max(15, math.ceil(seconds))))
        return web.json_response(_state(operation, done=False))

    async def _poll(self, request: web.Request) -> web.Response:
        fault = request.get(FAULT)
        if fault and fault.kind == "expired":
            self.operations.pop(request.match_info["id"], None)
        operation = self.operations.get(request.match_info["id"])
        if operation is None:
            return web.json_response({"code": 5, "message": "Operation not found", "details": []}, status=404)
        if fault and fault.kind == "failed":
            operation.failure = fault.code or "13"
        if operation.failure:
            error: Json = {"code": int(operation.failure), "message": "Recognition failed.", "details": []}
            return web.json_response({**_state(operation, done=True), "error": error})
        if self.still_running(operation, fault):
            return web.json_response(_state(operation, done=False))
        state = _state(operation, done=True)
        if operation.request.get("v2"):
            kind = "type.googleapis.com/yandex.cloud.ai.stt.v2.LongRunningRecognitionResponse"
            state["response"] = {"@type": kind, "chunks": v2_chunks(self._heard(operation))}
        return web.json_response(state)

    async def _result(self, request: web.Request) -> web.Response:
        fault = request.get(FAULT)
        wanted = request.query.get("operationId") or request.query.get("operation_id", "")
        operation = self.operations.get(wanted)
        if operation is None or (fault and fault.kind == "expired"):
            return _told(404, "operation not found")
        asked = self._early.get(wanted, 0)
        self._early[wanted] = asked + 1
        if operation.polls <= self.polls or asked < self.late_data:
            return _told(404, "operation data is not ready")
        seconds = operation.request["seconds"]
        return web.Response(
            text=v3_results(self._heard(operation), seconds, operation.id), content_type="application/json"
        )

    async def _delete(self, request: web.Request) -> web.Response:
        wanted = request.query.get("operationId", "")
        return (
            web.json_response({}) if self.operations.pop(wanted, None) else _told(404, "operation not found")
        )

    def _heard(self, operation: Operation) -> list[Any]:
        return list(heard(self.script, operation.request["seconds"]))


def _state(operation: Operation, *, done: bool) -> Json:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    described = {"description": operation.request.get("description", ""), "createdBy": "emulator"}
    return {
        "id": operation.id,
        "createdAt": now,
        "modifiedAt": now,
        "done": done,
        "metadata": None,
        **described,
    }


def _told(status: int, message: str) -> web.Response:
    error: Json = {
        "grpcCode": _GRPC.get(status, 13),
        "httpCode": status,
        "message": message,
        "httpStatus": web.Response(status=status).reason,
        "details": [],
    }
    return web.json_response({"error": error}, status=status)
