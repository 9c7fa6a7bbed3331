"""Extracts fields from an analysis: key-value pairs of a layout, typed fields of a trained model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from towpath.model.content import Field
from towpath.providers.azure.analysis_geometry import Json, PageSizes, extent, list_property, object_property

_KINDS = {
    "date": "date",
    "time": "time",
    "number": "number",
    "integer": "number",
    "currency": "money",
    "phoneNumber": "phone",
    "address": "address",
    "countryRegion": "country",
    "boolean": "boolean",
    "selectionMark": "selection",
    "selectionGroup": "selection",
    "signature": "signature",
}


def key_value_fields(result: Json, page_sizes: PageSizes) -> Iterator[Field]:
    """Yield each key with its value. Keys without a value are left out."""
    for pair in list_property(result, "keyValuePairs"):
        value = object_property(pair, "value")
        name = " ".join(str(pair["key"]["content"]).split()).rstrip(" :")
        if name and value.get("content"):
            yield _with_anchor(
                name, str(value["content"]), "text", float(pair.get("confidence", 1.0)), value, page_sizes
            )


def document_fields(result: Json, page_sizes: PageSizes) -> Iterator[Field]:
    """Yield the fields of every document in the file. Nested fields are named like ``Items[0].Amount``."""
    documents = list_property(result, "documents")
    for number, document in enumerate(documents, 1):
        prefix = f"{document.get('docType', 'document')}[{number}]." if len(documents) > 1 else ""
        for name, field in object_property(document, "fields").items():
            yield from _flatten(prefix + name, field, float(document.get("confidence", 1.0)), page_sizes)


def _flatten(name: str, field: Json, confidence: float, page_sizes: PageSizes) -> Iterator[Field]:
    confidence = float(field.get("confidence", confidence))
    if field["type"] == "array":
        for index, item in enumerate(list_property(field, "valueArray")):
            yield from _flatten(f"{name}[{index}]", item, confidence, page_sizes)
    elif field["type"] == "object":
        for part, item in object_property(field, "valueObject").items():
            yield from _flatten(f"{name}.{part}", item, confidence, page_sizes)
    elif value := _value(field):
        yield _with_anchor(name, value, _KINDS.get(field["type"], "text"), confidence, field, page_sizes)


def _value(field: Json) -> str:
    """The typed value if the service gives one, otherwise the text on the page."""
    kind = str(field["type"])
    typed: Any = field.get(f"value{kind[0].upper()}{kind[1:]}")
    if kind == "currency" and typed and "amount" in typed:
        return f"{typed['amount']} {typed.get('currencyCode') or typed.get('currencySymbol') or ''}".strip()
    if kind == "boolean" and typed is not None:
        return "true" if typed else "false"
    if kind == "selectionGroup" and typed:
        return ", ".join(typed)
    if typed is None or isinstance(typed, dict):
        return str(field.get("content") or "")
    return str(typed)


def _with_anchor(
    name: str, value: str, kind: str, confidence: float, source: Json, page_sizes: PageSizes
) -> Field:
    regions = list_property(source, "boundingRegions")
    source_spans = list_property(source, "spans")
    start, end = extent(source_spans)
    return Field(
        name,
        value,
        kind,
        confidence,
        page=regions[0]["pageNumber"] if regions else None,
        start=start if source_spans else None,
        end=end if source_spans else None,
        box=page_sizes.box(regions[0]) if regions else None,
    )
