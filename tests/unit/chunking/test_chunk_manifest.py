"""The sample files give the same chunk ids and texts as the commit that recorded the manifest.

A changed id orphans pins, hides and cached embeddings of existing data. Record a new manifest only for a
deliberate change of reading or chunking, and raise ``VERSION`` of the local reader with it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.readers import quiet
from towpath.intake.detect_media_type import detect_file
from towpath.model.codec import decode_chunks
from towpath.model.ids import document_id
from towpath.readers.local_reader import read_file
from towpath.readers.ocr.settings import OcrSettings
from towpath.stages.chunk import chunk_file

DATA = Path(__file__).parents[2] / "data" / "chunk_manifest"
MANIFEST: dict[str, Any] = json.loads((DATA / "manifest.json").read_text(encoding="utf-8"))


def test_the_manifest_names_every_sample_file() -> None:
    assert {path.name for path in (DATA / "files").iterdir()} == set(MANIFEST["files"])


@pytest.mark.parametrize("name", sorted(MANIFEST["files"]))
def test_chunk_ids_and_texts_are_unchanged(name: str, tmp_path: Path) -> None:
    expected = MANIFEST["files"][name]
    path = DATA / "files" / name
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    assert sha256 == expected["sha256"], "the sample file itself has changed"
    media_type = detect_file(path, name).media_type
    assert media_type == expected["media_type"]
    document = document_id(MANIFEST["org_id"], sha256)
    assert document == expected["document_id"]

    encoded = read_file(str(path), media_type, OcrSettings("tesseract", languages=("eng",)), quiet)
    extraction, content = tmp_path / "extraction.json", tmp_path / "content.md"
    extraction.write_bytes(encoded.extraction)
    content.write_bytes(encoded.markdown)
    chunks = decode_chunks(chunk_file(str(extraction), str(content), document, name)[0], encoded.markdown)

    assert [(chunk.id, _text_hash(chunk.text), chunk.text[:60]) for chunk in chunks] == [
        (chunk["chunk_id"], chunk["sha256"], chunk["begins"]) for chunk in expected["chunks"]
    ]


def _text_hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
