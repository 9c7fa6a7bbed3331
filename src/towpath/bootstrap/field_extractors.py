"""Builds the field extractor and the field schemas that the settings name."""

from __future__ import annotations

from functools import partial

from towpath.bootstrap import azure_identity
from towpath.bootstrap.cloud_providers import require_setting
from towpath.config import Settings
from towpath.errors import ConfigError, SchemaRefused
from towpath.fields.schemas import read_folder
from towpath.ledger.contract.field_schemas import StoredFieldSchemas
from towpath.model.field_schema import check_name
from towpath.pipelines.pipeline import StageEntry
from towpath.providers.openai.field_extractor import OpenAIFieldExtractor
from towpath.queries.field_schemas import FieldSchemaCatalog
from towpath.stages.extract_fields import AUTO, extract_fields
from towpath.storage.contract import BlobStore

OFF = "off"


def build_schemas(settings: Settings, stored: StoredFieldSchemas) -> FieldSchemaCatalog:
    folder = settings.field_schemas_folder
    try:
        if settings.field_schema != AUTO:
            # A schema with this name may be stored later.
            check_name(settings.field_schema)
        return FieldSchemaCatalog(stored, {} if folder is None else read_folder(folder))
    except SchemaRefused as error:
        raise ConfigError(str(error)) from error


def field_extractor(settings: Settings) -> OpenAIFieldExtractor | None:
    """The extractor of the settings; None if it is off."""
    if settings.field_extractor == OFF:
        return None
    if settings.field_extractor == "openai":
        return OpenAIFieldExtractor(
            require_setting(settings, "openai_api_key", "field_extractor = openai"),
            settings.openai_field_model,
            base_url=settings.openai_base_url,
        )
    reason = "field_extractor = azure-openai"
    endpoint = require_setting(settings, "azure_openai_endpoint", reason)
    return OpenAIFieldExtractor(
        settings.azure_openai_key
        or azure_identity.AzureTokens(azure_identity.azure_credential(settings, f"`{reason}`")),
        settings.openai_field_model,
        deployment=settings.azure_openai_field_deployment,
        base_url=f"{endpoint.rstrip('/')}/openai/v1",
    )


def extract_fields_entry(
    settings: Settings,
    extractor: OpenAIFieldExtractor | None,
    schemas: FieldSchemaCatalog,
    blobs: BlobStore,
) -> StageEntry | None:
    """The stage `extract_fields` with its capabilities; None if the extractor is off."""
    if extractor is None:
        return None
    stage = partial(
        extract_fields,
        blobs=blobs,
        extractor=extractor,
        schemas=schemas,
        schema_name=settings.field_schema,
        part_characters=settings.field_part_characters,
    )
    return StageEntry("extract_fields", stage)
