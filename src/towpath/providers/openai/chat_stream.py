"""Reads the answer of a chat completion as a stream of server-sent events, or whole from a server without streams."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol

from towpath.errors import Ambiguous, Transient

_DONE = "[DONE]"


class HttpAnswer(Protocol):
    @property
    def headers(self) -> Any: ...
    def iter_lines(self) -> AsyncIterator[str]: ...
    async def read(self) -> bytes: ...


async def read_completion(answer: HttpAnswer, on_text: Callable[[str], None]) -> bytes:
    """The completion as the body of an answer without a stream; ``on_text`` receives the text as it arrives."""
    if "text/event-stream" not in str(answer.headers.get("content-type", "")):
        body = await answer.read()
        on_text(_content(body))
        return body
    content: list[str] = []
    refusal: list[str] = []
    finish_reason: str | None = None
    usage: dict[str, Any] = {}
    async for event in _events(answer):
        if error := event.get("error"):
            raise Transient(f"The chat model failed while it answered: {_message(error)}")
        usage = event.get("usage") or usage
        for choice in event.get("choices") or ():
            delta: dict[str, Any] = choice.get("delta") or {}
            if text := delta.get("content"):
                content.append(text)
                on_text(text)
            if text := delta.get("refusal"):
                refusal.append(text)
            finish_reason = choice.get("finish_reason") or finish_reason
    if finish_reason is None:
        raise Ambiguous("The answer of OpenAI ended before it was complete. It may be billed.")
    message = {"role": "assistant", "content": "".join(content), "refusal": "".join(refusal) or None}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    return json.dumps({"choices": [choice], "usage": usage}, ensure_ascii=False).encode("utf-8", "replace")


async def _events(answer: HttpAnswer) -> AsyncIterator[dict[str, Any]]:
    async for line in answer.iter_lines():
        if not line.startswith("data:"):
            continue
        data = line.removeprefix("data:").strip()
        if data == _DONE:
            return
        try:
            yield json.loads(data)
        except ValueError as error:
            raise Ambiguous(f"The answer of OpenAI is not JSON ({error}). It may be billed.") from error


def _content(body: bytes) -> str:
    try:
        return str(json.loads(body)["choices"][0]["message"].get("content") or "")
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise Ambiguous(f"The answer of OpenAI is incomplete ({error!r}). It may be billed.") from error


def _message(error: Any) -> str:
    return str(error.get("message", error))[:500] if isinstance(error, dict) else str(error)[:500]  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]  (JSON of the service)
