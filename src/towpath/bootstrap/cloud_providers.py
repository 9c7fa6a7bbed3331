"""Builds the clients of cloud providers from the settings, and their rate limits."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from towpath.bootstrap import azure_identity
from towpath.config import PREFIX, Settings
from towpath.errors import ConfigError
from towpath.lifecycle.rate_limit import Limits
from towpath.model.library_embedding_model import ModelId
from towpath.process_runner import InputFile
from towpath.providers.azure.document_intelligence import DocumentIntelligence
from towpath.providers.contract import Analyzer
from towpath.providers.local.embeddings.model_package import model_folder
from towpath.providers.openai.embeddings import OpenAIEmbedder
from towpath.readers.page_count import count_pages
from towpath.worker.process_pool import ProcessPool
from towpath.worker.provider_limiter import BackoffSettings
from towpath.worker.provider_patience import ProviderPatience

_AZURE, _OPENAI, _SPEECHKIT = "azure-document-intelligence", "openai", "yandex-speechkit"
#: The package of each local embedding model.
LOCAL_MODELS = {
    "multilingual": "towpath-model-multilingual",
    "fast": "towpath-model-fast",
    "english": "towpath-model-english",
}
_OFFICE_TYPES = ("application/vnd.openxmlformats", "text/html")


class AnalyzerSelector:
    """Selects the files that a cloud analyzer reads, and counts their pages."""

    def __init__(self, settings: Settings, process_pool: ProcessPool) -> None:
        self._process_pool = process_pool
        self._sends_office = settings.document_intelligence_office
        self._analyzer = document_intelligence(settings) if settings.reader == "azure" else None

    def analyzer_for(self, media_type: str) -> Analyzer | None:
        """The analyzer for PDFs and images; for Office and HTML only if the setting asks for it.

        Office and HTML files are read locally with the same result and at no cost.
        """
        analyzer = self._analyzer
        if analyzer is None or not analyzer.accepts(media_type):
            return None
        return None if media_type.startswith(_OFFICE_TYPES) and not self._sends_office else analyzer

    async def count_pages(self, path: Path, media_type: str) -> int | None:
        return await self._process_pool.run(count_pages, InputFile(path), media_type, seconds=60)

    async def aclose(self) -> None:
        if self._analyzer is not None:
            await self._analyzer.aclose()


def openai_embedder(settings: Settings, model: ModelId | None = None) -> OpenAIEmbedder:
    """The model of the settings, or another one of the same server."""
    return OpenAIEmbedder(
        require_setting(settings, "openai_api_key", "embedder = openai"),
        settings.openai_embedding_model if model is None else model.model,
        settings.openai_embedding_dimensions if model is None else model.dimension,
        base_url=settings.openai_base_url,
        batch_size=settings.openai_batch_size,
        batch_tokens=settings.openai_batch_tokens,
        price_per_million=settings.openai_embedding_price,
    )


def azure_openai_embedder(settings: Settings, model: ModelId | None = None) -> OpenAIEmbedder:
    """The deployment of the settings, or another one that has the name of its model."""
    reason = "embedder = azure-openai"
    endpoint = require_setting(settings, "azure_openai_endpoint", reason)
    return OpenAIEmbedder(
        settings.azure_openai_key
        or azure_identity.AzureTokens(azure_identity.azure_credential(settings, f"`{reason}`")),
        settings.openai_embedding_model if model is None else model.model,
        settings.openai_embedding_dimensions if model is None else model.dimension,
        deployment=settings.azure_openai_deployment if model is None else None,
        base_url=f"{endpoint.rstrip('/')}/openai/v1",
        batch_size=settings.openai_batch_size,
        batch_tokens=settings.openai_batch_tokens,
        price_per_million=settings.openai_embedding_price,
    )


def provider_limits(settings: Settings) -> dict[str, Limits]:
    """The rate and concurrency limits by provider name, as stored with provider calls."""
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


def throttle_pauses(settings: Settings) -> BackoffSettings:
    """Pauses after a refusal. With a run deadline, fail at once: the deadline would hide the reason."""
    has_deadline = settings.run_deadline_seconds is not None
    return BackoffSettings(
        refused=None if has_deadline else settings.refused_pause_seconds,
        throttle_uses_attempt=settings.throttle_uses_attempt,
    )


def provider_patience(settings: Settings) -> ProviderPatience:
    """For how long a run waits for each provider."""
    by_provider = {
        _AZURE: settings.document_intelligence_patience_seconds,
        _OPENAI: settings.openai_patience_seconds,
        _SPEECHKIT: settings.speechkit_patience_seconds,
    }
    return ProviderPatience(
        settings.provider_patience_seconds,
        {provider: seconds for provider, seconds in by_provider.items() if seconds is not None},
    )


def check_providers(settings: Settings) -> None:
    """Raise ConfigError at start if a setting or a package is missing."""
    if settings.reader == "azure":
        require_package("azure.ai.documentintelligence", "azure", "reader = azure")
        require_setting(settings, "document_intelligence_endpoint", "reader = azure")
        _require_key(settings, "document_intelligence_key", "reader = azure")
    if settings.embedder == "azure-openai":
        require_package("openai", "openai", "embedder = azure-openai")
        require_setting(settings, "azure_openai_endpoint", "embedder = azure-openai")
        _require_key(settings, "azure_openai_key", "embedder = azure-openai")
    if settings.field_extractor == "azure-openai":
        require_package("openai", "openai", "field_extractor = azure-openai")
        require_setting(settings, "azure_openai_endpoint", "field_extractor = azure-openai")
        _require_key(settings, "azure_openai_key", "field_extractor = azure-openai")
    for role in ("embedder", "call_analyzer", "transcriber", "answerer", "field_extractor"):
        if getattr(settings, role) == "openai":
            require_package("openai", "openai", f"{role} = openai")
            require_setting(settings, "openai_api_key", f"{role} = openai")
    if settings.embedder == "english":
        require_package("onnxruntime", "english", "embedder = english")
    if settings.embedder in LOCAL_MODELS:
        model_folder(LOCAL_MODELS[settings.embedder])
    if settings.transcriber.startswith("speechkit"):
        require_setting(settings, "speechkit_api_key", f"transcriber = {settings.transcriber}")
    if settings.transcriber == "speechkit-v2" and "AccountKey=" not in (settings.blob_storage or ""):
        raise ConfigError(
            "The setting `transcriber = speechkit-v2` needs an object store that can sign addresses: SpeechKit "
            "downloads the recordings from it. Set `blob_storage` with an account key, or use `transcriber = "
            "speechkit` (API v3), which needs none."
        )


def document_intelligence(settings: Settings) -> DocumentIntelligence:
    reason = "reader = azure"
    return DocumentIntelligence(
        require_setting(settings, "document_intelligence_endpoint", reason),
        settings.document_intelligence_key or azure_identity.azure_credential(settings, f"`{reason}`"),
        settings.document_intelligence_model,
        settings.document_intelligence_features,
        by_url=settings.document_intelligence_by_url,
        price_per_thousand=settings.document_intelligence_price,
    )


def require_setting(settings: Settings, name: str, reason: str) -> str:
    """The value of a setting that another setting (``reason``) requires."""
    value: str | None = getattr(settings, name)
    if not value:
        raise ConfigError(
            f"The setting `{reason}` needs `{name}`: set {PREFIX}{name.upper()}, or add it to towpath.toml."
        )
    return value


def _require_key(settings: Settings, name: str, reason: str) -> None:
    """A key of an Azure service, or the identity that is used without a key."""
    if settings.azure_credential == "default" and not getattr(settings, name):
        require_package("azure.identity", "azure", "azure_credential = default")
    else:
        require_setting(settings, name, reason)


def require_package(package: str, extra: str, reason: str) -> None:
    """Raise ConfigError with the install command if a package is missing."""
    try:
        installed = find_spec(package) is not None
    except ModuleNotFoundError:
        installed = False
    if not installed:
        raise ConfigError(f"The setting `{reason}` needs more packages: pip install 'towpath[{extra}]'")
