"""The base class of everything that asks a chat model for an answer by a JSON schema (structured outputs)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, cast

from towpath.errors import Ambiguous
from towpath.model.provider_answer import Answer
from towpath.providers.openai import prices
from towpath.providers.openai.client import OPENAI_URL, ApiKey, create_client
from towpath.providers.openai.errors import PROVIDER, translate_error

if TYPE_CHECKING:
    from openai import AsyncOpenAI


def object_schema(**properties: Any) -> dict[str, Any]:
    """Strict mode requires every property and allows no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def array_schema(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


class ChatModel:
    """A chat model of OpenAI, of Azure OpenAI or of a compatible server. It sends each request once."""

    provider = PROVIDER
    #: The longest answer and the time for it, unless the constructor is given others.
    default_answer_tokens: ClassVar[int] = 4000
    default_timeout: ClassVar[float] = 120.0

    def __init__(
        self,
        api_key: ApiKey,
        model: str = "gpt-4.1-mini",
        *,
        deployment: str | None = None,
        base_url: str = OPENAI_URL,
        max_answer_tokens: int | None = None,
        price: prices.ChatPrice | None = None,
        timeout: float | None = None,
    ) -> None:
        self.model = model
        #: Azure names a deployment in the request; its answers are those of the model.
        self._deployment = deployment or model
        self._max_answer_tokens = max_answer_tokens or self.default_answer_tokens
        self._price = price or prices.CHATS.get(model, prices.ChatPrice(0.0, 0.0, 0.0))
        self._key, self._base_url = api_key, base_url
        self._timeout = timeout or self.default_timeout
        self._client: AsyncOpenAI | None = None

    async def complete(self, instructions: str, text: str, name: str, schema: Mapping[str, Any]) -> bytes:
        """Send one request and return the body of its answer."""
        client = self._connected()
        from openai import OpenAIError

        try:
            response = await cast(Any, client.chat.completions).with_raw_response.create(
                **self._request(instructions, text, name, schema)
            )
        except OpenAIError as error:
            raise translate_error(error) from error
        return bytes(response.content)

    async def probe(self) -> None:
        """Send a message of one word, to verify address, key and model."""
        client = self._connected()
        from openai import OpenAIError

        try:
            await client.chat.completions.create(
                model=self._deployment,
                messages=[{"role": "user", "content": "towpath"}],
                max_completion_tokens=16,
                store=False,
            )
        except OpenAIError as error:
            raise translate_error(error) from error

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None
        if not isinstance(self._key, str):
            await self._key.close()

    def _connected(self) -> AsyncOpenAI:
        if self._client is None:
            self._client = create_client(self._key, self._base_url, self._timeout)
        return self._client

    def _request(self, instructions: str, text: str, name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "model": self._deployment,
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": text.encode("utf-8", "replace").decode("utf-8")},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": name, "strict": True, "schema": schema},
            },
            "max_completion_tokens": self._max_answer_tokens,
            "store": False,
        }

    def _priced(self, body: bytes) -> Answer:
        usage: dict[str, Any] = json.loads(body).get("usage") or {}
        prompt, completion = int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0))
        details: dict[str, Any] = usage.get("prompt_tokens_details") or {}
        cached = int(details.get("cached_tokens") or 0)
        units = {"prompt_tokens": float(prompt), "completion_tokens": float(completion)}
        return Answer(body, units, self._price.cost(prompt, cached, completion))


def first_choice(answer: bytes) -> tuple[dict[str, Any], str]:
    """The message of the first choice and the reason why it ended."""
    try:
        choice: Any = json.loads(answer)["choices"][0]
        return dict(choice["message"]), str(choice["finish_reason"])
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise Ambiguous(f"The answer of OpenAI is incomplete ({error!r}). It may be billed.") from error
