"""Routes that list the pipelines and the stages of this installation."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from towpath.server.deps import Org, ServicesDep
from towpath.server.schemas.base import View

router = APIRouter(tags=["runs"])


class StageInfoView(View):
    name: str = Field(description="Code of the stage")
    label: str = Field(description="Name of the stage for people")
    version: int = Field(description="Results of another version are not reused")
    inputs: list[str] = Field(description="Kinds of data that stages before it must make")
    outputs: list[str] = Field(description="Kinds of data that it makes")
    package: str | None = Field(description="The package that offers the stage; null for a shipped one")


class PipelineView(View):
    name: str
    stages: list[str] = Field(description="Codes of its stages in order")
    follow_ups: list[str] = Field(description="Codes of the stages that run after the document is ready")
    source: str = Field(description="`towpath` or `settings`")
    rules: list[str] = Field(description="The rules of the settings that choose it, in words")


@router.get("/stages")
async def list_stages(services: ServicesDep, org: Org) -> list[StageInfoView]:
    """List the stages of this installation: shipped ones, then those of packages."""
    return [StageInfoView.model_validate(stage) for stage in services.plugins.stages]


@router.get("/pipelines")
async def list_pipelines(services: ServicesDep, org: Org) -> list[PipelineView]:
    """List the pipelines that a document can be processed by."""
    return [PipelineView.model_validate(pipeline) for pipeline in services.plugins.pipelines]
