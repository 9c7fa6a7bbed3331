"""Encodes and decodes extractions, chunks, fields, recordings, transcripts and call reports as JSON bytes.

Stages hand these to each other through blob storage. The markdown of a document is a separate blob
(content.md): a stored extraction names it by its hash, and a stored chunk omits its text where that equals its span of
the markdown. JSON of version 0.1.0, which repeats the text, is decoded too.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from towpath.model.content import Anchor, Block, Box, Chunk, Extraction, Field, Page, Word
from towpath.model.extracted_audio import Recording
from towpath.model.field_schema import SchemaField

T = TypeVar("T")

_encoder = msgspec.json.Encoder()


def encode(value: object) -> bytes:
    """JSON of a dataclass or a list of them, in UTF-8. A lone surrogate becomes "?"."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


#: Decoders by type. msgspec ends the process with SIGSEGV if two threads prepare the same dataclass at the same time
#: (seen in 4 of 40 processes with eight threads), so `_decoder` prepares one type at a time.
_decoders: dict[object, msgspec.json.Decoder[Any]] = {}
_decoders_lock = threading.Lock()


def _decoder(of: type[T]) -> msgspec.json.Decoder[T]:
    decoder = _decoders.get(of)
    if decoder is None:
        with _decoders_lock:
            decoder = _decoders.setdefault(of, msgspec.json.Decoder(of, strict=False))
    return decoder


def decode(body: bytes, of: type[T]) -> T:
    """The value of type ``of`` that `encode` made."""
    decoder = _decoder(of)
    try:
        return decoder.decode(body)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        # The encoder of version 0.1.0 wrote NaN, which is not JSON.
        return msgspec.convert(json.loads(body), of, strict=False)


#: A word in storage: text, page, edges of its box, confidence. A list is a third of the size of an object.
_StoredWord = tuple[str, int, float, float, float, float, float | None]


@dataclass(frozen=True, slots=True)
class _StoredExtraction:
    """An extraction in storage, without its markdown unless version 0.1.0 wrote it."""

    engine: str
    pages: tuple[Page, ...] = ()
    blocks: tuple[Block, ...] = ()
    fields: tuple[Field, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    warnings: tuple[str, ...] = ()
    markdown_sha256: str | None = None
    markdown: str | None = None
    words: tuple[_StoredWord, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkdownReference:
    """The part of a stored extraction that says where its markdown is: elsewhere, or inside (version 0.1.0)."""

    markdown_sha256: str | None = None
    markdown: str | None = None


@dataclass(frozen=True, slots=True)
class EncodedExtraction:
    """The JSON of an extraction without its markdown, and the markdown in UTF-8."""

    extraction: bytes
    markdown: bytes


def encode_extraction(extraction: Extraction) -> EncodedExtraction:
    markdown = encode_text(extraction.markdown)
    stored = _StoredExtraction(
        extraction.engine,
        extraction.pages,
        extraction.blocks,
        extraction.fields,
        extraction.metadata,
        extraction.warnings,
        hashlib.sha256(markdown).hexdigest(),
        words=tuple(_stored_word(word) for word in extraction.words),
    )
    return EncodedExtraction(encode(stored), markdown)


def decode_markdown_reference(body: bytes) -> MarkdownReference:
    return decode(body, MarkdownReference)


@dataclass(frozen=True, slots=True)
class _StoredPages:
    """The part of a stored extraction that has its pages."""

    pages: tuple[Page, ...] = ()


def decode_pages(body: bytes) -> tuple[Page, ...]:
    """The pages of a stored extraction, in the order of the text."""
    return tuple(sorted(decode(body, _StoredPages).pages, key=lambda page: page.start))


def decode_extraction(body: bytes, markdown: bytes | None) -> Extraction:
    """The extraction; ``markdown`` is the content of the blob that it refers to."""
    stored = decode(body, _StoredExtraction)
    if stored.markdown is not None:
        text = stored.markdown
    elif markdown is not None:
        text = markdown.decode("utf-8")
    else:
        raise ValueError("A stored extraction without its markdown cannot be decoded.")
    return Extraction(
        text,
        stored.engine,
        stored.pages,
        stored.blocks,
        stored.fields,
        stored.metadata,
        stored.warnings,
        tuple(Word(word[0], word[1], Box(*word[2:6]), word[6]) for word in stored.words),
    )


def _stored_word(word: Word) -> _StoredWord:
    box = word.box
    return word.text, word.page, box.x0, box.y0, box.x1, box.y1, word.confidence


@dataclass(frozen=True, slots=True)
class _StoredChunk:
    """A chunk in storage. ``text`` is null where it is the markdown from `anchor.start` to `anchor.end`."""

    id: str
    ordinal: int
    tokens: int
    anchor: Anchor
    text: str | None = None


def encode_chunks(chunks: Sequence[Chunk], markdown: str) -> bytes:
    """The JSON of chunks of this markdown."""
    return encode([_stored_chunk(chunk, markdown) for chunk in chunks])


def _stored_chunk(chunk: Chunk, markdown: str) -> _StoredChunk:
    in_markdown = markdown[chunk.anchor.start : chunk.anchor.end] == chunk.text
    return _StoredChunk(
        chunk.id, chunk.ordinal, chunk.tokens, chunk.anchor, None if in_markdown else chunk.text
    )


def decode_chunks(body: bytes, markdown: bytes | None) -> list[Chunk]:
    """The chunks; ``markdown`` is the content that they were cut from, None for chunks of version 0.1.0."""
    content = "" if markdown is None else markdown.decode("utf-8")
    return [
        Chunk(
            stored.id,
            stored.ordinal,
            content[stored.anchor.start : stored.anchor.end] if stored.text is None else stored.text,
            stored.tokens,
            stored.anchor,
        )
        for stored in decode(body, list[_StoredChunk])
    ]


def decode_fields(body: bytes) -> list[Field]:
    return decode(body, list[Field])


def decode_recording(body: bytes) -> Recording:
    """A recording; version 0.1.0 called `speaker_per_channel` "apart"."""
    raw: dict[str, Any] = msgspec.json.decode(body)
    if "apart" in raw:
        raw["speaker_per_channel"] = raw.pop("apart")
    _decoder(Recording)
    return msgspec.convert(raw, Recording, strict=False)


def encode_text(text: str) -> bytes:
    """UTF-8; a lone surrogate becomes "?", so that offsets stay the same."""
    return text.encode("utf-8", "replace")


def anchor_json(anchor: Anchor) -> dict[str, object]:
    """An anchor for the API and the tables, without the values that are not known."""
    return _known(_plain(anchor))


def field_anchor(item: Field) -> dict[str, object]:
    """The place of a field for the API and the tables, without the values that are not known."""
    return _known({"page": item.page, "start": item.start, "end": item.end, "box": _plain(item.box)})


def schema_field_anchor(item: SchemaField) -> dict[str, object]:
    """The place of a value of a schema with its quotation, without the values that are not known."""
    place = {"page": item.page, "start": item.start, "end": item.end, "box": _plain(item.box)}
    return _known({**place, "quote": item.quote})


def _plain(value: object) -> Any:
    return msgspec.to_builtins(value)


def _known(values: dict[str, Any]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None and value != ()}
