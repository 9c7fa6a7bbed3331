"""An emulator of OpenAI: embeddings, chat answers by a JSON schema, transcriptions, and the limits of the service."""

from __future__ import annotations

import base64
import json
import time
import uuid
from functools import cache
from typing import Any

from aiohttp import web
from splintr import AnyTokenizer, Tokenizer

from tests.support.emulators import field_answers, questions, transcription
from tests.support.emulators.base import FAULT, Emulator
from tests.support.emulators.extraction import fill
from tests.support.emulators.faults import SILENT_KINDS, Fault
from tests.support.emulators.hashed_embeddings import embed

Json = dict[str, Any]
DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
CONTEXT_WINDOW = 128_000
_CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
_TYPES = {400: "invalid_request_error", 401: "invalid_request_error", 429: "tokens"}


class OpenAIEmulator(Emulator):
    """Its base address for the SDK is ``base_url``."""

    name = "openai"

    def __init__(self, *, max_inputs: int | None = None, **pace: Any) -> None:
        """``max_inputs``: the number of inputs that an OpenAI-compatible server accepts in one request."""
        super().__init__(**pace)
        self.max_inputs = max_inputs

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def model_of(self, name: str) -> str:
        """The model that a request names."""
        return name

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/v1/embeddings", self._embeddings, name="embeddings"),
            web.post("/v1/chat/completions", self._chat, name="chat"),
            web.post("/v1/audio/transcriptions", self._transcribe, name="transcriptions"),
        ]

    def authorized(self, request: web.Request) -> bool:
        return request.headers.get("Authorization") == f"Bearer {self.key}"

    def error(self, status: int, fault: Fault | None = None) -> web.Response:
        code = (fault.code if fault else None) or _CODES.get(status)
        message = (fault.message if fault else None) or {
            401: "Incorrect API key provided: emulator-***. You can find your API key in your settings.",
            429: "Rate limit reached for requests. Please try again later.",
        }.get(status, "The server had an error while processing your request. Sorry about that!")
        kind = _TYPES.get(status, "server_error")
        if code == "insufficient_quota":
            kind, message = (
                code,
                "You exceeded your current quota, please check your plan and billing details.",
            )
        response = _error(status, message, kind, code)
        if fault and fault.retry_after is not None:
            response.headers["retry-after-ms"] = f"{fault.retry_after * 1000:g}"
            response.headers["retry-after"] = f"{fault.retry_after:g}"
        return response

    async def _embeddings(self, request: web.Request) -> web.Response:
        body: Json = await request.json()
        model = self.model_of(body.get("model", ""))
        body["model"] = model
        if model not in DIMENSIONS:
            message = f"The model `{model}` does not exist or you do not have access to it."
            return _error(404, message, "invalid_request_error", "model_not_found")
        inputs = _inputs(body.get("input"))
        if self.max_inputs is not None and len(inputs) > self.max_inputs:
            # The answer of text-embeddings-inference.
            message = f"batch size {len(inputs)} > maximum allowed batch size {self.max_inputs}"
            return web.json_response({"error": message, "error_type": "Validation"}, status=413)
        counts = [_tokens(text) if isinstance(text, str) else len(text) for text in inputs]
        dimensions = body.get("dimensions")
        if problem := _limit_error(inputs, counts, model, dimensions):
            return problem
        texts = [text if isinstance(text, str) else " ".join(map(str, text)) for text in inputs]
        self.bill.charge(*(text.encode("utf-8", "replace") for text in texts), tokens=float(sum(counts)))
        data = [
            {"object": "embedding", "index": index, "embedding": self._vector(text, body)}
            for index, text in enumerate(texts)
        ]
        fault = request.get(FAULT)
        if fault and fault.kind == "shuffle":
            data.reverse()
        usage = {"prompt_tokens": sum(counts), "total_tokens": sum(counts)}
        return _success({"object": "list", "data": data, "model": model, "usage": usage})

    def _vector(self, text: str, body: Json) -> str | list[float]:
        native = DIMENSIONS[body["model"]]
        vector = embed(text, native, body.get("dimensions") or native)
        if body.get("encoding_format") == "base64":
            return base64.b64encode(vector.astype("<f4").tobytes()).decode()
        return [float(number) for number in vector]

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body: Json = await request.json()
        fault = request.get(FAULT)
        prompt = sum(_tokens(message["content"]) + 4 for message in body["messages"])
        if prompt > CONTEXT_WINDOW:
            message = (
                f"This model's maximum context length is {CONTEXT_WINDOW} tokens, but you sent {prompt}."
            )
            return _error(400, message, "invalid_request_error", "context_length_exceeded", "messages")
        form: Json = body.get("response_format") or {"json_schema": {}}
        schema: Json = form["json_schema"].get("schema", {"type": "string"})
        text = str(body["messages"][-1]["content"])
        if questions.is_question(schema):
            invent = fault is not None and fault.kind == "invent"
            content = json.dumps(questions.answer(text, invent=invent), ensure_ascii=False)
        elif field_answers.is_field_request(form):
            content = json.dumps(field_answers.answer(schema, text), ensure_ascii=False)
        else:
            content = json.dumps(fill(schema, text), ensure_ascii=False)
        allowed = int(body.get("max_completion_tokens") or body.get("max_tokens") or 16_384)
        finish = "stop"
        if _tokens(content) > allowed:
            content, finish = content[: 3 * allowed], "length"
        reply: Json = {"role": "assistant", "content": content, "refusal": None}
        if fault and fault.kind == "refuse":
            reply |= {"content": None, "refusal": "I'm sorry, I cannot assist with that request."}
        completion = _tokens(str(reply["content"] or reply["refusal"]))
        self.bill.charge(text.encode("utf-8", "replace"), tokens=float(prompt + completion))
        completed: Json = {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": body["model"],
            "choices": [{"index": 0, "message": reply, "logprobs": None, "finish_reason": finish}],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
                "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            },
        }
        # A fault without an answer must not send a part of one.
        if body.get("stream") and not (fault and fault.kind in ("whole", *SILENT_KINDS)):
            return await _stream(request, completed, cut=bool(fault and fault.kind == "cut"))
        return _success(completed)

    async def _transcribe(self, request: web.Request) -> web.Response:
        content, options = transcription.read_form(request.headers["Content-Type"], await request.read())
        model, kind = str(options.get("model", "")), "invalid_request_error"
        if model not in transcription.MODELS:
            message = f"The model `{model}` does not exist or you do not have access to it."
            return _error(404, message, kind, "model_not_found")
        if options.get("response_format", "json") != "json" and model not in transcription.VERBOSE_MODELS:
            message = f"response_format 'verbose_json' is not compatible with model '{model}'."
            return _error(400, message, kind, "unsupported_value", "response_format")
        if len(content) > transcription.MAX_BYTES:
            return _error(413, "Maximum content size limit (26214400) exceeded.", "server_error", None)
        seconds = transcription.audio_seconds(content)
        if seconds is None:
            return _error(400, "Invalid file format.", kind, None, "file")
        if seconds < transcription.MIN_SECONDS:
            return _error(
                400, "Audio file is too short. Minimum audio length is 0.1 seconds.", kind, "audio_too_short"
            )
        self.bill.charge(content, seconds=seconds)
        return _success(transcription.transcription(seconds, model, options))


