"""A local OpenAI: embeddings that mean something, chat answers that keep to the asked form, real limits."""

from __future__ import annotations

import base64
import json
import time
import uuid
from functools import cache
from typing import Any

from aiohttp import web
from splintr import AnyTokenizer, Tokenizer

from tests.support.emulators.base import FAULT, Emulator
from tests.support.emulators.extraction import fill
from tests.support.emulators.faults import Fault
from tests.support.emulators.meaning import embed

Json = dict[str, Any]
DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
CONTEXT_WINDOW = 128_000
_CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded"}
_TYPES = {400: "invalid_request_error", 401: "invalid_request_error", 429: "tokens"}


class OpenAIEmulator(Emulator):
    """Its base address for the SDK is ``base_url``."""

    name = "openai"

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/v1/embeddings", self._embeddings, name="embeddings"),
            web.post("/v1/chat/completions", self._chat, name="chat"),
        ]

    def authorized(self, request: web.Request) -> bool:
        return request.headers.get("Authorization") == f"Bearer {self.key}"

    def error(self, status: int, fault: Fault | None = None) -> web.Response:
        code = (fault.code if fault else None) or _CODES.get(status)
        said = (fault.message if fault else None) or {
            401: "Incorrect API key provided: emulator-***. You can find your API key in your settings.",
            429: "Rate limit reached for requests. Please try again later.",
        }.get(status, "The server had an error while processing your request. Sorry about that!")
        kind = _TYPES.get(status, "server_error")
        if code == "insufficient_quota":
            kind, said = code, "You exceeded your current quota, please check your plan and billing details."
        response = _told(status, said, kind, code)
        if fault and fault.retry_after is not None:
            response.headers["retry-after-ms"] = f"{fault.retry_after * 1000:g}"
            response.headers["retry-after"] = f"{fault.retry_after:g}"
        return response

    async def _embeddings(self, request: web.Request) -> web.Response:
        asked: Json = await request.json()
        model = asked.get("model", "")
        if model not in DIMENSIONS:
            said = f"The model `{model}` does not exist or you do not have access to it."
            return _told(404, said, "invalid_request_error", "model_not_found")
        inputs = _inputs(asked.get("input"))
        counts = [_tokens(text) if isinstance(text, str) else len(text) for text in inputs]
        dimensions = asked.get("dimensions")
        if problem := _refusal(inputs, counts, model, dimensions):
            return problem
        texts = [text if isinstance(text, str) else " ".join(map(str, text)) for text in inputs]
        self.bill.charge(*(text.encode("utf-8", "replace") for text in texts), tokens=float(sum(counts)))
        data = [
            {"object": "embedding", "index": index, "embedding": self._vector(text, asked)}
            for index, text in enumerate(texts)
        ]
        fault = request.get(FAULT)
        if fault and fault.kind == "shuffle":
            data.reverse()
        usage = {"prompt_tokens": sum(counts), "total_tokens": sum(counts)}
        return _answered({"object": "list", "data": data, "model": model, "usage": usage})

    def _vector(self, text: str, asked: Json) -> str | list[float]:
        native = DIMENSIONS[asked["model"]]
        vector = embed(text, native, asked.get("dimensions") or native)
        if asked.get("encoding_format") == "base64":
            return base64.b64encode(vector.astype("<f4").tobytes()).decode()
        return [float(number) for number in vector]

    async def _chat(self, request: web.Request) -> web.Response:
        asked: Json = await request.json()
        fault = request.get(FAULT)
        prompt = sum(_tokens(message["content"]) + 4 for message in asked["messages"])
        if prompt > CONTEXT_WINDOW:
            said = f"This model's maximum context length is {CONTEXT_WINDOW} tokens, but you sent {prompt}."
            return _told(400, said, "invalid_request_error", "context_length_exceeded", "messages")
        form: Json = asked.get("response_format") or {"json_schema": {}}
        schema: Json = form["json_schema"].get("schema", {"type": "string"})
        text = str(asked["messages"][-1]["content"])
        content = json.dumps(fill(schema, text), ensure_ascii=False)
        allowed = int(asked.get("max_completion_tokens") or asked.get("max_tokens") or 16_384)
        finish = "stop"
        if _tokens(content) > allowed:
            content, finish = content[: 3 * allowed], "length"
        message: Json = {"role": "assistant", "content": content, "refusal": None}
        if fault and fault.kind == "refuse":
            message |= {"content": None, "refusal": "I'm sorry, I cannot assist with that request."}
        completion = _tokens(str(message["content"] or message["refusal"]))
        self.bill.charge(text.encode("utf-8", "replace"), tokens=float(prompt + completion))
        return _answered(
            {
                "id": f"chatcmpl-{uuid.uuid4().hex}",
                "object": "chat.completion",
                "created": int(time.time()),
                "model": asked["model"],
                "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
                "usage": {
                    "prompt_tokens": prompt,
                    "completion_tokens": completion,
                    "total_tokens": prompt + completion,
                    "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
                },
            }
        )


def _inputs(given: Any) -> list[str | list[int]]:
    """A text, texts, tokens, or lists of tokens: all of them as a list."""
    if isinstance(given, str) or (given and isinstance(given[0], int)):
        return [given]
    return list(given or [])


def _refusal(
    inputs: list[str | list[int]], counts: list[int], model: str, dimensions: int | None
) -> web.Response | None:
    """What the service says when a request goes beyond its limits."""
    kind = "invalid_request_error"
    if len(inputs) > 2048:
        said = (
            f"Invalid 'input': array too long. Expected maximum length 2048, but got {len(inputs)} instead."
        )
        return _told(400, said, kind, "array_above_max_length", "input")
    if not inputs or not all(inputs):
        return _told(400, "Invalid 'input': input cannot be an empty string.", kind, "invalid_value", "input")
    if max(counts) > 8192:
        said = (
            f"This model's maximum context length is 8192 tokens, however you requested {max(counts)} tokens "
            f"({max(counts)} in your prompt; 0 for the completion). Please reduce your prompt."
        )
        return _told(400, said, kind, None)
    if sum(counts) > 300_000:
        said = f"Requested {sum(counts)} tokens, max 300000 tokens per request"
        return _told(400, said, "max_tokens_per_request", "max_tokens_per_request")
    if dimensions and model == "text-embedding-ada-002":
        return _told(400, "This model does not support specifying dimensions.", kind, None, "dimensions")
    if dimensions and dimensions > DIMENSIONS[model]:
        said = f"Invalid value for 'dimensions' = {dimensions}. Must be at most {DIMENSIONS[model]}."
        return _told(400, said, kind, None, "dimensions")
    return None


@cache
def _tokenizer() -> AnyTokenizer:
    return Tokenizer.from_pretrained("cl100k_base")


def _tokens(text: str) -> int:
    return len(_tokenizer().encode_ordinary(text))


def _answered(body: Json) -> web.Response:
    headers = {
        "openai-processing-ms": "5",
        "x-ratelimit-limit-requests": "5000",
        "x-ratelimit-remaining-requests": "4999",
        "x-ratelimit-reset-requests": "12ms",
        "x-request-id": f"req_{uuid.uuid4().hex}",
    }
    return web.json_response(body, headers=headers)


def _told(status: int, message: str, kind: str, code: str | None, param: str | None = None) -> web.Response:
    error = {"message": message, "type": kind, "param": param, "code": code}
    return web.json_response(
        {"error": error}, status=status, headers={"x-request-id": f"req_{uuid.uuid4().hex}"}
    )
