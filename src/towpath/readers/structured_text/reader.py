"""Reads structured text: JSON, YAML and XML as code blocks, lists of records as tables, notebooks cell by cell."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from towpath import rejections
from towpath.model.content import Extraction
from towpath.readers.common.bounded_read import read_bounded
from towpath.readers.common.encoding import declared_encoding, decode
from towpath.readers.common.markdown_writer import MarkdownWriter, remove_control_characters
from towpath.readers.office.sheets import SheetWriter

_MAX_BYTES = 50 << 20
_MAX_OUTPUT_LENGTH = 20_000
_SCALARS = (str, int, float, bool, type(None))


def read_json(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """A list of flat records as a table, anything else as indented JSON. Damaged JSON is kept as it is."""
    text = _decoded(path, "JSON file")
    progress(1, 1)
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        return _code(text, "json", "JSON file")
    if isinstance(data, list) and (records := _records(cast("list[object]", data))):
        return _table(records)
    return _code(json.dumps(data, ensure_ascii=False, indent=2), "json", "JSON file")


def read_yaml(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Keep the text: its comments and order are for people."""
    progress(1, 1)
    return _code(_decoded(path, "YAML file"), "yaml", "YAML file")


def read_xml(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Keep the text with its tags, which name the values."""
    progress(1, 1)
    return _code(_decoded(path, "XML file"), "xml", "XML file")


def read_notebook(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Text cells as markdown, code cells as code blocks with their text output."""
    format_name = "notebook"
    try:
        notebook = json.loads(_decoded(path, format_name))
        cells: list[dict[str, Any]] = notebook.get("cells") or notebook["worksheets"][0]["cells"]
        info = notebook.get("metadata", {})
        language = str(
            info.get("language_info", {}).get("name") or info.get("kernelspec", {}).get("language") or ""
        )
        writer = MarkdownWriter()
        for number, cell in enumerate(cells, start=1):
            _write_cell(cell, language or "python", writer)
            progress(number, len(cells))
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise rejections.corrupt(format_name, "its JSON is not that of a notebook") from error
    if not writer.blocks:
        raise rejections.empty(format_name)
    return Extraction(
        writer.text(), "towpath-notebook/1", metadata={"language_of_code": language} if language else {}
    )


def _write_cell(cell: dict[str, Any], language: str, writer: MarkdownWriter) -> None:
    source = remove_control_characters(_joined(cell.get("source", cell.get("input", ""))))
    kind = cell.get("cell_type")
    if kind == "heading":
        writer.heading(int(cell.get("level", 1)), source)
    elif kind == "code":
        writer.code(source, language)
        for output in cell.get("outputs", []):
            data = output.get("data") or output
            text = _joined(data.get("text/plain") or data.get("text") or "")
            writer.code(remove_control_characters(text)[:_MAX_OUTPUT_LENGTH])
    elif source.strip():
        writer.block(source.strip())


def _joined(value: object) -> str:
    return "".join(map(str, cast("list[object]", value))) if isinstance(value, list) else str(value)


def _records(data: Sequence[object]) -> list[dict[str, object]]:
    """The items if all are objects of plain values, else none."""
    if len(data) < 2 or not all(isinstance(item, dict) for item in data):
        return []
    records = cast("list[dict[str, object]]", data)
    return records if all(isinstance(value, _SCALARS) for item in records for value in item.values()) else []


def _table(records: Sequence[dict[str, object]]) -> Extraction:
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = {name: column for column, name in enumerate(names)}
    rows = [dict(enumerate(names))]
    for record in records:
        rows.append(
            {
                columns[name]: remove_control_characters(str(value))
                for name, value in record.items()
                if value not in (None, "")
            }
        )
    sheet = SheetWriter()
    sheet.write_table(enumerate(rows, start=1))
    return sheet.extraction("towpath-json/1", {})


def _decoded(path: Path, format_name: str) -> str:
    content = read_bounded(path, format_name, _MAX_BYTES)
    text = decode(content, declared_encoding(content)).text
    if not text.strip():
        raise rejections.empty(format_name)
    return text


def _code(text: str, language: str, format_name: str) -> Extraction:
    writer = MarkdownWriter()
    writer.code(remove_control_characters(text), language)
    if not writer.blocks:
        raise rejections.empty(format_name)
    return Extraction(writer.text(), f"towpath-{language}/1")
