"""Filters of documents in requests: as query parameters, and as a part of a request body."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import Depends, Query
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field

from towpath.errors import UserError
from towpath.model.document_filters import Filters
from towpath.server.deps import Id
from towpath.server.schemas.base import MAX_INTEGER

MAX_FILTER_VALUES = 50
#: Documents that one request can name by their ids.
MAX_FILTER_IDS = 5_000

DocumentKind = Literal["document", "call"]
DocumentStatusCode = Literal["PROCESSING", "COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"]
#: Printable characters only: the databases refuse some others.
_TEXT = r"^[^\x00-\x1f\x7f]*$"
Value = Annotated[str, Field(max_length=700, pattern=_TEXT)]
Values = Annotated[list[Value] | None, Query(max_length=MAX_FILTER_VALUES)]


def label_filters(
    collection: Annotated[
        Values, Query(description="Documents of any of these collections; empty: without a collection")
    ] = None,
    tag: Annotated[Values, Query(description="Documents that have all of these tags")] = None,
    metadata: Annotated[
        Values, Query(description="`key=value`; documents whose metadata has all of these values")
    ] = None,
    status: Annotated[list[DocumentStatusCode] | None, Query(max_length=MAX_FILTER_VALUES)] = None,
    language: Annotated[Values, Query(description="ISO 639-1 codes of the documents' main languages")] = None,
    media_type: Annotated[Values, Query(description="Such as `application/pdf`")] = None,
    created_from: Annotated[datetime | None, Query(description="Documents submitted at or after")] = None,
    created_before: Annotated[datetime | None, Query(description="Documents submitted before")] = None,
    min_size: Annotated[
        int | None, Query(ge=0, le=MAX_INTEGER, description="Bytes of the file, at least")
    ] = None,
    max_size: Annotated[
        int | None, Query(ge=0, le=MAX_INTEGER, description="Bytes of the file, at most")
    ] = None,
) -> Filters:
    """The filters that lists and searches have in common."""
    return Filters(
        collections=tuple(collection or ()),
        tags=tuple(tag or ()),
        metadata=tuple(_pair(text) for text in metadata or ()),
        statuses=tuple(status or ()),
        languages=tuple(language or ()),
        media_types=tuple(media_type or ()),
        created_from=with_time_zone(created_from),
        created_before=with_time_zone(created_before),
        min_size=min_size,
        max_size=max_size,
    )


def document_filters(
    filters: Annotated[Filters, Depends(label_filters)],
    kind: Annotated[list[DocumentKind] | None, Query(max_length=MAX_FILTER_VALUES)] = None,
    q: Annotated[
        str, Query(max_length=255, pattern=_TEXT, description="Part of the name or of the edited title")
    ] = "",
) -> Filters:
    """The filters of lists, counts and exports."""
    return replace(filters, kinds=tuple(kind or ()), name_part=q)


class DocumentFilter(BaseModel):
    """Conditions on documents; a document must pass all of them."""

    model_config = ConfigDict(extra="forbid")

    ids: list[Id] = Field([], max_length=MAX_FILTER_IDS, description="Only these documents")
    q: str = Field("", max_length=255, pattern=_TEXT, description="Part of the name or of the edited title")
    kinds: list[DocumentKind] = Field([], max_length=MAX_FILTER_VALUES)
    statuses: list[DocumentStatusCode] = Field([], max_length=MAX_FILTER_VALUES)
    collections: list[Value] = Field(
        [], max_length=MAX_FILTER_VALUES, description="Any of these; an empty text means no collection"
    )
    tags: list[Value] = Field([], max_length=MAX_FILTER_VALUES, description="All of these")
    metadata: dict[Value, Value] = Field({}, description="Keys and their values, as text")
    media_types: list[Value] = Field([], max_length=MAX_FILTER_VALUES)
    languages: list[Value] = Field([], max_length=MAX_FILTER_VALUES, description="ISO 639-1 codes")
    created_from: datetime | None = None
    created_before: datetime | None = None
    min_size: int | None = Field(None, ge=0, le=MAX_INTEGER, description="Bytes")
    max_size: int | None = Field(None, ge=0, le=MAX_INTEGER, description="Bytes")

    def filters(self) -> Filters:
        return Filters(
            document_ids=tuple(self.ids),
            name_part=self.q,
            kinds=tuple(self.kinds),
            statuses=tuple(self.statuses),
            collections=tuple(self.collections),
            tags=tuple(self.tags),
            metadata=tuple(self.metadata.items()),
            media_types=tuple(self.media_types),
            languages=tuple(self.languages),
            created_from=with_time_zone(self.created_from),
            created_before=with_time_zone(self.created_before),
            min_size=self.min_size,
            max_size=self.max_size,
        )


def with_time_zone(moment: datetime | None) -> datetime | None:
    """The moment in UTC, which is assumed without a zone; the first or last one if UTC cannot hold it."""
    if moment is None or moment.tzinfo is None:
        return moment and moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return (datetime.min if moment.year == 1 else datetime.max).replace(tzinfo=UTC)


#: A moment of a request that must have a zone. Near the first and the last year UTC cannot hold every one of them.
Moment = Annotated[AwareDatetime, AfterValidator(with_time_zone)]


def _pair(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise UserError("A filter by metadata is written `key=value`.")
    return key, value
