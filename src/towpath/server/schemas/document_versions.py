"""Response models for the versions of a document."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from towpath.model.document_version import DocumentVersion
from towpath.server.schemas.base import View


class VersionView(View):
    number: int = Field(description="From 1")
    name: str
    media_type: str
    size: int = Field(description="Bytes of the original file")
    sha256: str
    created_at: datetime = Field(description="When it was uploaded")
    run_id: str | None = Field(description="The run that published it last, else its first run")
    status: str = Field(description="PROCESSING, COMPLETED, FAILED, TIMED_OUT or CANCELLED")
    current: bool = Field(description="Whether searches and the document show this version")
    has_original: bool = Field(description="Whether its file can be downloaded")
    has_text: bool = Field(description="Whether its text can be downloaded and compared")
    chunks_added: int | None = Field(
        description="Chunks that the version before did not have; null if it was never published"
    )
    chunks_removed: int | None = Field(description="Chunks of the version before that it does not have")
    chunks_kept: int | None = Field(description="Unchanged chunks, with their ids and vectors")


class VersionDiffView(View):
    from_version: int
    to_version: int
    diff: str = Field(description="Hunks of a unified diff of the two markdown texts")
    added: int = Field(description="Lines that were added")
    removed: int = Field(description="Lines that were removed")
    truncated: bool = Field(description="True if the texts differ in more lines than are compared")


def version_view(version: DocumentVersion, *, current: bool) -> VersionView:
    derived = {
        "current": current,
        "has_original": bool(version.blob_key),
        "has_text": version.content_key is not None,
    }
    names = VersionView.model_fields.keys() - derived.keys()
    return VersionView.model_validate({name: getattr(version, name) for name in names} | derived)
