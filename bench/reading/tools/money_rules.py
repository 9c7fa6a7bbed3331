"""Fields of receipts and invoices: by Towpath, by invoice2data, and by plain rules over the text of another tool."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any, cast

from bench.reading.money_fields import Value
from bench.reading.tools import towpath
from towpath.fields.finder import find_fields
from towpath.readers.ocr.settings import OcrSettings

_AMOUNT = re.compile(r"(?<![\d.,])\d{1,3}(?:[., ]\d{3})*[.,]\d{2}(?!\d)")
_DATE = re.compile(r"(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)")
_NUMBER = re.compile(
    r"(?:invoice|rechnung|facture?|factuur)\D{0,25}([A-Z0-9/-]*\d[A-Z0-9/-]*)", re.IGNORECASE
)


def towpath_fields(path: Path, *, ocr: OcrSettings) -> dict[str, Value]:
    """By Towpath's finder; an invoice embedded as XML is not used."""
    extraction = towpath.read(path, ocr=ocr)
    if extraction is None:
        return {}
    return {field.name: Value(field.value, field.confidence) for field in find_fields(extraction)}


def rules_over(text_of: Callable[[Path], str]) -> Callable[[Path], dict[str, Value]]:
    """The largest amount, the first date (day first), the first line and the number behind the word "invoice"."""

    def find(path: Path) -> dict[str, Value]:
        text = text_of(path)
        found: dict[str, Value] = {}
        amounts = [float(re.sub(r"\D", "", match)) / 100 for match in _AMOUNT.findall(text)]
        if amounts:
            found["total"] = Value(f"{max(amounts):.2f}")
        for match in _DATE.finditer(text):
            day, month, year = int(match[1]), int(match[2]), int(match[3])
            try:
                value = date(year if year > 99 else 2000 + year, month, day)
            except ValueError:
                continue
            found["invoice_date"] = Value(value.isoformat())
            break
        first = next((line.strip() for line in text.splitlines() if len(line.strip()) > 3), "")
        found["supplier"] = Value(first)
        number = _NUMBER.search(text)
        if number:
            found["invoice_number"] = Value(number[1])
        return found

    return find


def invoice2data_fields(path: Path) -> dict[str, Value]:
    """By invoice2data with the templates in its package."""
    from invoice2data import extract_data  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

    result = cast("dict[str, Any] | None", extract_data(str(path)))
    if not result:
        return {}
    names = {
        "amount": "total",
        "date": "invoice_date",
        "issuer": "supplier",
        "invoice_number": "invoice_number",
    }
    values = {names[key]: value for key, value in result.items() if key in names}
    return {
        name: Value(str(getattr(value, "date", lambda value=value: value)()))
        for name, value in values.items()
    }
