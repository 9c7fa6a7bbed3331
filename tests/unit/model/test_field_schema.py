"""A field schema is parsed, or refused with a sentence that says what to change."""

from __future__ import annotations

from typing import Any

import pytest

from towpath.errors import SchemaRefused
from towpath.fields.schemas import shipped_schemas
from towpath.model.field_schema import ArrayOf, Leaf, ObjectOf, parse_schema

LEASE: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Lease",
    "description": "A lease of a boat.",
    "type": "object",
    "required": ["tenant"],
    "additionalProperties": False,
    "properties": {
        "tenant": {"type": "string", "format": "person"},
        "rent": {"type": ["number", "null"], "format": "money"},
        "state": {"type": "string", "enum": ["active", "ended"]},
        "boats": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "berths": {"type": "integer"}},
            },
        },
    },
}


def _with(part: object) -> dict[str, Any]:
    return {"type": "object", "properties": {"part": part}}


def test_a_schema_with_objects_arrays_and_all_kinds_of_values_is_parsed() -> None:
    schema = parse_schema("lease", LEASE)

    assert (schema.title, schema.description) == ("Lease", "A lease of a boat.")
    assert schema.value_names == ["tenant", "rent", "state", "boats[].name", "boats[].berths"]
    assert schema.root.properties["tenant"] == Leaf("string", "person")
    assert schema.root.properties["rent"] == Leaf("number", "money")
    assert schema.root.properties["state"] == Leaf("string", choices=("active", "ended"))
    boats = schema.root.properties["boats"]
    assert isinstance(boats, ArrayOf)
    assert boats.items == ObjectOf({"name": Leaf("string"), "berths": Leaf("integer", "number")})


def test_another_description_is_another_question() -> None:
    first = parse_schema("lease", LEASE)
    assert first.fingerprint == parse_schema("lease", {**LEASE}).fingerprint
    assert first.fingerprint != parse_schema("lease", {**LEASE, "description": "Of a house."}).fingerprint


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (["type"], "not a JSON object"),
        ({"type": "array", "items": {"type": "string"}}, '`"type": "object"` at the top'),
        ({"type": "object"}, "The schema is an object without `properties`. Add at least one."),
        (_with("string"), "The property `part` is not an object."),
        (_with({}), "`part` must have one `type`"),
        (_with({"type": ["string", "number"]}), "`part` must have one `type`"),
        (_with({"anyOf": [{"type": "string"}]}), "`part` uses $ref, anyOf"),
        (_with({"$ref": "#/$defs/part"}), "Write one `type` and its parts in place."),
        (_with({"type": "string", "pattern": "[A-Z]+"}), "`part` uses `pattern`"),
        (_with({"type": "array"}), "`part` is an array without `items`."),
        (
            _with({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
            "array of arrays",
        ),
        (_with({"type": "number", "enum": [1, 2]}), "Only texts can be listed."),
        ({"type": "object", "properties": {"net amount": {"type": "number"}}}, "'net amount'"),
        (_with(_with(_with(_with(_with({"type": "string"}))))), "more than 4 levels deep"),
        (
            {"type": "object", "properties": {f"v{number}": {"type": "string"} for number in range(201)}},
            "has 201 values. Use at most 200, or two schemas.",
        ),
        (_with({"type": "string", "description": "x" * 100_000}), "Shorten its descriptions."),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_with_what_to_change(document: object, sentence: str) -> None:
    with pytest.raises(SchemaRefused) as refused:
        parse_schema("own", document)
    assert sentence in str(refused.value)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("name", ["", "Invoice", "auto", "off", "a b", "../x", "x" * 64, "1st"])
def test_a_name_that_cannot_be_used_is_refused(name: str) -> None:
    with pytest.raises(SchemaRefused, match="cannot be the name of a schema"):
        parse_schema(name, LEASE)


def test_the_shipped_schemas_have_the_values_of_invoices_and_receipts() -> None:
    shipped = shipped_schemas()
    assert sorted(shipped) == ["invoice", "receipt"]
    assert shipped["invoice"].value_names == [
        *("supplier", "number", "date", "due_date", "net", "tax", "total", "currency", "iban"),
        *(f"line_items[].{name}" for name in ("description", "quantity", "unit_price", "amount")),
    ]
    assert {"merchant", "date", "total", "line_items[].amount"} <= set(shipped["receipt"].value_names)
