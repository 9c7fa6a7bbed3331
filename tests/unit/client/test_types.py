"""The client's types are those of the OpenAPI document, and the two clients have the same methods."""

from __future__ import annotations

import inspect
import json
import runpy
from pathlib import Path
from typing import Any, NotRequired, get_origin, get_type_hints, is_typeddict

import pytest

from towpath.client import AsyncClient, Client, types

ROOT = Path(__file__).parents[3]
OPENAPI: dict[str, Any] = json.loads((ROOT / "ui" / "openapi.json").read_text("utf-8"))
_TYPED_DICTS = [name for name, value in vars(types).items() if is_typeddict(value)]


def test_the_file_is_what_the_openapi_document_gives() -> None:
    generate = runpy.run_path(str(ROOT / "ui" / "scripts" / "client_types.py"))["client_types"]
    written = Path(str(types.__file__)).read_text("utf-8")
    assert written == generate(OPENAPI), "run `python ui/scripts/openapi.py`"


@pytest.mark.parametrize("name", _TYPED_DICTS)
def test_a_type_has_the_fields_of_its_schema(name: str) -> None:
    schemas = OPENAPI["components"]["schemas"]
    schema = schemas.get(f"{name}View") or schemas[name]
    fields = get_type_hints(getattr(types, name), include_extras=True)
    assert fields.keys() == schema["properties"].keys()
    required = {field for field, value in fields.items() if get_origin(value) is not NotRequired}
    assert required == set(schema.get("required", ()))


def test_both_clients_have_the_same_methods_and_parameters() -> None:
    only_async = {"aclose", "send", "text"}
    methods = [
        name for name, value in vars(AsyncClient).items() if inspect.isfunction(value) and name[0] != "_"
    ]
    for name in set(methods) - only_async:
        ours = inspect.signature(getattr(AsyncClient, name)).parameters
        assert inspect.signature(getattr(Client, name)).parameters == ours, name
