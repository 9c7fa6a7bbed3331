"""The contract for organizing documents: edits, speaker names, counts for filters, bulk actions, export of fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from towpath.model.audit import Actor
from towpath.model.document import Document
from towpath.model.document_filters import Filters
from towpath.model.json_types import Json
from towpath.model.speaker_name import SpeakerNames


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The value of a part that an edit leaves as it is; None would remove it."""


UNCHANGED = Unchanged()


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """Changes of one document. The texts are in their stored form (`model/labels.py`)."""

    title: str | Unchanged | None = UNCHANGED
    collection: str | Unchanged | None = UNCHANGED
    #: All tags that the document has afterwards; before ``add_tags`` and ``remove_tags``.
    tags: tuple[str, ...] | Unchanged = UNCHANGED
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    #: Keys to set; a key with the value None is removed.
    metadata: Json = field(default_factory=dict[str, object])
    remove_all_metadata: bool = False


@dataclass(frozen=True, slots=True)
class FieldEdit:
    """A new value of a field; None removes the edit, so that the extracted value is shown again.

    ``ordinal`` counts the fields of the same name, from 0.
    """

    name: str
    value: str | None
    ordinal: int = 0


@dataclass(frozen=True, slots=True)
class DocumentFacets:
    """How many documents have each value, the values of most documents first. The empty text is "no collection".

    The counts of a property ignore the filter by that property: they say what another choice would give.
    """

    collections: Mapping[str, int]
    tags: Mapping[str, int]
    kinds: Mapping[str, int]
    statuses: Mapping[str, int]
    media_types: Mapping[str, int]
    languages: Mapping[str, int]
    total: int


@dataclass(frozen=True, slots=True)
class MatchingCosts:
    """The documents that match, and the paid calls whose answers are stored for them."""

    documents: int
    calls: int
    #: US dollars.
    cost: float


@dataclass(frozen=True, slots=True)
class DocumentWithFields:
    document: Document
    fields: Sequence[Json]


class DocumentOrganizer(Protocol):
    """What people do with many documents. Every method works inside one organization."""

    async def edit(
        self, org_id: str, document_id: str, edit: DocumentEdit, actor: Actor, now: datetime
    ) -> Document:
        """Change title, collection, tags and metadata in one transaction; the document afterwards."""
        ...

    async def edit_fields(
        self, org_id: str, document_id: str, edits: Sequence[FieldEdit], actor: Actor, now: datetime
    ) -> list[Json]:
        """Store values of fields beside the extracted ones; all fields afterwards."""
        ...

    async def name_speakers(
        self, org_id: str, document_id: str, names: Mapping[str, str | None], actor: Actor, now: datetime
    ) -> SpeakerNames:
        """Give speakers of a call names; None removes one. All names afterwards."""
        ...

    async def facets(self, org_id: str, filters: Filters) -> DocumentFacets: ...

    async def matching(self, org_id: str, filters: Filters, after: str | None, limit: int) -> list[Document]:
        """The next documents that pass the filters, by id, after this id."""
        ...

    async def count(self, org_id: str, filters: Filters) -> int: ...
    async def costs(self, org_id: str, filters: Filters) -> MatchingCosts: ...

    async def label(
        self,
        org_id: str,
        document_ids: Sequence[str],
        edit: DocumentEdit,
        actor: Actor,
        now: datetime,
    ) -> None:
        """Change the collection and the tags of many documents in one transaction."""
        ...

    async def field_names(self, org_id: str, filters: Filters) -> list[str]:
        """The names of the fields of the documents that pass the filters; those of most documents first."""
        ...

    async def with_fields(
        self, org_id: str, filters: Filters, after: str | None, limit: int
    ) -> list[DocumentWithFields]:
        """The next documents with their fields, by id, after this id."""
        ...
