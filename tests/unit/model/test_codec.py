"""Stored extractions, chunks and recordings are decoded as they were encoded, also those of version 0.1.0."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from towpath.model.codec import (
    anchor_json,
    decode,
    decode_chunks,
    decode_extraction,
    decode_fields,
    decode_markdown_reference,
    decode_recording,
    encode,
    encode_chunks,
    encode_extraction,
)
from towpath.model.content import Anchor, Block, Box, Chunk, Extraction, Field, Page
from towpath.model.extracted_audio import Recording
from towpath.model.transcript import CallReport, Segment, Transcript

BOX = Box(0.0, 0.25, 1.0, 0.5)
EXTRACTION = Extraction(
    "# Title\n\nText ä.",
    "local/text",
    (Page(1, 0, 16, width=612.0),),
    (Block(0, 7, 1, BOX),),
    (Field("title", "Title", page=1, start=2, end=7, box=BOX),),
    {"author": "Anna"},
    ("one warning",),
)
CHUNKS = [
    Chunk("a", 0, "# Title", 2, Anchor(0, 7, ("Title",), page=1, box=BOX)),
    Chunk("b", 1, "Text without its table", 4, Anchor(9, 16, moments=((0, 1.5),))),
]

OLD_BOX = {"x0": 0, "y0": 0.25, "x1": 1.0, "y1": 0.5}
OLD_FIELD = {
    "name": "title",
    "value": "Title",
    "kind": "text",
    "confidence": 1.0,
    "page": 1,
    "start": 2,
    "end": 7,
    "box": OLD_BOX,
}


def test_an_extraction_is_stored_without_its_markdown() -> None:
    encoded = encode_extraction(EXTRACTION)
    assert encoded.markdown == EXTRACTION.markdown.encode()
    assert b"Text" not in encoded.extraction
    assert decode_extraction(encoded.extraction, encoded.markdown) == EXTRACTION
    assert decode_markdown_reference(encoded.extraction).markdown is None


def test_an_extraction_needs_its_markdown() -> None:
    with pytest.raises(ValueError, match="without its markdown"):
        decode_extraction(encode_extraction(EXTRACTION).extraction, None)


def test_an_extraction_of_version_0_1_0_is_decoded() -> None:
    old: dict[str, object] = {
        "markdown": EXTRACTION.markdown,
        "engine": "local/text",
        "pages": [{"number": 1, "start": 0, "end": 16, "label": None, "width": 612.0, "height": None}],
        "blocks": [{"start": 0, "end": 7, "page": 1, "box": OLD_BOX}],
        "fields": [OLD_FIELD],
        "metadata": {"author": "Anna"},
        "warnings": ["one warning"],
    }
    body = json.dumps(old).encode()
    assert decode_extraction(body, None) == EXTRACTION
    assert decode_markdown_reference(body).markdown == EXTRACTION.markdown
    assert decode_fields(json.dumps([OLD_FIELD]).encode()) == list(EXTRACTION.fields)


def test_a_chunk_is_stored_without_text_that_is_in_the_markdown() -> None:
    body = encode_chunks(CHUNKS, EXTRACTION.markdown)
    assert b"# Title" not in body
    assert b"Text without its table" in body
    assert decode_chunks(body, EXTRACTION.markdown.encode()) == CHUNKS


def test_chunks_of_version_0_1_0_are_decoded() -> None:
    anchor: dict[str, object] = {
        "start": 0,
        "end": 7,
        "heading_path": ["Title"],
        "page": 1,
        "page_end": None,
        "box": OLD_BOX,
        "speaker": None,
        "seconds_start": None,
        "seconds_end": None,
        "moments": [],
    }
    old = [{"id": "a", "ordinal": 0, "text": "# Title", "tokens": 2, "anchor": anchor}]
    assert decode_chunks(json.dumps(old).encode(), None) == CHUNKS[:1]


def test_a_lone_surrogate_becomes_a_question_mark_and_keeps_offsets() -> None:
    encoded = encode_extraction(Extraction("a\ud800b", "e\ud800"))
    assert decode_extraction(encoded.extraction, encoded.markdown) == Extraction("a?b", "e?")


def test_not_a_number_of_version_0_1_0_is_decoded() -> None:
    page = decode(b'{"number":1,"start":0,"end":1,"label":null,"width":NaN,"height":null}', Page)
    assert page.width != page.width


def test_a_recording_of_version_0_1_0_is_decoded() -> None:
    old: dict[str, object] = {
        "seconds": 6.5,
        "codec": "aac",
        "channels": 2,
        "apart": True,
        "windows": [[0.0, 6.5]],
        "sha256": "ab",
        "size": 9,
        "warnings": [],
    }
    recording = decode_recording(json.dumps(old).encode())
    assert recording == Recording(6.5, "aac", 2, True, ((0.0, 6.5),), "ab", 9)
    assert decode_recording(encode(recording)) == recording


def test_a_transcript_and_a_report_of_version_0_1_0_are_decoded() -> None:
    segment: dict[str, object] = {
        "text": "Hello.",
        "speaker": "Speaker 1",
        "start": 0.0,
        "end": 1.0,
        "words": [],
    }
    transcript = decode(json.dumps({"segments": [segment]}).encode(), Transcript)
    assert transcript == Transcript((Segment("Hello.", "Speaker 1", 0.0, 1.0),))
    measures: dict[str, object] = {
        "shares": {"Speaker 1": 1.0},
        "monologue": {"speaker": "Speaker 1", "start": 0.0, "end": 1.0},
        "silences": [{"start": 1.0, "end": 9.0}],
    }
    analysis: dict[str, object] = {
        "summary": "A greeting.",
        "topics": ["greeting"],
        "action_items": [{"text": "call back", "owner": None, "due": None}],
        "questions": [],
        "moods": [{"speaker": "Speaker 1", "sentiment": "positive", "reason": ""}],
    }
    old = {"measures": measures, "analysis": analysis, "engine": "local/x", "warning": None}
    report = decode(json.dumps(old).encode(), CallReport)
    assert report.analysis is not None
    assert report.analysis.action_items[0].text == "call back"
    assert decode(encode(report), CallReport) == report


def test_an_anchor_for_the_tables_has_known_values_only() -> None:
    assert anchor_json(Anchor(1, 2, box=BOX)) == {
        "start": 1,
        "end": 2,
        "box": {"x0": 0.0, "y0": 0.25, "x1": 1.0, "y1": 0.5},
    }


#: Eight threads decode a type that no thread has decoded before, many times.
DECODE_IN_THREADS = """
import sys, threading
from dataclasses import make_dataclass
from towpath.model.codec import decode

sys.setswitchinterval(1e-6)
for _ in range(300):
    part = make_dataclass("Part", [(f"value_{number}", int, 0) for number in range(20)])
    whole = make_dataclass("Whole", [("parts", tuple[part, ...], ())])
    barrier = threading.Barrier(8)

    def work() -> None:
        barrier.wait()
        decode(b'{"parts":[{}]}', whole)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


@pytest.mark.slow
def test_threads_that_decode_a_type_for_the_first_time_do_not_end_the_process() -> None:
    assert subprocess.run([sys.executable, "-c", DECODE_IN_THREADS], check=False).returncode == 0
