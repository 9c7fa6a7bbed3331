"""Collects the settings that must be equal in every process of an installation, and makes the policy of new runs."""

from __future__ import annotations

from towpath.bootstrap import cloud_providers
from towpath.config import Settings
from towpath.model.json_types import Json
from towpath.model.run_policy import RunPolicy

#: Processes that differ in one of these treat runs, leases or contents differently.
SHARED = (
    "max_attempts",
    "max_crashes",
    "run_deadline_seconds",
    "call_deadline_seconds",
    "continue_after_timeout",
    "recovery",
    "backoff",
    "backoff_scale",
    "provider_patience_seconds",
    "throttle_uses_attempt",
    "lease_seconds",
    "heartbeat_seconds",
    "embedder",
    "openai_embedding_model",
    "openai_embedding_dimensions",
    "field_extractor",
    "field_schema",
    "ocr",
    "ocr_languages",
    "keep_original",
    "storage",
)


def shared_settings(settings: Settings) -> Json:
    return {name: getattr(settings, name) for name in SHARED if hasattr(settings, name)}


def run_policy(settings: Settings) -> RunPolicy:
    """What a run that is created now is promised."""
    patience = cloud_providers.provider_patience(settings)
    return RunPolicy(
        max_attempts=settings.max_attempts,
        recovery=settings.recovery,
        backoff=settings.backoff,
        backoff_scale=settings.backoff_scale,
        provider_patience_seconds=patience.seconds,
        patience_by_provider=dict(patience.by_provider),
        throttle_uses_attempt=settings.throttle_uses_attempt,
    )
