"""Services of others, as the settings name them, and how fast they may be asked."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from towpath.config import PREFIX, Settings
from towpath.errors import ConfigError
from towpath.lifecycle.pacing import Limits
from towpath.providers.azure.document_intelligence import DocumentIntelligence
from towpath.providers.contract import Analyzer
from towpath.providers.local.counting import count_pages
from towpath.providers.openai.embeddings import OpenAIEmbedder
from towpath.worker.children import Children
from towpath.worker.governor import Pauses

_AZURE, _OPENAI, _SPEECHKIT = "azure-document-intelligence", "openai", "yandex-speechkit"
_OFFICE = ("application/vnd.openxmlformats", "text/html")


class CloudReading:
    """Which files are analyzed elsewhere, and how many pages those have by themselves."""

    def __init__(self, settings: Settings, children: Children) -> None:
        self._children = children
        self._office = settings.document_intelligence_office
        self._analyzer = _document_intelligence(settings) if settings.reader == "azure" else None

    def analyzer_for(self, media_type: str) -> Analyzer | None:
        """PDFs and images; Office and HTML only when asked for, since they gain nothing and cost more."""
        analyzer = self._analyzer
        if analyzer is None or not analyzer.accepts(media_type):
            return None
        return None if media_type.startswith(_OFFICE) and not self._office else analyzer

    async def count_pages(self, path: Path, media_type: str) -> int | None:
        return await self._children.run(count_pages, str(path), media_type, seconds=60)

    async def aclose(self) -> None:
        if self._analyzer is not None:
            await self._analyzer.aclose()


def openai_embedder(settings: Settings) -> OpenAIEmbedder:
    return OpenAIEmbedder(
        wanted(settings, "openai_api_key", "embedder = openai"),
        settings.openai_embedding_model,
        settings.openai_embedding_dimensions,
        base_url=settings.openai_base_url,
        price_per_million=settings.openai_embedding_price,
    )


def limits(settings: Settings) -> dict[str, Limits]:
    """What is asked of whom, by the names under which their calls are remembered."""
    return {
        _AZURE: Limits(
            settings.document_intelligence_concurrency, settings.document_intelligence_requests_per_minute
        ),
        _OPENAI: Limits(
            settings.openai_concurrency,
            settings.openai_requests_per_minute,
            settings.openai_tokens_per_minute,
        ),
        _SPEECHKIT: Limits(None, settings.speechkit_requests_per_minute),
    }


def pauses(settings: Settings) -> Pauses:
    """Where runs have a deadline, waiting for a person would only end in a less telling failure."""
    waits = settings.run_deadline_seconds is None
    return Pauses(refused=settings.refused_pause_seconds if waits else None)


def check(settings: Settings) -> None:
    """Say at start what is missing, rather than at the first document."""
    if settings.reader == "azure":
        _installed("azure.ai.documentintelligence", "azure", "reader = azure")
        for name in ("document_intelligence_endpoint", "document_intelligence_key"):
            wanted(settings, name, "reader = azure")
    for role in ("embedder", "analyst"):
        if getattr(settings, role) == "openai":
            _installed("openai", "openai", f"{role} = openai")
            wanted(settings, "openai_api_key", f"{role} = openai")
    if settings.transcriber != "local":
        wanted(settings, "speechkit_api_key", f"transcriber = {settings.transcriber}")


def _document_intelligence(settings: Settings) -> DocumentIntelligence:
    why = "reader = azure"
    return DocumentIntelligence(
        wanted(settings, "document_intelligence_endpoint", why),
        wanted(settings, "document_intelligence_key", why),
        settings.document_intelligence_model,
        settings.document_intelligence_features,
        by_url=settings.document_intelligence_by_url,
        price_per_thousand=settings.document_intelligence_price,
    )


def wanted(settings: Settings, name: str, why: str) -> str:
    """A setting that another one cannot do without."""
    value: str | None = getattr(settings, name)
    if not value:
        raise ConfigError(
            f"The setting `{why}` needs `{name}` too: set {PREFIX}{name.upper()}, or put it into towpath.toml."
        )
    return value


def _installed(package: str, extra: str, why: str) -> None:
    try:
        found = find_spec(package) is not None
    except ModuleNotFoundError:
        found = False
    if not found:
        raise ConfigError(f"The setting `{why}` needs more packages: pip install 'towpath[{extra}]'")
