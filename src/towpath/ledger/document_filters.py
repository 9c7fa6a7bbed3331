"""Translates filters into conditions on documents; the same for both engines, for lists and for search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, func, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from towpath.ledger.tables import document_metadata, document_tags, documents
from towpath.model.document_filters import NO_FILTERS, Filters

_c = documents.c
_tags = document_tags.c
_values = document_metadata.c


class DocumentLanguage(FunctionElement[str]):
    """The language in the summary, exactly as the index `ix_documents_search_language` has it."""

    type = Text()
    name = "document_language"
    inherit_cache = True


class NameInLowerCase(FunctionElement[str]):
    """The name in lower case in the order of code points, exactly as the index `ix_documents_search_name` has it."""

    type = Text()
    name = "name_in_lower_case"
    inherit_cache = True


@compiles(DocumentLanguage, "sqlite")
def _language_on_sqlite(_element: object, _compiler: Any, **_options: Any) -> str:
    return "json_extract(documents.summary, '$.language')"


@compiles(DocumentLanguage, "postgresql")
def _language_on_postgres(_element: object, _compiler: Any, **_options: Any) -> str:
    return "(documents.summary ->> 'language')"


@compiles(NameInLowerCase, "sqlite")
def _name_on_sqlite(_element: object, _compiler: Any, **_options: Any) -> str:
    return "lower(documents.name)"


@compiles(NameInLowerCase, "postgresql")
def _name_on_postgres(_element: object, _compiler: Any, **_options: Any) -> str:
    return '(lower(documents.name) collate "C")'


def matching_ids(org_id: str, filters: Filters) -> Select[Any]:
    """Select the ids of the documents that pass the filters."""
    if filters.tags and _without_first_tag_and_dates(filters) == NO_FILTERS:
        # The index of tags has all that is needed: no row of a document is read.
        return select(_tags.document_id).where(*tag_conditions(org_id, filters.tags[0], filters))
    return select(_c.id).where(_c.org_id == org_id, *conditions(org_id, filters))


def matching_count(org_id: str, filters: Filters) -> Select[Any]:
    """Select the number of documents that pass the filters."""
    return select(func.count()).select_from(matching_ids(org_id, filters).subquery())


def tag_conditions(org_id: str, tag: str, filters: Filters) -> Iterator[ColumnElement[bool]]:
    """Conditions on rows of `document_tags`: the tag, and the dates of the filters."""
    yield _tags.org_id == org_id
    yield _tags.tag == tag
    yield from _dates(_tags.document_created_at, filters)


def conditions(
    org_id: str, filters: Filters, *, without_first_tag: bool = False
) -> Iterator[ColumnElement[bool]]:
    """Conditions on rows of `documents`, without that of the organization."""
    for tag in filters.tags[1 if without_first_tag else 0 :]:
        yield _c.id.in_(select(_tags.document_id).where(*tag_conditions(org_id, tag, filters)))
    for key, value in filters.metadata:
        matching = [_values.org_id == org_id, _values.key == key, _values.value == value]
        matching += _dates(_values.document_created_at, filters)
        yield _c.id.in_(select(_values.document_id).where(*matching))
    if filters.kinds:
        yield _c.kind.in_(filters.kinds)
    if filters.document_ids:
        yield _c.id.in_(filters.document_ids)
    if filters.excluded_document_ids:
        yield _c.id.not_in(filters.excluded_document_ids)
    if filters.media_types:
        yield _c.media_type.in_(filters.media_types)
    if filters.languages:
        yield DocumentLanguage().in_(filters.languages)
    if filters.statuses:
        yield _c.status.in_(filters.statuses)
    if filters.collections:
        yield _of_collections(filters.collections)
    if filters.name_part:
        yield or_(
            _c.name.icontains(filters.name_part, autoescape=True),
            _c.edited_title.icontains(filters.name_part, autoescape=True),
        )
    yield from _dates(_c.created_at, filters)
    if filters.min_size is not None:
        yield _c.size >= filters.min_size
    if filters.max_size is not None:
        yield _c.size <= filters.max_size


def _dates(column: ColumnElement[Any], filters: Filters) -> Iterator[ColumnElement[bool]]:
    if filters.created_from is not None:
        yield column >= filters.created_from
    if filters.created_before is not None:
        yield column < filters.created_before


def _of_collections(names: tuple[str, ...]) -> ColumnElement[bool]:
    named = [name for name in names if name]
    if len(named) == len(names):
        return _c.collection.in_(named)
    return or_(_c.collection.is_(None), _c.collection.in_(named)) if named else _c.collection.is_(None)


def _without_first_tag_and_dates(filters: Filters) -> Filters:
    return replace(filters, tags=filters.tags[1:], created_from=None, created_before=None)
