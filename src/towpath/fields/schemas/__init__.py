"""Field schemas that are shipped with Towpath, and those in the folder that a setting names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from towpath.errors import SchemaRefused
from towpath.model.field_schema import FieldSchema, parse_schema

#: The schema that `field_schema = auto` chooses, by the value of the local field `document_type`.
BY_DOCUMENT_TYPE: Mapping[str, str] = {"invoice": "invoice", "credit note": "invoice", "receipt": "receipt"}


@cache
def shipped_schemas() -> Mapping[str, FieldSchema]:
    """The schemas of this package by name."""
    found = sorted(
        entry for entry in (item.name for item in files(__name__).iterdir()) if entry.endswith(".json")
    )
    return {
        schema.name: schema
        for name in found
        for schema in [
            _parse(name.removesuffix(".json"), files(__name__).joinpath(name).read_text("utf-8"), name)
        ]
    }


def read_folder(folder: Path) -> Mapping[str, FieldSchema]:
    """The schemas in the `*.json` files of a folder, named by their files."""
    if not folder.is_dir():
        raise SchemaRefused(
            f"The folder {folder} of the setting `field_schemas_folder` does not exist. Make it."
        )
    schemas: dict[str, FieldSchema] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            text = path.read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise SchemaRefused(f"{path.name} cannot be read as UTF-8: {error}.") from error
        schemas[path.stem] = _parse(path.stem, text, path.name)
    return schemas


def _parse(name: str, text: str, file: str) -> FieldSchema:
    try:
        return parse_schema(name, json.loads(text))
    except ValueError as error:
        raise SchemaRefused(f"{file} is not JSON: {error}.") from error
    except SchemaRefused as error:
        raise SchemaRefused(f"{file}: {error}") from error