async def _stream(request: web.Request, completed: Json, *, cut: bool) -> web.StreamResponse:
    """The completion in chunks of a few characters, then its usage. ``cut``: the connection ends in the middle."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)

    async def send(**chunk: Any) -> None:
        data = {**completed, "object": "chat.completion.chunk", "usage": None, **chunk}
        await response.write(f"data: {json.dumps(data)}\n\n".encode())

    choice = completed["choices"][0]
    kind = "refusal" if choice["message"]["refusal"] else "content"
    text = str(choice["message"][kind] or "")
    for start in range(0, len(text), 20):
        if cut and start > len(text) // 2:
            if request.transport:
                request.transport.abort()
            return response
        part = {"index": 0, "delta": {kind: text[start : start + 20]}, "finish_reason": None}
        await send(choices=[part])
    await send(choices=[{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}])
    await send(choices=[], usage=completed["usage"])
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response


def _inputs(given: Any) -> list[str | list[int]]:
    """The input as a list: the service accepts a text, texts, tokens, or lists of tokens."""
    if isinstance(given, str) or (given and isinstance(given[0], int)):
        return [given]
    return list(given or [])


def _limit_error(
    inputs: list[str | list[int]], counts: list[int], model: str, dimensions: int | None
) -> web.Response | None:
    """The error answer for a request beyond the limits; None if it is within them."""
    kind = "invalid_request_error"
    if len(inputs) > 2048:
        message = (
            f"Invalid 'input': array too long. Expected maximum length 2048, but got {len(inputs)} instead."
        )
        return _error(400, message, kind, "array_above_max_length", "input")
    if not inputs or not all(inputs):
        return _error(
            400, "Invalid 'input': input cannot be an empty string.", kind, "invalid_value", "input"
        )
    if max(counts) > 8192:
        message = (
            f"This model's maximum context length is 8192 tokens, however you requested {max(counts)} tokens "
            f"({max(counts)} in your prompt; 0 for the completion). Please reduce your prompt."
        )
        return _error(400, message, kind, None)
    if sum(counts) > 300_000:
        message = f"Requested {sum(counts)} tokens, max 300000 tokens per request"
        return _error(400, message, "max_tokens_per_request", "max_tokens_per_request")
    if dimensions and model == "text-embedding-ada-002":
        return _error(400, "This model does not support specifying dimensions.", kind, None, "dimensions")
    if dimensions and dimensions > DIMENSIONS[model]:
        message = f"Invalid value for 'dimensions' = {dimensions}. Must be at most {DIMENSIONS[model]}."
        return _error(400, message, kind, None, "dimensions")
    return None


@cache
def _tokenizer() -> AnyTokenizer:
    return Tokenizer.from_pretrained("cl100k_base")


def _tokens(text: str) -> int:
    return len(_tokenizer().encode_ordinary(text))


def _success(content: Json) -> web.Response:
    headers = {
        "openai-processing-ms": "5",
        "x-ratelimit-limit-requests": "5000",
        "x-ratelimit-remaining-requests": "4999",
        "x-ratelimit-reset-requests": "12ms",
        "x-request-id": f"req_{uuid.uuid4().hex}",
    }
    return web.json_response(content, headers=headers)


def _error(status: int, message: str, kind: str, code: str | None, param: str | None = None) -> web.Response:
    error = {"message": message, "type": kind, "param": param, "code": code}
    return web.json_response(
        {"error": error}, status=status, headers={"x-request-id": f"req_{uuid.uuid4().hex}"}
    )
