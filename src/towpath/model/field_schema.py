"""A field schema: the named values that are extracted from a document, written as a JSON Schema.

Only what a chat model can fill in is accepted: objects, arrays, strings, numbers, integers and booleans. Everything
else is refused with a sentence that names the place and says what to change.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from towpath.errors import SchemaRefused
from towpath.model.content import Box
from towpath.model.json_types import Json

ValueType = Literal["string", "number", "integer", "boolean"]
VALUE_TYPES: tuple[ValueType, ...] = get_args(ValueType)
#: Values of `format` that become the kind of the field; others are annotations without an effect.
KINDS = frozenset(
    {"date", "money", "iban", "email", "phone", "url", "organization", "person", "identifier", "vat_id"}
)
MAX_VALUES = 200
MAX_DEPTH = 4
MAX_BYTES = 100_000

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}")
_PROPERTY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_RESERVED = frozenset({"auto", "off"})
#: Keywords that describe a value. `required` has no effect: a document may lack any value.
_DESCRIPTIVE = frozenset(
    "$schema $id $comment title description examples default required additionalProperties format type".split()
)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value."""

    type: ValueType
    kind: str = "text"
    description: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ArrayOf:
    items: Node
    description: str = ""


@dataclass(frozen=True, slots=True)
class ObjectOf:
    properties: Mapping[str, Node]
    description: str = ""


Node = Leaf | ArrayOf | ObjectOf


