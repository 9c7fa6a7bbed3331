"""An emulator of Yandex SpeechKit: API v3 with the recording in the request, API v2 with its URL.

It measures the duration of the recording but does not transcribe it: the words come from ``script``.
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
from tests.support.emulators.speech import CONVERSATION, script_utterances, v2_chunks, v3_results

Json = dict[str, Any]
MAX_BODY = 60 * 1024 * 1024
_GRPC = {400: 3, 401: 16, 403: 7, 404: 5, 429: 8, 500: 13, 501: 12, 503: 14, 504: 4}
_MESSAGES = {
    401: "The token or key is not valid",
    403: "Permission denied",
    404: "operation not found",
    429: "The limit on requests was exceeded",
    503: "Service unavailable",
}


class SpeechKitEmulator(Emulator):
    """Emulates the three hosts of the vendor on one port.

    ``late_data`` is the number of requests for a finished operation that answer "data is not ready".
    """

    name = "speechkit"

    def __init__(
        self, *, script: Sequence[tuple[int, str]] = CONVERSATION, late_data: int = 0, **settings: Any
    ) -> None:
        super().__init__(**settings)
        self.script = script
        self.late_data = late_data
        self._result_requests: dict[str, int] = {}

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
        message = (fault.message if fault else None) or _MESSAGES.get(status, "Internal error")
        response = _error(status, message)
        if fault and fault.retry_after is not None:
            # The vendor sends none; a gateway in front of it may send one.
            response.headers["Retry-After"] = f"{fault.retry_after:g}"
        return response

    async def _recognize(self, request: web.Request) -> web.Response:
        body = await request.read()
        if len(body) > MAX_BODY:
            return _error(400, "Request body is larger than 60 MB")
        try:
            body_json: Json = json.loads(body)
            recording = base64.b64decode(body_json.pop("content"), validate=True)
            container = body_json["recognitionModel"]["audioFormat"]["containerAudio"]["containerAudioType"]
        except (ValueError, KeyError, binascii.Error) as problem:
            return _error(400, f"Invalid request: {problem}")
        if container != "OGG_OPUS":
            return _error(400, f"This emulator accepts OGG_OPUS only, not {container}")
        return self._accept(recording, {**body_json, "description": "STT v3 async recognition"})

    async def _recognize_v2(self, request: web.Request) -> web.Response:
        body_json: Json = await request.json()
        async with aiohttp.ClientSession() as session, session.get(body_json["audio"]["uri"]) as response:
            if response.status != 200:
                return _error(400, "Audio uri is not accessible")
            return self._accept(await response.read(), {"v2": True})

    def _accept(self, recording: bytes, body_json: Json) -> web.Response:
        try:
            seconds = opus_seconds(recording)
        except ValueError as problem:
            return _error(400, f"Audio cannot be decoded: {problem}")
        if seconds > 4 * 3600:
            return _error(400, "Audio is longer than 4 hours")
        operation = Operation(f"f8d{uuid.uuid4().hex[:17]}", recording, {**body_json, "seconds": seconds})
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
            state["response"] = {"@type": kind, "chunks": v2_chunks(self._utterances(operation))}
        return web.json_response(state)

    async def _result(self, request: web.Request) -> web.Response:
        fault = request.get(FAULT)
        operation_id = request.query.get("operationId") or request.query.get("operation_id", "")
        operation = self.operations.get(operation_id)
        if operation is None or (fault and fault.kind == "expired"):
            return _error(404, "operation not found")
        requests = self._result_requests.get(operation_id, 0)
        self._result_requests[operation_id] = requests + 1
        if operation.polls <= self.polls or requests < self.late_data:
            return _error(404, "operation data is not ready")
        seconds = operation.request["seconds"]
        return web.Response(
            text=v3_results(self._utterances(operation), seconds, operation.id),
            content_type="application/json",
        )

    async def _delete(self, request: web.Request) -> web.Response:
        operation_id = request.query.get("operationId", "")
        return (
            web.json_response({})
            if self.operations.pop(operation_id, None)
            else _error(404, "operation not found")
        )

    def _utterances(self, operation: Operation) -> list[Any]:
        return list(script_utterances(self.script, operation.request["seconds"]))


def _state(operation: Operation, *, done: bool) -> Json:
    now = datetime.now(UTC)
    if done and operation.finished_at is None:
        operation.finished_at = now
    modified = operation.finished_at or now
    described = {"description": operation.request.get("description", ""), "createdBy": "emulator"}
    return {
        "id": operation.id,
        "createdAt": _timestamp(modified),
        "modifiedAt": _timestamp(modified),
        "done": done,
        "metadata": None,
        **described,
    }


def _timestamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _error(status: int, message: str) -> web.Response:
    error: Json = {
        "grpcCode": _GRPC.get(status, 13),
        "httpCode": status,
        "message": message,
        "httpStatus": web.Response(status=status).reason,
        "details": [],
    }
    return web.json_response({"error": error}, status=status)
