"""A typed client of the API: `Client` blocks, `AsyncClient` is for asyncio. See docs/guides/python-client.md."""

from towpath.client.async_client import AsyncClient
from towpath.client.errors import ApiError, ApiNotFound, ConnectionFailed
from towpath.client.sync_client import Client

__all__ = ["ApiError", "ApiNotFound", "AsyncClient", "Client", "ConnectionFailed"]
