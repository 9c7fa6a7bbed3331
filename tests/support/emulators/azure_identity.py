"""Emulators of Azure's sign-in: the token endpoint of a managed identity, and services that accept its tokens only."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

from aiohttp import web

from tests.support.emulators.base import Emulator
from tests.support.emulators.document_intelligence import DocumentIntelligenceEmulator
from tests.support.emulators.faults import Fault
from tests.support.emulators.openai import OpenAIEmulator

AI_RESOURCE = "https://cognitiveservices.azure.com"
STORAGE_RESOURCE = "https://storage.azure.com"


class TokenEndpoint(Emulator):
    """The endpoint of a managed identity on App Service. Its tokens are not signed."""

    name = "token-endpoint"

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which the SDK finds the endpoint."""
        return {"IDENTITY_ENDPOINT": f"{self.url}/msi/token", "IDENTITY_HEADER": self.key}

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/msi/token", self._token, name="token")]

    def authorized(self, request: web.Request) -> bool:
        return request.headers.get("X-IDENTITY-HEADER") == self.key

    def error(self, status: int, fault: Fault | None = None) -> web.Response:
        return web.json_response({"statusCode": status, "message": "No managed identity."}, status=status)

    async def _token(self, request: web.Request) -> web.Response:
        resource = request.query["resource"]
        expires = int(time.time()) + 3600
        answer = {"access_token": make_token(resource, expires), "expires_on": str(expires)}
        return web.json_response({**answer, "resource": resource, "token_type": "Bearer"})


def make_token(resource: str, expires: int) -> str:
    """A JSON web token with the claims that the services read."""
    claims: dict[str, Any] = {
        "aud": resource,
        "iss": "https://sts.windows.net/00000000-0000-0000-0000-000000000000/",
        "nbf": expires - 7200,
        "iat": expires - 7200,
        "exp": expires,
    }
    parts = [json.dumps(part).encode() for part in ({"alg": "RS256", "typ": "JWT"}, claims)]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (*parts, b"unsigned"))


def has_token(request: web.Request, resource: str) -> bool:
    """Whether the request has a token of the endpoint for this service."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if kind != "Bearer" or token.count(".") != 2:
        return False
    claims = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["aud"] == resource


class AzureOpenAIEmulator(OpenAIEmulator):
    """Azure OpenAI with one deployment; accepts its key or a token."""

    name = "azure-openai"
    deployment = "embeddings-eu"

    def model_of(self, name: str) -> str:
        return "text-embedding-3-small" if name == self.deployment else f"no deployment {name}"

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/openai/v1/embeddings", self._embeddings, name="embeddings"),
            web.post("/openai/v1/chat/completions", self._chat, name="chat"),
        ]

    def authorized(self, request: web.Request) -> bool:
        return super().authorized(request) or has_token(request, AI_RESOURCE)


class KeylessDocumentIntelligence(DocumentIntelligenceEmulator):
    """Document Intelligence whose keys are disabled."""

    def authorized(self, request: web.Request) -> bool:
        return has_token(request, AI_RESOURCE)
