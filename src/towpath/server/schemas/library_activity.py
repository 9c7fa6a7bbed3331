"""The response model of a poll for changes: the version of the library, and the jobs that wait or run."""

from __future__ import annotations

from pydantic import Field

from towpath.server.schemas.base import View


class WorkedDocumentView(View):
    document_id: str
    name: str
    stage: str


class LibraryActivityView(View):
    version: str = Field(description="Another text after documents were added, changed by people or deleted")
    waiting: int = Field(description="Number of jobs that wait, without follow-ups")
    running: int = Field(description="Number of jobs that a worker holds, without follow-ups")
    worked: list[WorkedDocumentView] = Field(
        description="Up to 5 documents that a worker holds, oldest first"
    )
