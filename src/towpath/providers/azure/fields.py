"""The named values in an analysis: key-value pairs of a layout, typed fields of a trained model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from towpath.model.content import Field
from towpath.providers.azure.places import Json, Places, extent, listed, named

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


def key_value_fields(result: Json, places: Places) -> Iterator[Field]:
    """Each key with its value; a key whose value is missing proves nothing and is left out."""
    for pair in listed(result, "keyValuePairs"):
        value = named(pair, "value")
        name = " ".join(str(pair["key"]["content"]).split()).rstrip(" :")
        if name and value.get("content"):
            yield _placed(
                name, str(value["content"]), "text", float(pair.get("confidence", 1.0)), value, places
            )


def document_fields(result: Json, places: Places) -> Iterator[Field]:
    """The fields of every document found in the file, nested ones as ``Items[0].Amount``."""
    documents = listed(result, "documents")
    for number, document in enumerate(documents, 1):
        prefix = f"{document.get('docType', 'document')}[{number}]." if len(documents) > 1 else ""
        for name, field in named(document, "fields").items():
            yield from _flatten(prefix + name, field, float(document.get("confidence", 1.0)), places)


def _flatten(name: str, field: Json, confidence: float, places: Places) -> Iterator[Field]:
    confidence = float(field.get("confidence", confidence))
    if field["type"] == "array":
        for index, item in enumerate(listed(field, "valueArray")):
            yield from _flatten(f"{name}[{index}]", item, confidence, places)
    elif field["type"] == "object":
        for part, item in named(field, "valueObject").items():
            yield from _flatten(f"{name}.{part}", item, confidence, places)
    elif value := _value(field):
        yield _placed(name, value, _KINDS.get(field["type"], "text"), confidence, field, places)


def _value(field: Json) -> str:
    """The value as the service understood it, or else as it stands on the page."""
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


def _placed(name: str, value: str, kind: str, confidence: float, proof: Json, places: Places) -> Field:
    regions = listed(proof, "boundingRegions")
    spans = listed(proof, "spans")
    start, end = extent(spans)
    return Field(
        name,
        value,
        kind,
        confidence,
        page=regions[0]["pageNumber"] if regions else None,
        start=start if spans else None,
        end=end if spans else None,
        box=places.box(regions[0]) if regions else None,
    )
