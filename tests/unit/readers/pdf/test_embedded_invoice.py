"""A PDF with an embedded invoice (ZUGFeRD, Factur-X) gives the values of its XML."""

from __future__ import annotations

from pathlib import Path

import pikepdf

from tests.support import pdfs
from towpath.readers.ocr.settings import OcrSettings
from towpath.readers.pdf.reader import read_pdf

INVOICE = """<?xml version="1.0"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:rsm" xmlns:ram="urn:ram" xmlns:udt="urn:udt">
  <rsm:ExchangedDocument>
    <ram:ID>2024-0815</ram:ID><ram:TypeCode>380</ram:TypeCode>
    <ram:IssueDateTime><udt:DateTimeString format="102">20240514</udt:DateTimeString></ram:IssueDateTime>
  </rsm:ExchangedDocument>
  <ram:SellerTradeParty><ram:ID>1</ram:ID><ram:Name>Hafenhandel GmbH</ram:Name></ram:SellerTradeParty>
  <ram:BuyerTradeParty><ram:Name>Kanal AG</ram:Name></ram:BuyerTradeParty>
  <ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
  <ram:TaxBasisTotalAmount>100.00</ram:TaxBasisTotalAmount>
  <ram:TaxTotalAmount currencyID="EUR">19.00</ram:TaxTotalAmount>
  <ram:GrandTotalAmount>119.00</ram:GrandTotalAmount>
</rsm:CrossIndustryInvoice>
"""


def with_attachment(path: Path, name: str, content: bytes) -> Path:
    with pikepdf.open(pdfs.plain(path, [["A page of an invoice"]]), allow_overwriting_input=True) as document:
        document.attachments[name] = content
        document.save(path)
    return path


def fields_of(path: Path) -> dict[str, str]:
    return {field.name: field.value for field in read_pdf(path, ocr=OcrSettings("off")).fields}


def test_the_values_of_the_embedded_invoice_become_fields(tmp_path: Path):
    path = with_attachment(tmp_path / "invoice.pdf", "factur-x.xml", INVOICE.encode())

    assert fields_of(path) == {
        "document_type": "invoice",
        "supplier": "Hafenhandel GmbH",
        "customer": "Kanal AG",
        "invoice_number": "2024-0815",
        "invoice_date": "2024-05-14",
        "net": "100.00 EUR",
        "tax": "19.00 EUR",
        "total": "119.00 EUR",
        "currency": "EUR",
    }


def test_other_or_damaged_attachments_are_ignored(tmp_path: Path):
    assert fields_of(with_attachment(tmp_path / "a.pdf", "other.xml", INVOICE.encode())) == {}
    assert fields_of(with_attachment(tmp_path / "b.pdf", "factur-x.xml", b"<broken")) == {}
    assert fields_of(with_attachment(tmp_path / "c.pdf", "factur-x.xml", b"<order/>")) == {}
