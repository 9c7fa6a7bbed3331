"""Request and response models for organizing documents: edits, counts for filters and bulk actions."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from towpath.model.labels import clean_collection, clean_metadata, clean_tags, clean_title
from towpath.queries.document_organizer_contract import UNCHANGED, DocumentEdit, FieldEdit
from towpath.server.deps import Id
from towpath.server.document_filters import DocumentFilter
from towpath.server.schemas.base import View

MAX_FIELD_EDITS = 200
#: Documents that one request of a bulk action works on.
MAX_BULK_DOCUMENTS = 500

Label = Annotated[str, Field(max_length=1_000)]
BulkAction = Literal["tag", "untag", "move", "rerun", "delete"]


class EditRequest(BaseModel):
    """What to change. A part that is not sent stays as it is; null removes it."""

    model_config = ConfigDict(extra="forbid")

    title: Label | None = Field(None, description="Null: the extracted title is shown again")
    collection: Label | None = None
    tags: list[Label] | None = Field(None, max_length=200, description="All tags of the document")
    add_tags: list[Label] = Field([], max_length=200)
    remove_tags: list[Label] = Field([], max_length=200)
    metadata: dict[str, object] | None = Field(
        None, description="Keys to set; a key with the value null is removed; null removes all"
    )

    def edit(self) -> DocumentEdit:
        sent = self.model_fields_set
        return DocumentEdit(
            title=clean_title(self.title) if "title" in sent else UNCHANGED,
            collection=clean_collection(self.collection) if "collection" in sent else UNCHANGED,
            tags=clean_tags(self.tags or ()) if "tags" in sent else UNCHANGED,
            add_tags=clean_tags(self.add_tags),
            remove_tags=clean_tags(self.remove_tags),
            metadata=clean_metadata(self.metadata or {}),
            remove_all_metadata="metadata" in sent and self.metadata is None,
        )


class FieldEditRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")
    ordinal: int = Field(0, ge=0, le=100_000, description="Its number among the fields of the same name")
    value: str | None = Field(max_length=10_000, description="Null: the extracted value is shown again")


class FieldEditsRequest(BaseModel):
    """Values of fields. A name that the document does not have is a new field."""

    model_config = ConfigDict(extra="forbid")

    edits: list[FieldEditRequest] = Field([], max_length=MAX_FIELD_EDITS)

    def field_edits(self) -> list[FieldEdit]:
        return [FieldEdit(edit.name, edit.value, edit.ordinal) for edit in self.edits]


class DocumentFacetsView(View):
    """How many documents have each value. The counts of a property ignore the filter by that property, except tags."""

    collections: dict[str, int] = Field(description="The empty text counts documents without a collection")
    tags: dict[str, int] = Field(description="Of the documents that pass all filters")
    kinds: dict[str, int]
    statuses: dict[str, int]
    media_types: dict[str, int]
    languages: dict[str, int] = Field(description="By ISO 639-1 code")
    total: int = Field(description="Documents that pass all filters")


class BulkRequest(BaseModel):
    """An action on all documents that pass a filter. A request works on some of them: repeat it with `next_after`."""

    model_config = ConfigDict(extra="forbid")

    action: BulkAction
    filter: DocumentFilter = Field(default_factory=lambda: DocumentFilter.model_validate({}))
    all: bool = Field(
        False, description="Must be true if the filter is empty: the action is for all documents"
    )
    tags: list[Label] = Field([], max_length=50, description="For `tag` and `untag`")
    collection: Label | None = Field(None, description="For `move`; null: out of their collections")
    fresh: bool = Field(False, description="For `rerun`: use no cached answers; providers are paid again")
    dry_run: bool = Field(False, description="Change nothing; count the documents and the cost")
    after: Id | None = Field(None, description="`next_after` of the request before")
    limit: int = Field(100, ge=1, le=MAX_BULK_DOCUMENTS, description="Documents of this request")


class BulkFailureView(View):
    document_id: str
    name: str
    reason: str


class BulkView(View):
    """What a bulk action did, or with `dry_run` what it would do."""

    action: BulkAction
    matched: int = Field(description="Documents that pass the filter now")
    changed: int = Field(description="Documents that this request changed; 0 with `dry_run`")
    failures: list[BulkFailureView] = Field(description="Documents that were not changed, and why")
    next_after: str | None = Field(description="Send it as `after` to continue; null if all are done")
    cached_calls: int = Field(
        0, description="With `dry_run`: provider calls of the documents whose answers are stored"
    )
    cost: float = Field(
        0.0,
        description="With `dry_run` of `rerun`, US dollars: 0 if cached answers are used, else the cost so far",
    )
