"""The official client, without the retries it makes by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from towpath.errors import ConfigError

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENAI_URL = "https://api.openai.com/v1"


def connect(api_key: str, base_url: str, timeout: float) -> AsyncOpenAI:
    """A client for one service; its import takes a second, hence inside."""
    try:
        from openai import AsyncOpenAI, Timeout
    except ImportError as error:
        raise ConfigError("OpenAI needs one more package: pip install 'towpath[openai]'") from error
    return AsyncOpenAI(
        api_key=api_key,
        base_url=base_url,
        max_retries=0,  # the default sends a request, and pays for it, up to three times
        timeout=Timeout(timeout, connect=min(10.0, timeout)),
    )
