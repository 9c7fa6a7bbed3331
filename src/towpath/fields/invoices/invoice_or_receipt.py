"""Decides by words and layout whether a document is an invoice or a receipt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from towpath.fields.invoices import amount_labels, labels
from towpath.fields.invoices.amounts import Amount
from towpath.fields.invoices.rows_and_cells import Row
from towpath.model.content import Extraction

Kind = Literal["invoice", "receipt"]

_MAX_PAGES = 20
_RECEIPT_TITLE = re.compile(
    r"(?:payment |sales? |official |cash |store )?receipt|(?:quittung|kassenbon|reçu|recibo|ricevuta|kvitto)(?: .*)?"
    r"|領収書",
    re.IGNORECASE,
)
_SIGN_OF_A_SALE = re.compile(
    r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}|\b\d{1,2}:\d{2}\b|\b\d{1,2}[ -]?[A-Za-z]{3,9}[ .-]{0,2}\d{2,4}\b|[$€£¥₩₹]"
    r"|\b(?:RM|EUR|USD|GBP|CHF|tel|phone|fax|gst|vat|tax)\b",
    re.IGNORECASE,
)
_PROSE_WORDS = 14
#: A document with seller and buyer that is not an invoice yet, or never becomes one.
_OTHER_DOCUMENT = re.compile(
    r"\b(?:(?:purchase|work|sales) order|order (?:form|confirmation)|quot(?:e|ation)|estimate|offer|delivery note"
    r"|packing (?:list|slip)|contract|agreement|angebot|bestell\w*|auftragsbestätigung|lieferschein|\w*vertrag|devis"
    r"|bon de (?:commande|livraison)|contrat|presupuesto|pedido|albarán|contrato|preventivo|ordine|offerta|contratto"
    r"|offerte|zamówienie|oferta|umowa|offert|avtal|договор|предложение|заказ)\b",
    re.IGNORECASE,
)
#: A name of the document stands in a short cell, not in a sentence.
_MAX_TITLE_WORDS = 6
#: A longer line with the name and the number stands among the first ones.
_TITLE_ROWS = 15


def invoice_kind(rows: Sequence[Row], amounts: Sequence[Amount], extraction: Extraction) -> Kind | None:
    """The kind of document; None if it is neither."""
    if not rows or len(extraction.pages) > _MAX_PAGES:
        return None
    prose = sum(len(row.text.split()) >= _PROSE_WORDS for row in rows)
    if prose > 0.45 * len(rows):
        return None
    cells = [cell.text for row in rows for cell in row.cells if len(cell.text.split()) <= _MAX_TITLE_WORDS]
    named_invoice = any(labels.INVOICE_WORD.search(text) for text in cells[:80]) or any(
        map(_is_title, rows[:_TITLE_ROWS])
    )
    numbered = any(labels.INVOICE_NUMBER.search(text) for text in cells)
    receipt_words = sum(labels.RECEIPT_WORD.search(row.text) is not None for row in rows)
    total = any(amount.value and _is_total(amount.label) for amount in amounts)
    paid = any(_is_paid(amount.label) for amount in amounts)
    if not amounts or not (total or (named_invoice and numbered) or (paid and receipt_words)):
        return None
    narrow = _is_narrow(rows, extraction)
    if narrow and (receipt_words or paid or named_invoice or (total and _has_sign_of_a_sale(rows))):
        return "receipt"
    if any(_RECEIPT_TITLE.fullmatch(text.strip()) for text in cells[:12]) and total:
        return "receipt"
    if named_invoice or numbered:
        return "invoice"
    if total and _has_seller_and_buyer(rows) and not any(map(_OTHER_DOCUMENT.search, cells[:40])):
        return "invoice"
    return "receipt" if receipt_words >= 2 and paid and len(rows) < 90 else None


def _is_title(row: Row) -> bool:
    """True for a line such as "Invoice for the insurance (575) no. 12-2018 dated 18.04.2018"."""
    text = row.text.strip("* #")
    is_short = len(text.split()) < _PROSE_WORDS
    return is_short and any(map(str.isdigit, text)) and labels.INVOICE_TITLE.search(text) is not None


def _has_seller_and_buyer(rows: Sequence[Row]) -> bool:
    """True if two cells are nothing but a label of the seller and one of the buyer."""
    names = [cell.text.rstrip(" :：") for row in rows for cell in row.cells if len(cell.text) < 30]
    return any(labels.SUPPLIER_LABEL.fullmatch(name) for name in names) and any(
        labels.CUSTOMER.fullmatch(name) for name in names
    )


def _has_sign_of_a_sale(rows: Sequence[Row]) -> bool:
    """True if there is a date, a time, a telephone number or a currency: a table of figures has totals too."""
    return any(_SIGN_OF_A_SALE.search(row.text) for row in rows)


def _is_total(label: str) -> bool:
    return bool(amount_labels.TOTAL_STRONG.search(label) or amount_labels.TOTAL_PLAIN.search(label))


def _is_paid(label: str) -> bool:
    return bool(amount_labels.PAID.search(label) or amount_labels.CHANGE.search(label))


def _is_narrow(rows: Sequence[Row], extraction: Extraction) -> bool:
    """True for the paper of a cash register: a narrow page, or a photograph of short lines."""
    page = extraction.pages[0] if extraction.pages else None
    if page and page.width and page.height and page.height > 1.7 * page.width:
        return True
    if not extraction.words or extraction.words[0].confidence is None:
        return False
    lengths = [len(row.text) for row in rows]
    return max(lengths) < 75 and sum(length > 48 for length in lengths) <= max(2, 0.1 * len(lengths))
