"""Creates the official OpenAI client without automatic retries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from towpath.errors import ConfigError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENAI_URL = "https://api.openai.com/v1"
#: Time in seconds to connect; the time for an answer is a setting.
CONNECT_SECONDS = 10.0


class TokenSource(Protocol):
    """Gives a valid token for each request, instead of a key."""

    async def __call__(self) -> str: ...
    async def close(self) -> None: ...


ApiKey = str | TokenSource


def create_client(api_key: ApiKey, base_url: str, timeout: float) -> AsyncOpenAI:
    """Create a client. The SDK is imported here because the import takes a second."""
    try:
        from openai import AsyncOpenAI, Timeout
    except ImportError as error:
        raise ConfigError(
            "The package for OpenAI is not installed. Run: pip install 'towpath[openai]'"
        ) from error
    return AsyncOpenAI(
        api_key=api_key,
        base_url=base_url,
        max_retries=0,  # the default sends a billed request up to three times
        timeout=Timeout(timeout, connect=CONNECT_SECONDS),
    )
