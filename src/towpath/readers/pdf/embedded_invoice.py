"""Reads an invoice that is embedded in a PDF as XML: ZUGFeRD, Factur-X, XRechnung (Cross Industry Invoice)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from towpath.model.content import Field
from towpath.readers.common.safe_xml import XmlParseError, local_name, parse_xml
from towpath.readers.pdf.pdfium import PdfiumFile

_NAMES = frozenset(
    ("factur-x.xml", "zugferd-invoice.xml", "zugferd_invoice.xml", "xrechnung.xml", "cii-invoice.xml")
)
_MAX_BYTES = 10_000_000
#: Field, its kind, and the elements that lead to its value.
_PATHS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("supplier", "organization", ("SellerTradeParty", "Name")),
    ("customer", "organization", ("BuyerTradeParty", "Name")),
    ("invoice_number", "identifier", ("ExchangedDocument", "ID")),
    ("invoice_number", "identifier", ("HeaderExchangedDocument", "ID")),
    ("invoice_date", "date", ("IssueDateTime", "DateTimeString")),
    ("due_date", "date", ("DueDateDateTime", "DateTimeString")),
    ("net", "money", ("TaxBasisTotalAmount",)),
    ("tax", "money", ("TaxTotalAmount",)),
    ("total", "money", ("GrandTotalAmount",)),
    ("currency", "currency", ("InvoiceCurrencyCode",)),
)
_CREDIT_NOTES = frozenset(("381", "261", "396"))


def embedded_invoice_fields(file: PdfiumFile) -> tuple[Field, ...]:
    """The fields of the embedded invoice; empty if there is none that can be read."""
    for name, content in file.attachments(_MAX_BYTES):
        if name.lower() in _NAMES:
            return tuple(_fields(content))
    return ()


def _fields(content: bytes) -> Iterator[Field]:
    try:
        root = parse_xml(content)
    except XmlParseError:
        return

    def first(path: tuple[str, ...]) -> str:
        element = root.find(".//" + "/".join(f"{{*}}{tag}" for tag in path))
        return " ".join((element.text or "").split()) if element is not None else ""

    is_invoice = local_name(root.tag) in ("CrossIndustryInvoice", "CrossIndustryDocument")
    if not is_invoice:
        return
    is_credit = first(("ExchangedDocument", "TypeCode")) in _CREDIT_NOTES
    yield Field("document_type", "credit note" if is_credit else "invoice")
    currency = first(("InvoiceCurrencyCode",))
    seen: set[str] = set()
    for name, kind, path in _PATHS:
        value = _value(first(path), kind, currency)
        if value and name not in seen:
            seen.add(name)
            yield Field(name, value, kind)


def _value(text: str, kind: str, currency: str) -> str:
    """The value in the form of the other fields; empty if it has not the form of its kind."""
    if kind == "date":
        date = re.fullmatch(r"(\d{4})-?(\d{2})-?(\d{2})", text)
        return f"{date[1]}-{date[2]}-{date[3]}" if date else ""
    if kind == "money":
        if not re.fullmatch(r"-?\d+(?:\.\d+)?", text):
            return ""
        return f"{float(text):.2f} {currency}".strip()
    return text[:200]
