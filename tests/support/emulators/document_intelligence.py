"""An emulator of Azure Document Intelligence (api-version 2024-11-30) that reads the PDF it receives.

Images give pages without words, because the emulator has no OCR.
"""

from __future__ import annotations

import asyncio
import base64
import json
import uuid
from datetime import UTC, datetime
from typing import Any

import aiohttp
from aiohttp import web

from tests.support.emulators.base import FAULT, Emulator, Operation
from tests.support.emulators.faults import Fault
from tests.support.emulators.invoice import invoice_document
from tests.support.emulators.layout import Layout
from tests.support.emulators.pdf_lines import PageLines, Unreadable, page_count, read_pages

Json = dict[str, Any]
API_VERSION = "2024-11-30"
MODELS = ("prebuilt-read", "prebuilt-layout", "prebuilt-invoice")
_IMAGES = (b"\x89PNG", b"\xff\xd8\xff", b"BM", b"II*\0", b"MM\0*")
_CORRUPT = (
    "The file is corrupted or format is unsupported. "
    "Refer to documentation for the list of supported formats."
)
_STATUS_CODES = {400: "InvalidRequest", 403: "Forbidden", 404: "NotFound", 415: "UnsupportedMediaType"}


class DocumentIntelligenceEmulator(Emulator):
    """With ``free_tier`` it has the limits of tier F0: 4 MB and the first two pages."""

    name = "document-intelligence"

    def __init__(self, *, free_tier: bool = False, retry_after: int | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        self.free_tier = free_tier
        self.retry_after = retry_after
        self._read_tasks: dict[str, asyncio.Task[Json]] = {}

    def routes(self) -> list[web.RouteDef]:
        models = "/documentintelligence/documentModels"
        return [
            web.get(models + "/{model}", self._model, name="model"),
            web.post(models + "/{model}:analyze", self._analyze, name="analyze"),
            web.get(models + "/{model}/analyzeResults/{id}", self._poll, name="poll"),
            web.delete(models + "/{model}/analyzeResults/{id}", self._delete, name="delete"),
        ]

    def authorized(self, request: web.Request) -> bool:
        return request.headers.get("Ocp-Apim-Subscription-Key") == self.key

    def error(self, status: int, fault: Fault | None = None) -> web.Response:
        wait = fault.retry_after if fault else None
        if status == 401:
            message = "Access denied due to invalid subscription key or wrong API endpoint."
            return _error(401, "401", message)
        if status == 429:
            message = (
                "Requests to the Analyze Document Operation under Document Intelligence (2024-11-30) have "
                "exceeded call rate limit of your current pricing tier. "
                f"Please retry after {wait or 1:g} seconds."
            )
            return _error(429, "429", message, wait)
        code = "ServiceUnavailable" if status == 503 else "InternalServerError"
        code = (fault.code if fault else None) or _STATUS_CODES.get(status, code)
        return _error(
            status, code, (fault.message if fault else None) or "An unexpected error occurred.", wait
        )

    async def _model(self, request: web.Request) -> web.Response:
        model = request.match_info["model"]
        if not model.startswith("prebuilt-"):
            return _error(404, "ModelNotFound", "The requested model was not found.")
        return web.json_response({"modelId": model, "description": "", "apiVersion": "2024-11-30"})

    async def _analyze(self, request: web.Request) -> web.Response:
        model = request.match_info["model"]
        if request.query.get("api-version") != API_VERSION:
            return _error(
                400, "InvalidRequest", "Invalid request.", inner=("NotSupportedApiVersion", "Unknown.")
            )
        if model not in MODELS:
            message = "The requested model was not found."
            return _error(404, "NotFound", "Resource not found.", inner=("ModelNotFound", message))
        try:
            document = await _document(request)
        except ValueError as problem:
            message = str(problem)
            return _error(
                400, "InvalidRequest", "Invalid request.", inner=("ContentSourceNotAccessible", message)
            )
        if len(document) > (4 if self.free_tier else 500) * 1024 * 1024:
            inner = ("InvalidContentLength", "The input image is too large.")
            return _error(400, "InvalidRequest", "Invalid request.", inner=inner)
        if not document.startswith((b"%PDF-", *_IMAGES)):
            inner = ("InvalidContent", _CORRUPT)
            return _error(400, "InvalidRequest", "Invalid request.", inner=inner)
        operation = Operation(str(uuid.uuid4()), document, {"model": model, **request.query})
        self.operations[operation.id] = operation
        self.bill.charge(document, pages=float(len(self._page_numbers(operation))))
        location = f"{self.url}/documentintelligence/documentModels/{model}/analyzeResults/{operation.id}"
        headers = {
            "Operation-Location": f"{location}?api-version={API_VERSION}",
            **self._retry_after_header(),
        }
        return web.Response(status=202, headers={**headers, "apim-request-id": str(uuid.uuid4())})

    async def _poll(self, request: web.Request) -> web.Response:
        fault = request.get(FAULT)
        operation = self.operations.get(request.match_info["id"])
        if fault and fault.kind == "expired":
            self.operations.pop(request.match_info["id"], None)
        if operation is None or operation.id not in self.operations:
            inner = ("OperationNotFound", "The operation was not found or has expired.")
            return _error(404, "NotFound", "Resource not found.", inner=inner)
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        state: Json = {"status": "running", "createdDateTime": now, "lastUpdatedDateTime": now}
        if fault and fault.kind == "failed":
            operation.failure = fault.code or "InternalServerError"
        if operation.failure:
            state |= {"status": fault.state if fault else "failed", "error": _failure(operation.failure)}
        elif not self.still_running(operation, fault):
            state |= await self._finished(operation)
        return web.json_response(state, headers=self._retry_after_header())

    async def _delete(self, request: web.Request) -> web.Response:
        self.operations.pop(request.match_info["id"], None)
        self._read_tasks.pop(request.match_info["id"], None)
        return web.Response(status=204)

    def _retry_after_header(self) -> dict[str, str]:
        return {"Retry-After": str(self.retry_after)} if self.retry_after is not None else {}

    async def _finished(self, operation: Operation) -> Json:
        """The result of the analysis. While a long document is being read, polls answer "running"."""
        if operation.id not in self._read_tasks:
            self._read_tasks[operation.id] = asyncio.create_task(asyncio.to_thread(self._read, operation))
        read_task = self._read_tasks[operation.id]
        await asyncio.wait([read_task], timeout=5.0)
        if not read_task.done():
            return {"status": "running"}
        try:
            return {"status": "succeeded", "analyzeResult": read_task.result()}
        except Unreadable:
            operation.failure = "InvalidContent"
            return {"status": "failed", "error": _failure("InvalidContent")}

    def _read(self, operation: Operation) -> Json:
        model = operation.request["model"]
        numbers = self._page_numbers(operation)
        features = str(operation.request.get("features", "")).split(",")
        layout = Layout(
            markdown=operation.request.get("outputContentFormat") == "markdown",
            key_values="keyValuePairs" in features or model == "prebuilt-invoice",
        )
        is_pdf = operation.content.startswith(b"%PDF-")
        for page in read_pages(operation.content, numbers) if is_pdf else [PageLines(1, 8.5, 11, ())]:
            layout.add(page)
        result = layout.result(model)
        if model == "prebuilt-invoice":
            del result["paragraphs"]
            result["documents"] = [invoice_document(layout.pairs, layout.tables, layout.pages)]
        return result

    def _page_numbers(self, operation: Operation) -> list[int]:
        try:
            count = page_count(operation.content) if operation.content.startswith(b"%PDF-") else 1
        except Unreadable:
            return [1]
        requested = _ranges(operation.request.get("pages") or f"1-{count}")
        return [number for number in requested if number <= (min(count, 2) if self.free_tier else count)]


def _ranges(text: str) -> list[int]:
    """``1-3,5`` as the pages 1, 2, 3 and 5."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return sorted(numbers)


async def _document(request: web.Request) -> bytes:
    """The posted bytes, or those inside or referenced by the posted JSON."""
    body = await request.read()
    if request.content_type != "application/json":
        return body
    body_json: Json = json.loads(body)
    if "base64Source" in body_json:
        return base64.b64decode(body_json["base64Source"])
    async with aiohttp.ClientSession() as session, session.get(body_json["urlSource"]) as response:
        if response.status != 200:
            raise ValueError("Content is not accessible: " + str(response.status))
        return await response.read()


def _failure(code: str) -> Json:
    if code == "InternalServerError":
        return {"code": code, "message": "An unexpected error occurred."}
    inner = {"code": code, "message": _CORRUPT if code == "InvalidContent" else code}
    return {"code": "InvalidRequest", "message": "Invalid request.", "innererror": inner}


def _error(
    status: int, code: str, message: str, wait: float | None = None, inner: tuple[str, str] | None = None
) -> web.Response:
    error: Json = {"code": code, "message": message}
    if inner:
        error["innererror"] = {"code": inner[0], "message": inner[1]}
    headers = {} if wait is None else {"Retry-After": f"{wait:g}"}
    return web.json_response({"error": error}, status=status, headers=headers)
