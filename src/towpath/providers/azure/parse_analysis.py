"""Parses the JSON of a finished analysis into an Extraction: markdown, pages, blocks and fields.

Pure functions: a stored answer can be parsed again without a new provider call. The analysis must be
requested with ``stringIndexType=unicodeCodePoint``, so that its spans index a Python string.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from towpath.errors import Transient
from towpath.model.content import Block, Extraction, Page
from towpath.providers.azure.analysis_fields import document_fields, key_value_fields
from towpath.providers.azure.analysis_geometry import Json, PageSizes, extent, list_property

_PAGE_DECORATION_ROLES = {"pageHeader", "pageFooter", "pageNumber"}


def parse_analysis(answer: bytes) -> Extraction:
    """Parse the stored answer of a finished analysis."""
    operation: Any = json.loads(answer)
    result: Json | None = operation.get("analyzeResult")
    if result is None:
        raise Transient(
            "The stored answer of Document Intelligence has no analysis. It must be requested again."
        )
    pages = list_property(result, "pages")
    page_sizes = PageSizes.of(pages)
    return Extraction(
        markdown=result.get("content") or "",
        engine=f"azure:{result.get('modelId', 'unknown')}@{result.get('apiVersion', 'unknown')}",
        pages=tuple(_pages(pages, _labels(result))),
        blocks=tuple(sorted(_blocks(result, page_sizes), key=lambda block: (block.start, block.end))),
        fields=(*key_value_fields(result, page_sizes), *document_fields(result, page_sizes)),
        metadata=_metadata(result),
        warnings=tuple(str(w.get("message") or w.get("code")) for w in list_property(result, "warnings")),
    )


def _pages(pages: Sequence[Json], labels: dict[int, str]) -> Iterator[Page]:
    for page in pages:
        start, end = extent(list_property(page, "spans"))
        number = page["pageNumber"]
        yield Page(number, start, end, labels.get(number), page.get("width"), page.get("height"))


def _labels(result: Json) -> dict[int, str]:
    """Printed page numbers by page index. They differ from the index in books and excerpts."""
    return {
        region["pageNumber"]: str(paragraph["content"])
        for paragraph in list_property(result, "paragraphs")
        if paragraph.get("role") == "pageNumber"
        for region in list_property(paragraph, "boundingRegions")[:1]
    }


def _blocks(result: Json, page_sizes: PageSizes) -> Iterator[Block]:
    """Yield tables, paragraphs outside tables, and lines if the model finds no paragraphs."""
    tables = list_property(result, "tables")
    in_tables = _paragraph_pointers(tables)
    for table in tables:
        yield from _blocks_of(table, page_sizes)
    paragraphs = list_property(result, "paragraphs")
    for index, paragraph in enumerate(paragraphs):
        if f"/paragraphs/{index}" not in in_tables and paragraph.get("role") not in _PAGE_DECORATION_ROLES:
            yield from _blocks_of(paragraph, page_sizes)
    if not paragraphs:
        for page in list_property(result, "pages"):
            for line in list_property(page, "lines"):
                region = {"pageNumber": page["pageNumber"], "polygon": line.get("polygon")}
                yield from _blocks_of({**line, "boundingRegions": [region]}, page_sizes)


def _paragraph_pointers(tables: Sequence[Json]) -> set[str]:
    """JSON pointers to the paragraphs inside table cells, such as ``/paragraphs/12``."""
    pointers: set[str] = set()
    for table in tables:
        for cell in list_property(table, "cells"):
            pointers.update(cell.get("elements") or ())
    return pointers


def _blocks_of(element: Json, page_sizes: PageSizes) -> Iterator[Block]:
    """Yield one block for each part of an element. Page and column breaks divide elements into parts."""
    element_spans = list_property(element, "spans")
    regions = list_property(element, "boundingRegions")
    if not element_spans or not regions:
        return
    if len(element_spans) == len(regions):
        parts = [(extent([span]), region) for span, region in zip(element_spans, regions, strict=True)]
    else:
        parts = [(extent(element_spans), regions[0])]
    for (start, end), region in parts:
        yield Block(start, end, region["pageNumber"], page_sizes.box(region))


def _metadata(result: Json) -> dict[str, str]:
    titles = [str(p["content"]) for p in list_property(result, "paragraphs") if p.get("role") == "title"]
    kinds = [str(d["docType"]) for d in list_property(result, "documents") if d.get("docType")]
    languages = sorted({str(language["locale"]) for language in list_property(result, "languages")})
    metadata = {"title": titles[:1], "document_type": kinds[:1], "languages": languages}
    return {name: ", ".join(values) for name, values in metadata.items() if values}
