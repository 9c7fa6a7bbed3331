"""Typed invoice fields (as ``prebuilt-invoice`` returns them) from key-value pairs and the first table."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

Json = dict[str, Any]

_NAMES = {
    "invoice number": "InvoiceId",
    "invoice no": "InvoiceId",
    "invoice date": "InvoiceDate",
    "due date": "DueDate",
    "vendor": "VendorName",
    "from": "VendorName",
    "customer": "CustomerName",
    "bill to": "CustomerName",
    "subtotal": "SubTotal",
    "tax": "TotalTax",
    "total": "InvoiceTotal",
    "amount due": "InvoiceTotal",
}
_COLUMNS = {
    "description": "Description",
    "item": "Description",
    "quantity": "Quantity",
    "qty": "Quantity",
    "unit price": "UnitPrice",
    "price": "UnitPrice",
    "amount": "Amount",
}
_MONEY = {"SubTotal", "TotalTax", "InvoiceTotal", "UnitPrice", "Amount"}
_DATES = {"InvoiceDate", "DueDate"}
_CURRENCIES = {"$": "USD", "€": "EUR", "£": "GBP", "₽": "RUB"}


def invoice_document(pairs: list[Json], tables: list[Json], pages: list[Json]) -> Json:
    """One document of type ``invoice`` that spans all pages."""
    fields: Json = {}
    for pair in pairs:
        name = _NAMES.get(pair["key"]["content"].rstrip(": ").lower())
        if name:
            fields[name] = _field(name, pair["value"], pair["confidence"])
    items = [_item(tables[0], row) for row in range(1, tables[0]["rowCount"])] if tables else []
    if items:
        fields["Items"] = {"type": "array", "valueArray": items}
    return {
        "docType": "invoice",
        "boundingRegions": [
            {
                "pageNumber": p["pageNumber"],
                "polygon": [0, 0, p["width"], 0, p["width"], p["height"], 0, p["height"]],
            }
            for p in pages
        ],
        "spans": [span for page in pages for span in page["spans"]],
        "fields": fields,
        "confidence": 0.95,
    }


def _item(table: Json, row: int) -> Json:
    heads = {c["columnIndex"]: c["content"].lower() for c in table["cells"] if c["rowIndex"] == 0}
    values: Json = {}
    for cell in table["cells"]:
        name = _COLUMNS.get(heads.get(cell["columnIndex"], ""))
        if cell["rowIndex"] == row and name:
            values[name] = _field(name, cell, 0.92)
    return {"type": "object", "valueObject": values, "confidence": 0.92}


def _field(name: str, found: Json, confidence: float) -> Json:
    text = str(found["content"])
    proof = {key: found[key] for key in ("content", "boundingRegions", "spans")}
    return {**_typed(name, text), **proof, "confidence": confidence}


def _typed(name: str, text: str) -> Json:
    number = re.sub(r"[^\d.-]", "", text)
    if name in _MONEY and number:
        sign = next((sign for sign in _CURRENCIES if sign in text), "$")
        money = {"currencySymbol": sign, "amount": float(number), "currencyCode": _CURRENCIES[sign]}
        return {"type": "currency", "valueCurrency": money}
    if name == "Quantity" and number:
        return {"type": "number", "valueNumber": float(number)}
    if name in _DATES:
        for shape in ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%m/%d/%Y"):
            try:
                return {"type": "date", "valueDate": datetime.strptime(text, shape).date().isoformat()}
            except ValueError:
                continue
        return {"type": "date"}
    return {"type": "string", "valueString": text}
