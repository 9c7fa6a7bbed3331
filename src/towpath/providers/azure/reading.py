"""From the service's analysis to an Extraction: markdown, pages, placed blocks and fields.

Pure, so that an answer once paid for can be read again for nothing. The analysis must have been
asked for with ``stringIndexType=unicodeCodePoint``: only then do its spans index a Python string.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from towpath.errors import Transient
from towpath.model.content import Block, Extraction, Page
from towpath.providers.azure.fields import document_fields, key_value_fields
from towpath.providers.azure.places import Json, Places, extent, listed

_FURNITURE = {"pageHeader", "pageFooter", "pageNumber"}


def read_analysis(answer: bytes) -> Extraction:
    """Turn the stored answer of a finished analysis into an Extraction."""
    operation: Any = json.loads(answer)
    result: Json | None = operation.get("analyzeResult")
    if result is None:
        raise Transient(
            "The stored answer of Document Intelligence holds no analysis; it has to be made again."
        )
    pages = listed(result, "pages")
    places = Places.of(pages)
    return Extraction(
        markdown=result.get("content") or "",
        engine=f"azure:{result.get('modelId', 'unknown')}@{result.get('apiVersion', 'unknown')}",
        pages=tuple(_pages(pages, _labels(result))),
        blocks=tuple(sorted(_blocks(result, places), key=lambda block: (block.start, block.end))),
        fields=(*key_value_fields(result, places), *document_fields(result, places)),
        metadata=_metadata(result),
        warnings=tuple(str(w.get("message") or w.get("code")) for w in listed(result, "warnings")),
    )


def _pages(pages: Sequence[Json], labels: dict[int, str]) -> Iterator[Page]:
    for page in pages:
        start, end = extent(listed(page, "spans"))
        number = page["pageNumber"]
        yield Page(number, start, end, labels.get(number), page.get("width"), page.get("height"))


def _labels(result: Json) -> dict[int, str]:
    """The page numbers as printed, which differ from the count in books and extracts."""
    return {
        region["pageNumber"]: str(paragraph["content"])
        for paragraph in listed(result, "paragraphs")
        if paragraph.get("role") == "pageNumber"
        for region in listed(paragraph, "boundingRegions")[:1]
    }


def _blocks(result: Json, places: Places) -> Iterator[Block]:
    """Tables as wholes, paragraphs outside them, and lines where the model finds no paragraphs."""
    tables = listed(result, "tables")
    in_tables = _paragraphs_of(tables)
    for table in tables:
        yield from _placed(table, places)
    paragraphs = listed(result, "paragraphs")
    for index, paragraph in enumerate(paragraphs):
        if f"/paragraphs/{index}" not in in_tables and paragraph.get("role") not in _FURNITURE:
            yield from _placed(paragraph, places)
    if not paragraphs:
        for page in listed(result, "pages"):
            for line in listed(page, "lines"):
                region = {"pageNumber": page["pageNumber"], "polygon": line.get("polygon")}
                yield from _placed({**line, "boundingRegions": [region]}, places)


def _paragraphs_of(tables: Sequence[Json]) -> set[str]:
    """Pointers to the paragraphs that stand in cells, such as ``/paragraphs/12``."""
    pointers: set[str] = set()
    for table in tables:
        for cell in listed(table, "cells"):
            pointers.update(cell.get("elements") or ())
    return pointers


def _placed(element: Json, places: Places) -> Iterator[Block]:
    """One block for each part of an element that a page or column break tore apart."""
    spans = listed(element, "spans")
    regions = listed(element, "boundingRegions")
    if not spans or not regions:
        return
    if len(spans) == len(regions):
        parts = [(extent([span]), region) for span, region in zip(spans, regions, strict=True)]
    else:
        parts = [(extent(spans), regions[0])]
    for (start, end), region in parts:
        yield Block(start, end, region["pageNumber"], places.box(region))


def _metadata(result: Json) -> dict[str, str]:
    titles = [str(p["content"]) for p in listed(result, "paragraphs") if p.get("role") == "title"]
    kinds = [str(d["docType"]) for d in listed(result, "documents") if d.get("docType")]
    languages = sorted({str(found["locale"]) for found in listed(result, "languages")})
    found = {"title": titles[:1], "document_type": kinds[:1], "languages": languages}
    return {name: ", ".join(values) for name, values in found.items() if values}
