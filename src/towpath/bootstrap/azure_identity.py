"""Signs in to Azure services with the identity that DefaultAzureCredential finds, such as a managed identity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from towpath.config import Settings
from towpath.errors import AccountRefused, ConfigError

if TYPE_CHECKING:
    from azure.core.credentials_async import AsyncTokenCredential

#: The scope of tokens for Azure OpenAI and the other AI services.
AI_SCOPE = "https://cognitiveservices.azure.com/.default"


def azure_credential(settings: Settings, reason: str) -> AsyncTokenCredential:
    """A credential for one client, which closes it. ``reason`` is the setting that needs it."""
    if settings.azure_credential != "default":
        raise ConfigError(
            f"To use {reason}, set a key, or `azure_credential = default` for the Azure identity."
        )
    try:
        from azure.identity.aio import DefaultAzureCredential
    except ImportError as error:
        raise ConfigError(
            "The setting `azure_credential = default` needs more packages: pip install 'towpath[azure]'"
        ) from error
    return DefaultAzureCredential()


class AzureTokens:
    """Gives a valid token for each request; the credential keeps a token until shortly before it expires."""

    def __init__(self, of: AsyncTokenCredential, scope: str = AI_SCOPE) -> None:
        self._credential = of
        self._scope = scope

    async def __call__(self) -> str:
        from azure.core.exceptions import ClientAuthenticationError

        try:
            return (await self._credential.get_token(self._scope)).token
        except ClientAuthenticationError as error:
            raise AccountRefused(f"Azure gave no token for {self._scope}: {error.message}") from error

    async def close(self) -> None:
        await self._credential.close()
