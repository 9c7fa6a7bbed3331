"""Parsing an analysis gives spans and boxes that match the text on the page."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.emulators import DocumentIntelligenceEmulator
from tests.support.emulators.sample_sources import BytesSource, invoice_pdf
from towpath.errors import Transient
from towpath.model.content import Box, Extraction, Field
from towpath.model.provider_answer import Pending
from towpath.providers.azure.document_intelligence import DocumentIntelligence
from towpath.providers.azure.parse_analysis import parse_analysis


async def extraction(service: DocumentIntelligenceEmulator, model: str) -> Extraction:
    analyzer = DocumentIntelligence(service.url, service.key, model=model)
    operation = await analyzer.start(BytesSource(invoice_pdf()))
    while isinstance(answer := await analyzer.poll(operation), Pending):
        pass
    await analyzer.aclose()
    return analyzer.read(answer.body)


@pytest.fixture
async def layout(service: DocumentIntelligenceEmulator) -> Extraction:
    return await extraction(service, "prebuilt-layout")


@pytest.fixture
async def invoice(service: DocumentIntelligenceEmulator) -> Extraction:
    return await extraction(service, "prebuilt-invoice")


def named(found: Extraction, name: str) -> Field:
    return next(field for field in found.fields if field.name == name)


async def test_the_markdown_has_headings_tables_and_pages(layout: Extraction) -> None:
    assert layout.markdown.startswith("# Cooper & Sons\n\nInvoice number: A-1047")
    assert "<td>Oak barrel</td>" in layout.markdown
    assert layout.engine == "azure:prebuilt-layout@2024-11-30"
    assert layout.metadata == {"title": "Cooper & Sons"}
    first, second = layout.pages
    assert (first.number, second.number) == (1, 2)
    assert first.label == "7"
    assert second.label is None
    assert first.width == pytest.approx(595 / 72, abs=0.001)
    assert layout.markdown[first.start : first.end].endswith('<!-- PageNumber="7" -->')
    assert layout.markdown[second.start : second.end] == "## Terms\n\nPayment is due within thirty days."


async def test_blocks_are_ordered_paragraphs_with_boxes(layout: Extraction) -> None:
    texts = [layout.markdown[block.start : block.end] for block in layout.blocks]

    assert texts[0] == "# Cooper & Sons"
    assert (
        "Thank you for your order. The barrels were made of\nLatvian oak and left our yard on Friday."
        in texts
    )
    assert sum(text.startswith("<table>") for text in texts) == 1, "cells are not blocks beside their table"
    assert not any("PageNumber" in text for text in texts), "page furniture is no content"
    assert [block.start for block in layout.blocks] == sorted(block.start for block in layout.blocks)
    heading = layout.blocks[0].box
    assert heading is not None
    assert heading.x0 == pytest.approx(72 / 595, abs=0.01)
    assert heading.y1 == pytest.approx(60 / 842, abs=0.02)
    assert {block.page for block in layout.blocks} == {1, 2}


async def test_key_value_pairs_become_fields_with_anchors(layout: Extraction) -> None:
    field = named(layout, "Invoice number")

    assert field.value == "A-1047"
    assert (field.page, field.confidence, field.kind) == (1, 0.9, "text")
    assert layout.markdown[field.start : field.end] == "A-1047"
    assert field.box is not None
    assert field.box.x0 > 72 / 595, "the box is that of the value, not of the key"


async def test_an_invoice_gives_typed_fields(invoice: Extraction) -> None:
    typed = {field.name: (field.kind, field.value) for field in invoice.fields}

    assert typed["InvoiceId"] == ("text", "A-1047")
    assert typed["InvoiceDate"] == ("date", "2024-05-17")
    assert typed["InvoiceTotal"] == ("money", "276.5 USD")
    assert typed["Items[0].Description"] == ("text", "Oak barrel")
    assert typed["Items[1].Quantity"] == ("number", "12.0")
    assert typed["Items[1].Amount"] == ("money", "36.5 USD")
    total = named(invoice, "InvoiceTotal")
    assert invoice.markdown[total.start : total.end] == "$276.50"
    assert invoice.metadata["document_type"] == "invoice"


async def test_a_model_without_paragraphs_gives_its_lines_as_blocks(invoice: Extraction) -> None:
    texts = [invoice.markdown[block.start : block.end] for block in invoice.blocks]

    assert "Payment is due within thirty days." in texts


def analysis(**result: Any) -> bytes:
    pages = [
        {"pageNumber": n, "width": 10, "height": 20, "spans": [{"offset": 0, "length": 4}]} for n in (1, 2)
    ]
    return json.dumps({"status": "succeeded", "analyzeResult": {"pages": pages, **result}}).encode()


def region(page: int, *polygon: float) -> dict[str, Any]:
    return {"pageNumber": page, "polygon": polygon}


def test_a_paragraph_across_a_page_break_gives_a_block_on_each_page() -> None:
    torn = {
        "content": "the end",
        "spans": [{"offset": 0, "length": 3}, {"offset": 30, "length": 3}],
        "boundingRegions": [region(1, 1, 18, 9, 18, 9, 19, 1, 19), region(2, 1, 1, 9, 1, 9, 2, 1, 2)],
    }

    first, second = parse_analysis(analysis(paragraphs=[torn])).blocks

    assert (first.page, first.start, first.end) == (1, 0, 3)
    assert (second.page, second.start, second.end) == (2, 30, 33)
    assert first.box == Box(0.1, 0.9, 0.9, 0.95)


def test_a_turned_polygon_becomes_the_rectangle_around_it_inside_the_page() -> None:
    tilted = {
        "content": "x",
        "spans": [{"offset": 0, "length": 1}],
        "boundingRegions": [region(1, -1, 2, 5, 1, 6, 3, 1, 4)],
    }

    assert parse_analysis(analysis(paragraphs=[tilted])).blocks[0].box == Box(0.0, 0.05, 0.6, 0.2)


def test_an_office_file_has_text_but_no_boxes() -> None:
    office = {"pageNumber": 1, "spans": [{"offset": 0, "length": 5}]}
    paragraph = {"content": "Hello", "spans": [{"offset": 0, "length": 5}]}

    found = parse_analysis(analysis(content="Hello", pages=[office], paragraphs=[paragraph]))

    assert found.markdown == "Hello"
    assert found.pages[0].width is None
    assert found.blocks == ()


def test_fields_of_every_type_are_readable() -> None:
    fields: dict[str, Any] = {
        "Paid": {"type": "boolean", "valueBoolean": False},
        "Sizes": {"type": "selectionGroup", "valueSelectionGroup": ["S", "L"]},
        "Street": {"type": "address", "valueAddress": {"road": "Quay"}, "content": "1 Quay"},
        "When": {"type": "date", "content": "last spring"},
        "Empty": {"type": "string"},
        "Boss": {"type": "object", "valueObject": {"Name": {"type": "string", "valueString": "Ann"}}},
    }
    document = {"docType": "form", "fields": fields, "confidence": 0.5}

    found = parse_analysis(analysis(documents=[document, document])).fields

    assert [(f.name, f.kind, f.value) for f in found][:5] == [
        ("form[1].Paid", "boolean", "false"),
        ("form[1].Sizes", "selection", "S, L"),
        ("form[1].Street", "address", "1 Quay"),
        ("form[1].When", "date", "last spring"),
        ("form[1].Boss.Name", "text", "Ann"),
    ]
    assert found[5].name == "form[2].Paid"
    assert found[0].confidence == 0.5


def test_warnings_of_the_service_are_kept() -> None:
    warnings = [{"code": "Skewed", "message": "Page 2 is skewed."}]

    assert parse_analysis(analysis(content="", warnings=warnings)).warnings == ("Page 2 is skewed.",)


def test_an_answer_without_analysis_is_not_read_as_an_empty_document() -> None:
    with pytest.raises(Transient, match="requested again"):
        parse_analysis(b'{"status":"running"}')
