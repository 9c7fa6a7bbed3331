"""Sends one small request to each configured provider, for `towpath check --live`."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from towpath.bootstrap import cloud_providers
from towpath.bootstrap.call_pipeline import build_speechkit_client, openai_call_analyzer, openai_transcriber
from towpath.bootstrap.field_extractors import field_extractor
from towpath.bootstrap.question_service import openai_question_answerer
from towpath.config import Settings
from towpath.errors import TowpathError


class ProbedProvider(Protocol):
    """A provider's client that can verify its settings by one small request."""

    @property
    def provider(self) -> str: ...
    async def probe(self) -> None: ...
    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The answer of one provider: ``error`` is None if it accepted the request."""

    name: str
    provider: str
    seconds: float
    error: str | None


async def probe_providers(settings: Settings) -> list[ProbeResult]:
    """Send the requests one after another. Raises ConfigError if a required setting is missing."""
    cloud_providers.check_providers(settings)
    results: list[ProbeResult] = []
    async with _clients(settings) as clients:
        for name, client in clients.items():
            started = time.monotonic()
            try:
                await client.probe()
                error = None
            except TowpathError as failure:
                error = str(failure)
            results.append(ProbeResult(name, client.provider, time.monotonic() - started, error))
    return results


@asynccontextmanager
async def _clients(settings: Settings) -> AsyncGenerator[dict[str, ProbedProvider]]:
    """The clients of all configured providers, by the setting that names each."""
    clients: dict[str, ProbedProvider] = {}
    if settings.reader == "azure":
        clients["reader = azure"] = cloud_providers.document_intelligence(settings)
    if settings.embedder == "openai":
        clients["embedder = openai"] = cloud_providers.openai_embedder(settings)
    if settings.embedder == "azure-openai":
        clients["embedder = azure-openai"] = cloud_providers.azure_openai_embedder(settings)
    if settings.transcriber.startswith("speechkit"):
        clients[f"transcriber = {settings.transcriber}"] = build_speechkit_client(settings)
    if settings.transcriber == "openai":
        clients["transcriber = openai"] = openai_transcriber(settings, None)
    if settings.call_analyzer == "openai":
        clients["call_analyzer = openai"] = openai_call_analyzer(settings)
    if settings.answerer == "openai":
        clients["answerer = openai"] = openai_question_answerer(settings)
    extractor = field_extractor(settings)
    if extractor is not None:
        clients[f"field_extractor = {settings.field_extractor}"] = extractor
    try:
        yield clients
    finally:
        for client in clients.values():
            await client.aclose()
