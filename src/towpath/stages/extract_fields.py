"""extract_fields: fills a field schema from the text of a document by a chat model, part by part.

Each part is one remembered call. A value is verified if its quotation is in the text, and the place of the quotation is
its anchor. A part whose answer is longer than allowed is cut in two.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from towpath.chunking.anchors import AnchorIndex
from towpath.errors import Rejected
from towpath.fields.quoted_values import LocatedValue, locate, merge, to_fields
from towpath.fields.schemas import BY_DOCUMENT_TYPE
from towpath.fields.text_parts import Span, cut_parts, halves
from towpath.model.codec import decode_extraction, decode_fields
from towpath.model.content import Extraction
from towpath.model.field_schema import FieldSchema, SchemaField
from towpath.model.job import ProgressUnit
from towpath.model.outcome import Done, Outcome
from towpath.model.provider_answer import Answer
from towpath.model.writes import StoreSchemaFields
from towpath.stages.capabilities import FieldExtractor, FieldSchemaFinder, document_of, result_of
from towpath.stages.chunk import all_fields
from towpath.stages.contract import Context, ProviderCall
from towpath.stages.support.artifact import load_result
from towpath.storage.contract import BlobStore

AUTO = "auto"
#: A part with fewer characters is not cut in two.
_MIN_CHARACTERS = 200


async def extract_fields(
    context: Context,
    *,
    blobs: BlobStore,
    extractor: FieldExtractor,
    schemas: FieldSchemaFinder,
    schema_name: str = AUTO,
    part_characters: int = 20_000,
) -> Outcome:
    """``schema_name``: the schema of all documents, or `auto` for the one of the document's type, if any."""
    replaced = tuple(dict.fromkeys(BY_DOCUMENT_TYPE.values())) if schema_name == AUTO else (schema_name,)
    name = schema_name if schema_name != AUTO else await _schema_of_type(context, blobs)
    if name is None:
        return Done({"schema": None}, writes=[StoreSchemaFields(None, (), replaced)])
    schema = await schemas.find(context.org_id, name)
    if schema is None:
        raise Rejected(
            "schema_missing", f"There is no field schema `{name}`. Store it by `PUT /schemas/{name}`."
        )
    extraction = await _load_extraction(context, blobs)
    located = await _SchemaExtraction(context, extractor, schema, extraction.markdown).run(part_characters)
    fields = await asyncio.to_thread(_with_anchors, located, extraction)
    result = {
        "schema": schema.name,
        "values": len(fields),
        "unverified": sum(not field.verified for field in fields),
    }
    return Done(result, writes=[StoreSchemaFields(schema.name, fields, replaced)])


class _SchemaExtraction:
    """The extraction of one schema from one text."""

    def __init__(self, context: Context, extractor: FieldExtractor, schema: FieldSchema, text: str) -> None:
        self._context = context
        self._extractor = extractor
        self._schema = schema
        self._text = text

    async def run(self, part_characters: int) -> list[LocatedValue]:
        parts = cut_parts(self._text, part_characters)
        values: list[Sequence[LocatedValue]] = []
        for number, part in enumerate(parts, 1):
            values.extend(await self._values_of(part))
            await self._context.progress(number, len(parts), ProgressUnit.BATCH)
        return await asyncio.to_thread(merge, values)

    async def _values_of(self, part: Span) -> list[Sequence[LocatedValue]]:
        """The values of the part; of its halves if the answer was too long."""
        text = self._text[part[0] : part[1]]
        extractor, schema = self._extractor, self._schema

        async def make() -> Answer:
            return await extractor.extract(schema, text)

        call = ProviderCall(
            extractor.provider,
            extractor.model,
            extractor.parameters(schema),
            extractor.input_hash(text),
            extractor.count_tokens(schema, text),
        )
        values = extractor.read(schema, (await self._context.call_once(call, make)).body)
        if values is not None:
            return [await asyncio.to_thread(locate, values, self._text, part)]
        pieces = halves(self._text, part) if len(text) >= _MIN_CHARACTERS else []
        if len(pieces) < 2:
            raise Rejected(
                "answer_truncated",
                f"The values of the schema `{schema.name}` are longer than the allowed answer, even for a short part "
                "of the document. Use a schema with fewer values.",
                extractor.provider,
            )
        return [values for piece in pieces for values in await self._values_of(piece)]


def _with_anchors(located: Sequence[LocatedValue], extraction: Extraction) -> list[SchemaField]:
    return to_fields(located, AnchorIndex(extraction))


async def _load_extraction(context: Context, blobs: BlobStore) -> Extraction:
    extracted = result_of(context, "extract")
    # Version 0.1.0 stored content.md in save_markdown.
    content = str(extracted.get("markdown") or result_of(context, "save_markdown")["markdown"])
    body, markdown = await load_result(blobs, extracted["extraction"]), await blobs.get(content)
    return await asyncio.to_thread(decode_extraction, body, markdown)


async def _schema_of_type(context: Context, blobs: BlobStore) -> str | None:
    """The schema for the local field `document_type`, if there is one. In a pipeline, chunk may come later."""
    if "chunk" in context.results:
        body = await load_result(blobs, result_of(context, "chunk")["fields"])
        fields = await asyncio.to_thread(decode_fields, body)
    else:
        extraction = await _load_extraction(context, blobs)
        fields = await asyncio.to_thread(all_fields, extraction, document_of(context)["name"])
    kind = next((field.value for field in fields if field.name == "document_type"), "")
    return BY_DOCUMENT_TYPE.get(kind)