@dataclass(frozen=True, slots=True)
class FieldSchema:
    """A checked schema. ``document`` is the JSON Schema as it was written."""

    name: str
    document: Json
    root: ObjectOf

    @property
    def title(self) -> str:
        return str(self.document.get("title") or self.name)

    @property
    def description(self) -> str:
        return self.root.description

    @property
    def fingerprint(self) -> str:
        """The hash of the name and of everything that is asked for; part of the key of a remembered call."""
        content = json.dumps([self.name, self.document], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()

    @property
    def value_names(self) -> list[str]:
        """The names of the values, such as `supplier` and `line_items[].amount`."""
        return _value_names(self.root, "")


@dataclass(frozen=True, slots=True)
class ExtractedValue:
    """A value in the answer of a field extractor, with the words of the document that it was taken from."""

    #: Property names, and indexes of array items.
    path: tuple[str | int, ...]
    value: str
    leaf: Leaf
    quote: str | None


@dataclass(frozen=True, slots=True)
class SchemaField:
    """A value of a schema in a document. It is verified if its quotation is in the text."""

    name: str
    value: str
    kind: str
    verified: bool
    quote: str | None = None
    page: int | None = None
    start: int | None = None
    end: int | None = None
    box: Box | None = None


def parse_schema(name: str, document: object) -> FieldSchema:
    """Check a JSON Schema. Raises SchemaRefused with a sentence that says what to change."""
    check_name(name)
    if not isinstance(document, Mapping):
        raise SchemaRefused(f'The schema `{name}` is not a JSON object. Write {{"type": "object", ...}}.')
    written = cast("Json", document)
    if len(json.dumps(written, ensure_ascii=False)) > MAX_BYTES:
        raise SchemaRefused(
            f"The schema `{name}` has more than {MAX_BYTES:,} characters. Shorten its descriptions."
        )
    if written.get("type") != "object":
        raise SchemaRefused(f'The schema `{name}` must have `"type": "object"` at the top.')
    root = _node(written, "the schema", 0)
    assert isinstance(root, ObjectOf)
    schema = FieldSchema(name, written, root)
    if len(schema.value_names) > MAX_VALUES:
        raise SchemaRefused(
            f"The schema `{name}` has {len(schema.value_names)} values. Use at most {MAX_VALUES}, or two schemas."
        )
    return schema


def check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name in _RESERVED:
        raise SchemaRefused(
            f"`{name[:80]}` cannot be the name of a schema. Use small letters, digits, `-` and `_`, beginning with a "
            "letter, at most 63 characters; `auto` and `off` are settings."
        )


def _node(written: Json, place: str, depth: int) -> Node:
    if depth > MAX_DEPTH:
        raise SchemaRefused(
            f"{_subject(place)} is nested more than {MAX_DEPTH} levels deep. Use fewer levels."
        )
    kind = _type(written, place)
    allowed = _DESCRIPTIVE | {"properties" if kind == "object" else "items" if kind == "array" else "enum"}
    if unknown := sorted(written.keys() - allowed):
        raise SchemaRefused(
            f"{_subject(place)} uses `{unknown[0]}`, which has no effect on the extraction of a value of the type "
            f"{kind}. Remove it, or say it in `description`."
        )
    description = str(written.get("description") or "")
    if kind == "object":
        return ObjectOf(_properties(written, place, depth), description)
    if kind == "array":
        items = written.get("items")
        if not isinstance(items, Mapping):
            raise SchemaRefused(f"{_subject(place)} is an array without `items`. Add the schema of one item.")
        item = _node(cast("Json", items), f"an item of {place}", depth + 1)
        if isinstance(item, ArrayOf):
            raise SchemaRefused(f"{_subject(place)} is an array of arrays. Use an array of objects.")
        return ArrayOf(item, description)
    form = str(written.get("format") or "")
    number = kind in ("number", "integer")
    return Leaf(
        cast("ValueType", kind),
        form if form in KINDS else "number" if number else "text",
        description,
        _choices(written, kind, place),
    )


def _type(written: Json, place: str) -> str:
    if "$ref" in written or not written.keys().isdisjoint(("anyOf", "oneOf", "allOf", "not", "if")):
        raise SchemaRefused(
            f"{_subject(place)} uses $ref, anyOf, oneOf, allOf, not or if. Write one `type` and its parts in place."
        )
    kinds = written.get("type")
    names = cast("list[object]", kinds) if isinstance(kinds, list) else [kinds]
    chosen = [kind for kind in names if kind != "null"]
    if len(chosen) != 1 or chosen[0] not in ("object", "array", *VALUE_TYPES):
        raise SchemaRefused(
            f"{_subject(place)} must have one `type`: object, array, {', '.join(VALUE_TYPES)}. "
            "A value may always be missing, so `null` is not needed."
        )
    return str(chosen[0])


def _properties(written: Json, place: str, depth: int) -> dict[str, Node]:
    properties = written.get("properties")
    if not isinstance(properties, Mapping) or not properties:
        raise SchemaRefused(f"{_subject(place)} is an object without `properties`. Add at least one.")
    nodes: dict[str, Node] = {}
    for name, part in cast("Mapping[str, object]", properties).items():
        if not _PROPERTY.fullmatch(name):
            raise SchemaRefused(
                f"The property {name[:80]!r} of {place} cannot be used. Begin with a letter, then use letters, digits, "
                "`-` and `_`, at most 64 characters."
            )
        if not isinstance(part, Mapping):
            raise SchemaRefused(f'The property `{name}` is not an object. Write {{"type": "string"}}.')
        nodes[name] = _node(cast("Json", part), f"`{name}`", depth + 1)
    return nodes


def _choices(written: Json, kind: str, place: str) -> tuple[str, ...]:
    choices = written.get("enum")
    if choices is None:
        return ()
    items = cast("list[object]", choices) if isinstance(choices, list) else []
    texts = tuple(str(item) for item in items if item is not None)
    if kind != "string" or not texts or not all(isinstance(item, str | None) for item in items):
        raise SchemaRefused(
            f"{_subject(place)} has an `enum` that is not a list of texts. Only texts can be listed."
        )
    return texts


def _subject(place: str) -> str:
    return place[0].upper() + place[1:]


def _value_names(node: Node, prefix: str) -> list[str]:
    if isinstance(node, Leaf):
        return [prefix]
    if isinstance(node, ArrayOf):
        return _value_names(node.items, f"{prefix}[]")
    return [
        name
        for key, part in node.properties.items()
        for name in _value_names(part, f"{prefix}.{key}" if prefix else key)
    ]
