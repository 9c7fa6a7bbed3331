"""An embedder, a transcriber or an analyzer of a package is chosen by a setting; what is missing is named."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import numpy as np
import pytest

from towpath import plugins
from towpath.bootstrap.call_pipeline import build_transcriber, call_analyzer
from towpath.bootstrap.embedders import build_embedder, run_in_thread
from towpath.bootstrap.plugin_providers import GROUPS, own_provider
from towpath.config import Settings, load
from towpath.config.pipelines import StageSettings
from towpath.errors import ConfigError
from towpath.providers.local.analysis.local_call_analyzer import LocalCallAnalyzer
from towpath.providers.local.speech.whisper import WhisperTranscriber
from towpath.sdk import OwnEmbedder
from towpath.worker.process_pool import ProcessPool

Offer = Callable[..., None]


class LetterEmbedder(OwnEmbedder):
    """Counts the letters a and b."""

    provider, model, dimension = "acme", "letters-1", 2

    def __init__(self, settings: Mapping[str, object]) -> None:
        self.url = settings["url"]

    async def vectors(self, texts: Any) -> Any:
        return [[text.count("a"), text.count("b")] for text in texts]


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Offer:
    """Let a package offer these objects by entry points named `acme`."""

    def offer(group: str, value: object) -> None:
        module = types.ModuleType("acme_providers")
        vars(module)["offered"] = value
        monkeypatch.setitem(sys.modules, "acme_providers", module)
        point = EntryPoint("acme", "acme_providers:offered", group)

        def entry_points(group: str) -> EntryPoints:
            return EntryPoints([point] if group == point.group else [])

        monkeypatch.setattr(plugins, "entry_points", entry_points)

    return offer


def _makes(provider: object) -> Callable[[Mapping[str, object]], object]:
    def make(_values: Mapping[str, object]) -> object:
        return provider

    return make


async def test_an_own_embedder_is_called_with_its_settings(offer: Offer) -> None:
    offer("towpath.embedders", LetterEmbedder)
    settings = Settings(embedder="own:acme", stages=(StageSettings("acme", {"url": "http://acme"}),))
    chosen = build_embedder(settings, run_in_thread)

    assert isinstance(chosen, LetterEmbedder)
    assert chosen.url == "http://acme"
    embedded = await chosen.embed(["aaab", "", "b"])
    assert np.allclose(np.linalg.norm(embedded.vectors, axis=1), [1.0, 0.0, 1.0])
    assert chosen.batches(["x"] * 130) == [range(0, 64), range(64, 128), range(128, 130)]


def test_an_own_transcriber_and_an_own_analyzer_are_used(offer: Offer) -> None:
    pool = ProcessPool(1)
    offer("towpath.transcribers", _makes(WhisperTranscriber(pool)))
    assert isinstance(build_transcriber(Settings(transcriber="own:acme"), pool), WhisperTranscriber)

    offer("towpath.analyzers", _makes(LocalCallAnalyzer(pool)))
    assert isinstance(call_analyzer(Settings(call_analyzer="own:acme"), pool), LocalCallAnalyzer)


@pytest.mark.parametrize("setting", list(GROUPS))
def test_an_object_without_a_needed_part_is_refused(offer: Offer, setting: str) -> None:
    offer(GROUPS[setting], _makes(object()))
    with pytest.raises(ConfigError, match=r"The package .* has no `provider`"):
        own_provider(load({setting: "own:acme"}, environment={}).settings, setting)


def test_an_error_of_the_package_names_it(offer: Offer) -> None:
    offer("towpath.embedders", LetterEmbedder)
    with pytest.raises(ConfigError, match=r"cannot make `embedder = own:acme`: KeyError: 'url'"):
        own_provider(Settings(embedder="own:acme"), "embedder")


def test_a_package_that_is_not_installed_is_named_with_its_entry_point(offer: Offer) -> None:
    offer("towpath.embedders", LetterEmbedder)
    with pytest.raises(
        ConfigError, match=r"needs a package with the entry point `other` \(towpath.embedders\)"
    ):
        own_provider(Settings(embedder="own:other"), "embedder")
