"""Builds the embedder of each library; a library keeps its model until a change to the configured one is complete."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import cast

from towpath.bootstrap.cloud_providers import azure_openai_embedder, openai_embedder
from towpath.bootstrap.plugin_providers import is_own, own_provider
from towpath.clock import Clock
from towpath.config import Settings
from towpath.errors import ConfigError
from towpath.ledger.contract.library_models import LibraryModels
from towpath.model.library_embedding_model import ModelChange, ModelId
from towpath.process_runner import Continuation
from towpath.providers.contract import Embedder, Vectors
from towpath.providers.local.embeddings.english import EnglishEmbedder
from towpath.providers.local.embeddings.fast import FastEmbedder
from towpath.providers.local.embeddings.local_embedder import LocalEmbedder
from towpath.providers.local.embeddings.multilingual import MultilingualEmbedder
from towpath.stages.support.prepare_document import LightModel
from towpath.worker.process_pool import ProcessPool

log = logging.getLogger(__name__)

Run = Callable[..., Awaitable[Vectors]]


def run_in_pool(process_pool: ProcessPool) -> Run:
    return partial(process_pool.run, seconds=120)


async def run_in_thread(function: Callable[..., Vectors], *arguments: object) -> Vectors:
    """For queries, so that they do not queue behind documents."""
    return await asyncio.to_thread(function, *arguments)


def build_embedder(settings: Settings, run: Run) -> Embedder:
    """The embedder that the setting names."""
    match settings.embedder:
        case "openai":
            return openai_embedder(settings)
        case "azure-openai":
            return azure_openai_embedder(settings)
        case "english":
            return EnglishEmbedder(run)
        case "fast":
            return FastEmbedder(run)
        case name if is_own(name):
            return cast("Embedder", own_provider(settings, "embedder"))
        case _:
            return MultilingualEmbedder(run)


def model_id(of: Embedder) -> ModelId:
    return ModelId(of.model, of.dimension)


def light_model(embedder: Embedder) -> LightModel | None:
    """The model of an embedder that is so fast that reading a small text embeds it too."""
    if not isinstance(embedder, LocalEmbedder) or not embedder.is_light:
        return None
    return LightModel(embedder.model, Continuation.of(embedder.function))


class SettingsEmbedders:
    """Implements `LibraryEmbedders`: makes the embedder of any known model from the settings."""

    def __init__(self, settings: Settings, models: LibraryModels, run: Run) -> None:
        self._settings = settings
        self._models = models
        self._run = run
        self.chosen = build_embedder(settings, run)
        self._known: dict[ModelId, Embedder | None] = {model_id(self.chosen): self.chosen}

    async def for_organization(self, org_id: str) -> Embedder:
        library = await self._models.get(org_id)
        present = None if library is None else self.by_model(library.present)
        return present or self.chosen

    def by_model(self, model: ModelId) -> Embedder | None:
        if model not in self._known:
            self._known[model] = self._make(model)
        return self._known[model]

    def _make(self, model: ModelId) -> Embedder | None:
        for local in (
            MultilingualEmbedder(self._run),
            FastEmbedder(self._run),
            EnglishEmbedder(self._run),
        ):
            if model_id(local) == model:
                return local
        azure = self._settings.embedder == "azure-openai"
        if not azure and not self._settings.openai_api_key:
            return None
        try:
            return (azure_openai_embedder if azure else openai_embedder)(self._settings, model)
        except ConfigError:
            return None


async def start_model_changes(models: LibraryModels, chosen: Embedder, clock: Clock) -> list[ModelChange]:
    """Start to embed the libraries that have another model than the settings; a paid model waits for a confirmation."""
    target = model_id(chosen)
    started: list[ModelChange] = []
    for org_id, library in (await models.by_organization()).items():
        if library.target == target and library.next is None:
            continue
        if chosen.provider != "local" and library.next != target:
            plan = await models.plan_change(org_id, target)
            log.warning(
                "organization %s is embedded by %s, and the settings name %s: %d chunks would be embedded. "
                "`towpath model` shows the price, `towpath model change` starts it.",
                org_id,
                library.present.model,
                target.model,
                plan.chunks_left,
            )
            continue
        started.append(await models.start_change(org_id, target, clock.now()))
    return started
