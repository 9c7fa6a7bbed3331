"""Assigns each field to the group in which it is shown: document, contact, money, identifiers, dates and others."""

from __future__ import annotations

from typing import Literal, get_args

FieldGroup = Literal["document", "money", "dates", "identifiers", "contact", "links", "other"]
GROUPS: tuple[FieldGroup, ...] = get_args(FieldGroup)

_BY_NAME: dict[str, FieldGroup] = {
    **dict.fromkeys(
        ("title", "author", "language", "word_count", "page_count", "document_type", "abstract", "site"),
        "document",
    ),
    **dict.fromkeys(("supplier", "customer"), "contact"),
    "currency": "money",
}
_BY_KIND: dict[str, FieldGroup] = {
    "email": "contact",
    "phone": "contact",
    "organization": "contact",
    "person": "contact",
    "money": "money",
    "date": "dates",
    "iban": "identifiers",
    "vat_id": "identifiers",
    "isbn": "identifiers",
    "doi": "identifiers",
    "arxiv": "identifiers",
    "identifier": "identifiers",
    "url": "links",
}


def group_of(name: str, kind: str) -> FieldGroup:
    """The group of a field by its name, else by its kind."""
    return _BY_NAME.get(name) or _BY_KIND.get(kind) or "other"
