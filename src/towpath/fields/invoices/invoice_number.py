"""Finds the number of an invoice or receipt: behind its label, right of it, below it, or behind the title."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from towpath.fields.invoices import labels
from towpath.fields.invoices.rows_and_cells import Cell, Row

_VALUE = re.compile(r"[A-Za-z0-9][A-Za-z0-9/._\\-]{0,29}(?: ?[-/] ?[A-Za-z0-9]{1,12}){0,3}")
_AMOUNT = re.compile(r"\d+[.,]\d{2}|\d{1,3}(?:[.,]\d{3})+[.,]\d{2}")
_DATE = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d{2,4}")
_OTHER_DOCUMENT = re.compile(
    r"bestell|liefer|auftrag|order|commande|pedido|kunde|client|ordine|zamów", re.IGNORECASE
)
#: "Nº: 4000-12345678" near the title: a number without a word that says of what.
_BARE_NUMBER = re.compile(
    r"(?:n[°ºo]|nr|number|nummer|número|numéro|numero|№)\s?[.:]{0,2}\s(?=\S*\d)", re.IGNORECASE
)
_TITLE_ROWS, _ROWS_BELOW_TITLE = 8, 4
#: A label such as "Doc. no." behind more characters stands in a sentence, and counts less.
_MAX_BEFORE_LABEL, _IN_SENTENCE = 25, 1.0
_GAP = re.compile(r"[\s:：#.*°ºo№=-]*")


@dataclass(frozen=True, slots=True)
class InvoiceNumberMatch:
    value: str
    cell: Cell
    score: float


def find_number(rows: Sequence[Row]) -> InvoiceNumberMatch | None:
    """The best number of the document; None if nothing is labelled as one."""
    candidates = [match for index in range(len(rows)) for match in _in_row(rows, index)]
    candidates += _below_title(rows)
    return max(candidates, key=lambda match: match.score) if candidates else None


def _in_row(rows: Sequence[Row], index: int) -> Iterator[InvoiceNumberMatch]:
    row = rows[index]
    early = max(0.0, 0.5 - 0.01 * index)
    for position, cell in enumerate(row.cells):
        label = labels.INVOICE_NUMBER.search(cell.text)
        if label is not None and not _OTHER_DOCUMENT.search(label[0]):
            base = (
                2.0
                if re.search(r"inv|rech|fa[ck]t|fatt|fatur|сч|gutsch|avoir|credit", label[0], re.I)
                else 1.2 - (_IN_SENTENCE if label.start() > _MAX_BEFORE_LABEL else 0.0)
            )
            behind = cell.text[label.end() :]
            value = _number(behind)
            if value:
                yield InvoiceNumberMatch(value, cell, base + 1.0 + early)
                continue
            if not _is_rest_of_label(behind):
                continue
            if position + 1 < len(row.cells):
                value = _number(row.cells[position + 1].text)
                if value:
                    yield InvoiceNumberMatch(value, row.cells[position + 1], base + 0.8 + early)
                    continue
            below = _below(rows, index, cell)
            value = below and _number(below.text)
            if below and value:
                yield InvoiceNumberMatch(value, below, base + 0.6 + early)
            continue
        title = labels.INVOICE_TITLE.search(cell.text)
        value = title and _number(cell.text[title.end() :])
        if title and value and len(cell.text) < 50 and sum(map(str.isdigit, value)) >= 2:
            yield InvoiceNumberMatch(value, cell, 2.2 + early)
        elif title and _is_rest_of_label(cell.text[title.end() :]):
            # A column header "Invoice" with the number in the column.
            below = _below(rows, index, cell)
            value = below and _number(below.text)
            if below and value and sum(map(str.isdigit, value)) >= 4:
                yield InvoiceNumberMatch(value, below, 1.3 + early)


def _below_title(rows: Sequence[Row]) -> Iterator[InvoiceNumberMatch]:
    """A number with the label "No." alone in the first rows below the title of the invoice."""
    for index, row in enumerate(rows[:_TITLE_ROWS]):
        if not any(_is_title(cell.text) for cell in row.cells):
            continue
        for cell in (cell for below in rows[index : index + _ROWS_BELOW_TITLE] for cell in below.cells):
            label = _BARE_NUMBER.match(cell.text)
            value = label and _number(cell.text[label.end() :])
            if value and sum(map(str.isdigit, value)) >= 3:
                yield InvoiceNumberMatch(value, cell, 1.9 - 0.01 * index)


def _is_title(text: str) -> bool:
    title = labels.INVOICE_TITLE.search(text)
    return title is not None and _is_rest_of_label(text[title.end() :])


def _is_rest_of_label(text: str) -> bool:
    return sum(map(str.isalnum, text)) <= 2


def _below(rows: Sequence[Row], index: int, cell: Cell) -> Cell | None:
    """The nearest cell below in the same column, at most three line heights away."""
    for row in rows[index + 1 : index + 4]:
        if row.page != cell.page or row.top - cell.box.y1 > 3 * cell.height:
            return None
        for other in row.cells:
            overlap = min(other.box.x1, cell.box.x1) - max(other.box.x0, cell.box.x0)
            if overlap > 0.3 * min(other.box.x1 - other.box.x0, cell.box.x1 - cell.box.x0):
                return other
    return None


def _number(text: str) -> str | None:
    """The number at the beginning of the text; None if it begins with something else."""
    gap = _GAP.match(text)
    match = _VALUE.match(text, gap.end() if gap else 0)
    if match is None:
        return None
    value = match[0].rstrip("-/._\\")
    # A word in front of the number: "No. INV 2023-01".
    if not any(map(str.isdigit, value)):
        following = re.match(r"\s+([A-Za-z0-9/._-]*\d[A-Za-z0-9/._-]*)", text[match.end() :])
        if following is None or len(value) > 5 or not value.isupper():
            return None
        value = f"{value} {following[1]}".rstrip("-/._")
    compact = re.sub(r"(?:(?<!\s)\s+)?([-/])\s*", r"\1", value)
    digits = sum(map(str.isdigit, compact))
    is_date = _DATE.fullmatch(compact) is not None
    if not digits or len(compact) < 2 or is_date or (_AMOUNT.fullmatch(compact) and "/" not in compact):
        return None
    return compact
