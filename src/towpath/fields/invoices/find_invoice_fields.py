"""Finds the fields of an invoice or receipt: kind, supplier, customer, number, dates, amounts, currency."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from towpath.fields.date_order import DateOrder, date_order
from towpath.fields.invoices import confidence, labels
from towpath.fields.invoices.amounts import Amount, currency_marks, find_amounts
from towpath.fields.invoices.dates import TIME, DateMatch, find_dates
from towpath.fields.invoices.invoice_number import find_number
from towpath.fields.invoices.invoice_or_receipt import Kind, invoice_kind
from towpath.fields.invoices.parties import find_customer, find_supplier
from towpath.fields.invoices.rows_and_cells import Cell, Row, document_rows
from towpath.fields.invoices.totals import choose_totals
from towpath.model.content import Extraction

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_MIN_CHINESE_LETTERS = 5
#: Kana, and letters and words that only Japanese invoices have.
_JAPANESE = re.compile(r"[\u3040-\u30ff円単様込]|株式会社|請求|消費税|御中|JPY")
#: Countries whose currency is called dollar; the sign alone does not say which.
_DOLLARS = ("USD", "CAD", "AUD", "SGD", "HKD", "NZD", "MXN")


@dataclass(frozen=True, slots=True)
class InvoiceField:
    """A value with the cell that proves it; None for values about the whole document."""

    name: str
    value: str
    kind: str
    confidence: float
    cell: Cell | None = None


def find_invoice_fields(extraction: Extraction, language: str | None) -> list[InvoiceField]:
    """The fields of an invoice or receipt; empty if the document is neither."""
    rows = document_rows(extraction)
    amounts = find_amounts(rows)
    kind = invoice_kind(rows, amounts, extraction)
    if kind is None:
        return []
    text = "\n".join(row.text for row in rows)
    is_credit = any(
        labels.CREDIT_NOTE.search(cell.text) for row in rows[:40] for cell in row.cells if len(cell.text) < 40
    )
    name = "credit note" if is_credit and kind == "invoice" else kind
    fields = [InvoiceField("document_type", name, "text", 0.9)]
    fields += _parties(rows, kind)
    fields += _number(rows, kind)
    fields += _dates(rows, text, language, extraction)
    fields += _amounts(rows, amounts, kind)
    return fields


def _parties(rows: Sequence[Row], kind: Kind) -> list[InvoiceField]:
    fields: list[InvoiceField] = []
    supplier = find_supplier(rows, receipt=kind == "receipt")
    if supplier:
        certainty = confidence.supplier_confidence(supplier.score, supplier.margin, kind)
        fields.append(InvoiceField("supplier", supplier.value, "organization", certainty, supplier.cell))
    customer = find_customer(rows)
    if customer and (supplier is None or _letters(customer.value) != _letters(supplier.value)):
        fields.append(InvoiceField("customer", customer.value, "organization", 0.7, customer.cell))
    return fields


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _number(rows: Sequence[Row], kind: Kind) -> list[InvoiceField]:
    number = find_number(rows)
    if number is None:
        return []
    certainty = confidence.invoice_number_confidence(number.score, kind)
    return [InvoiceField("invoice_number", number.value, "identifier", certainty, number.cell)]


def _dates(
    rows: Sequence[Row], text: str, language: str | None, extraction: Extraction
) -> list[InvoiceField]:
    dates = find_dates(rows)
    if not dates:
        return []
    numbers = [found.numbers for found in dates if found.numbers is not None]
    order = date_order(numbers, text, language, extraction.pages)
    fields: list[InvoiceField] = []
    due = max((item for item in dates if labels.DUE_DATE.search(item.label)), key=_earliness, default=None)
    issued, score, margin = _issue_date(dates, rows, due, order)
    if issued is not None:
        value, certainty = issued.in_order(order)
        shown = confidence.issue_date_confidence(score, margin) * certainty
        fields.append(InvoiceField("invoice_date", value.isoformat(), "date", shown, issued.cell))
    if due is not None:
        value, certainty = due.in_order(order)
        fields.append(
            InvoiceField("due_date", value.isoformat(), "date", confidence.DUE_DATE * certainty, due.cell)
        )
    return fields


def _earliness(found: DateMatch) -> int:
    return -found.row


def _issue_date(
    dates: Sequence[DateMatch], rows: Sequence[Row], due: DateMatch | None, order: DateOrder
) -> tuple[DateMatch | None, float, float]:
    """The date with the most evidence for being that of the invoice, its score, and the lead over other dates."""
    scores: dict[date, tuple[float, DateMatch]] = {}
    for found in dates:
        if found is due:
            continue
        score = 0.8 - min(0.8, 0.02 * found.row)
        if labels.INVOICE_DATE.search(found.label):
            score += 0.5 if labels.OTHER_DATE.search(found.label) else 3.0
        elif labels.DUE_DATE.search(found.label):
            score -= 2.5
        elif labels.OTHER_DATE.search(found.label):
            score -= 1.0
        elif labels.DATE_LABEL.search(found.label):
            score += 2.0
        elif labels.INVOICE_WORD.search(found.label) and len(found.label) < 60:
            score += 1.5
        rest = rows[found.row].text.replace(found.cell.text[found.start : found.end], " ", 1)
        score += 1.0 if TIME.search(rest) else 0.0
        value, _ = found.in_order(order)
        known = scores.get(value)
        # A second date of delivery or order says nothing about the date of the invoice.
        is_other = labels.OTHER_DATE.search(found.label) or labels.DUE_DATE.search(found.label)
        repeats = 0.5 if known and not is_other else 0.0
        if known is None or score > known[0]:
            scores[value] = (score + repeats, found)
        else:
            scores[value] = (known[0] + repeats, known[1])
    ranked = sorted(scores.values(), key=lambda item: -item[0])
    if not ranked:
        return None, 0.0, 0.0
    margin = ranked[0][0] - ranked[1][0] if len(ranked) > 1 else 3.0
    return ranked[0][1], ranked[0][0], margin


def _amounts(rows: Sequence[Row], amounts: Sequence[Amount], kind: Kind) -> list[InvoiceField]:
    totals = choose_totals(amounts, receipt=kind == "receipt")
    if totals.total is None:
        return []
    currency = _currency(rows, amounts)
    certainty = confidence.total_confidence(totals.total_score, totals.margin, checked=totals.checked)
    chosen = [("total", totals.total, certainty)]
    if totals.net is not None and totals.tax is not None:
        chosen += [("net", totals.net, 0.9 * certainty), ("tax", totals.tax, 0.9 * certainty)]
    fields = [
        InvoiceField(name, _money(amount, currency), "money", shown, amount.cell)
        for name, amount, shown in chosen
    ]
    if currency:
        fields.append(InvoiceField("currency", currency, "currency", 0.95))
    return fields


def _money(amount: Amount, currency: str | None) -> str:
    value = f"{amount.value:.2f}"
    return f"{value} {currency}" if currency else value


def _currency(rows: Sequence[Row], amounts: Sequence[Amount]) -> str | None:
    """The currency of most amounts, or else the only one that the document names; None if nothing says it."""
    beside = Counter(amount.currency for amount in amounts if amount.currency)
    named = Counter(mark for row in rows for mark in currency_marks(row.text))
    for counts in (beside, named):
        if not counts:
            continue
        (mark, count), *others = counts.most_common(2)
        if others and others[0][1] == count:
            continue
        if mark == "JPY" and _is_chinese(rows):
            return "CNY"
        if mark != "$":
            return mark
        dollars = [code for code in _DOLLARS if named[code]]
        return dollars[0] if len(dollars) == 1 else None
    return None


def _is_chinese(rows: Sequence[Row]) -> bool:
    """True for Chinese letters without Japanese ones: both countries write the sign of the yen.

    A few letters, such as those of one label, are of both languages.
    """
    text = "".join(row.text for row in rows)
    return len(_CHINESE.findall(text)) >= _MIN_CHINESE_LETTERS and _JAPANESE.search(text) is None
