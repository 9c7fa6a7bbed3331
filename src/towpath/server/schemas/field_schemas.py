"""Request and response models for field schemas."""

from __future__ import annotations

from pydantic import Field

from towpath.queries.field_schemas import CatalogEntry, SchemaSource
from towpath.server.schemas.base import View


class SchemaSummaryView(View):
    """A field schema in a list."""

    name: str
    title: str
    description: str
    source: SchemaSource = Field(
        description="`organization`: stored by PUT; `folder`: a file of the settings folder; `shipped`: of Towpath"
    )
    values: list[str] = Field(description="Names of its values, such as `total` and `line_items[].amount`")


class SchemaView(SchemaSummaryView):
    """A field schema with its JSON Schema."""

    document: dict[str, object] = Field(description="The JSON Schema as it was written")


def summary_view(entry: CatalogEntry) -> SchemaSummaryView:
    return SchemaSummaryView.model_validate(_summary(entry))


def schema_view(entry: CatalogEntry) -> SchemaView:
    return SchemaView.model_validate({**_summary(entry), "document": dict(entry.schema.document)})


def _summary(entry: CatalogEntry) -> dict[str, object]:
    schema = entry.schema
    return {
        "name": schema.name,
        "title": schema.title,
        "description": schema.description,
        "source": entry.source,
        "values": schema.value_names,
    }
