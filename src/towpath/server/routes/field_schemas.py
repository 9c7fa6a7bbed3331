"""Routes for field schemas: the values that a field extractor fills from documents."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Body, Response

from towpath.model.audit import AuditAction
from towpath.model.field_schema import parse_schema
from towpath.queries.field_schemas import CatalogEntry
from towpath.server.deps import Caller, NeedsDiskSpace, Org, ServicesDep, audit
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.field_schemas import SchemaSummaryView, SchemaView, schema_view, summary_view

router = APIRouter(prefix="/schemas", tags=["fields"])


@router.get("")
async def list_schemas(services: ServicesDep, org: Org) -> list[SchemaSummaryView]:
    """List all field schemas by name: those of the organization, of the settings folder, and the shipped ones."""
    return [summary_view(entry) for entry in await services.schemas.list(org)]


@router.get("/{schema_name}", responses={404: PROBLEM_RESPONSE})
async def get_schema(services: ServicesDep, org: Org, schema_name: str) -> SchemaView:
    """Get one field schema with its JSON Schema."""
    return schema_view(await services.schemas.get(org, schema_name))


@router.put("/{schema_name}", dependencies=[NeedsDiskSpace], responses={422: PROBLEM_RESPONSE})
async def put_schema(
    services: ServicesDep,
    caller: Caller,
    response: Response,
    schema_name: str,
    document: Annotated[dict[str, object], Body(description="A JSON Schema of the type object")],
) -> SchemaView:
    """Store a field schema of the organization, or replace it. It hides a file with the same name."""
    schema = parse_schema(schema_name, document)
    created = await services.schemas.put(caller.org_id, schema, services.clock.now())
    await audit(services, caller, AuditAction.SCHEMA_STORED, schema_name, new=created)
    response.status_code = 201 if created else 200
    return schema_view(CatalogEntry(schema, "organization"))


@router.delete("/{schema_name}", status_code=204, responses={404: PROBLEM_RESPONSE})
async def delete_schema(services: ServicesDep, caller: Caller, schema_name: str) -> None:
    """Delete a field schema of the organization. Values that were extracted by it stay."""
    await services.schemas.delete(caller.org_id, schema_name)
    await audit(services, caller, AuditAction.SCHEMA_DELETED, schema_name)
