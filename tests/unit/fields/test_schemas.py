"""Schemas in a folder: named by their files, and refused with the file's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from towpath.errors import SchemaRefused
from towpath.fields.schemas import read_folder


def test_each_json_file_is_a_schema(tmp_path: Path) -> None:
    (tmp_path / "lease.json").write_text('{"type": "object", "properties": {"rent": {"type": "number"}}}')
    (tmp_path / "notes.txt").write_text("not a schema")
    assert {name: schema.value_names for name, schema in read_folder(tmp_path).items()} == {"lease": ["rent"]}


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"{", "lease.json is not JSON"),
        (b"\xff\xfe", "lease.json cannot be read as UTF-8"),
        (b'{"type": "object"}', "lease.json: The schema is an object without `properties`."),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, body: bytes, sentence: str) -> None:
    (tmp_path / "lease.json").write_bytes(body)
    with pytest.raises(SchemaRefused) as refused:
        read_folder(tmp_path)
    assert sentence in str(refused.value)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(SchemaRefused, match="field_schemas_folder"):
        read_folder(tmp_path / "schemas")
