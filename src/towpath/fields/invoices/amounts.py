"""Finds amounts in the cells of an invoice: numbers with two decimals or a currency, and the labels beside them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from towpath.fields.invoices import amount_labels
from towpath.fields.invoices.rows_and_cells import Cell, Row

_CURRENCIES = {
    "€": "EUR", "eur": "EUR", "euro": "EUR", "£": "GBP", "gbp": "GBP", "us$": "USD", "usd": "USD", "rm": "MYR",
    "myr": "MYR", "chf": "CHF", "fr.": "CHF", "zł": "PLN", "pln": "PLN", "kr": "SEK", "sek": "SEK", "nok": "NOK",
    "dkk": "DKK", "руб": "RUB", "₽": "RUB", "rub": "RUB", "₹": "INR", "inr": "INR", "rs.": "INR", "s$": "SGD",
    "sgd": "SGD", "a$": "AUD", "aud": "AUD", "c$": "CAD", "cad": "CAD", "r$": "BRL", "brl": "BRL", "¥": "JPY",
    "jpy": "JPY", "hk$": "HKD", "hkd": "HKD", "kč": "CZK", "czk": "CZK", "ft": "HUF", "huf": "HUF", "грн": "UAH",
    "uah": "UAH", "rp": "IDR", "idr": "IDR", "฿": "THB", "thb": "THB", "₺": "TRY", "try": "TRY", "nzd": "NZD",
    "zar": "ZAR", "aed": "AED", "cny": "CNY", "mxn": "MXN", "￥": "JPY", "円": "JPY", "元": "CNY", "₴": "UAH",
    "₪": "ILS", "ils": "ILS", "ron": "RON", "lei": "RON", "bgn": "BGN", "лв": "BGN", "₩": "KRW", "krw": "KRW",
    "egp": "EGP", "pkr": "PKR", "sar": "SAR", "qar": "QAR", "kes": "KES", "ngn": "NGN", "php": "PHP", "₱": "PHP",
    "vnd": "VND", "₫": "VND", "bdt": "BDT", "lkr": "LKR", "twd": "TWD", "clp": "CLP", "cop": "COP", "ars": "ARS",
    "rs": "INR", "$": "$",
}  # fmt: skip
_MARK = "|".join(sorted(map(re.escape, _CURRENCIES), key=len, reverse=True))
_NUMBER = (
    r"\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+(?:[.,]\d{2})(?!\d)"  # 1.234,56
    r"|\d*[.,] ?\d{2}(?![\d%])"  # 12.50, .02
    r"|\d+[.,]\d(?!\d)"  # 12.5, as programs print a number
    r"|\d{1,3}(?:[.,'’]\d{3})+(?![\d.,])"  # 1,234
    r"|\d+"
)
# Currencies are in lower case, and so is the text that is searched: ignoring case takes more than twice as long.
_AMOUNT = re.compile(
    rf"(?<![\w.,/:-])(?P<sign>[-−–(]\s?)?(?P<before>(?:{_MARK})\s?\.?\s?)?(?P<minus>[-−–]\s?)?(?P<number>{_NUMBER})"
    rf"(?P<after>\s?(?:{_MARK})(?!\w))?(?P<end>\)|[-−](?!\d))?(?![\w/:%]|[.,]\d| ?%)"
)
#: A longer cell is prose; its amounts are not those of a form.
_MAX_CELL = 1000
_MARKED = re.compile(rf"(?<![a-z])(?:{_MARK})(?![a-z])")


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount on a page: its value, currency (ISO code or ``$``), cell, row, and the label beside or above it."""

    value: Decimal
    currency: str | None
    cell: Cell
    row: int
    label: str = ""
    start: int = 0
    #: Whether the label is the head of a column with more amounts.
    under_items: bool = False
    #: Whether the number has neither two decimals nor a currency.
    is_bare: bool = False


def currency_marks(text: str) -> Iterator[str]:
    """The currencies named in a text, in order: signs and codes in capitals.

    "Kr" and "ft" are currencies beside an amount only; elsewhere they are words, units and codes of taxes.
    """
    for match in _MARKED.finditer(_lower_case(text)):
        written = text[match.start() : match.end()]
        if not written.isalpha() or (written.isupper() and (len(written) == 3 or written == "RM")):
            yield _CURRENCIES[match[0]]


def read_amounts(text: str) -> Iterator[tuple[Decimal, str | None, int, int]]:
    """Value, currency, start and end of each amount: a number with two decimals, or any number with a currency."""
    for amount in _read(text):
        if not amount.is_bare:
            yield amount.value, amount.currency, amount.start, amount.end


@dataclass(frozen=True, slots=True)
class _Number:
    value: Decimal
    currency: str | None
    start: int
    end: int
    is_bare: bool


def _read(text: str) -> Iterator[_Number]:
    """The same with bare numbers."""
    for match in _AMOUNT.finditer(_lower_case(text)):
        mark = (match["before"] or match["after"] or "").strip()
        currency = _CURRENCIES.get(mark) or _CURRENCIES.get(mark.rstrip("."))
        number = match["number"].replace(" ", "")
        decimals = re.search(r"[.,](\d{1,2})\Z", number)
        places = len(decimals[1]) if decimals else 0
        value = _value(number, places)
        if value is None:
            continue
        opened = (match["sign"] or "").startswith("(")
        negative = match["minus"] or (match["sign"] and not opened) or (opened and match["end"] == ")")
        negative = negative or (match["end"] or "").startswith(("-", "−"))
        is_bare = places != 2 and currency is None
        yield _Number(-value if negative else value, currency, match.start(), match.end(), is_bare)


def _lower_case(text: str) -> str:
    """The text in lower case, with every character at its place: a few letters become two."""
    lower = text.lower()
    if len(lower) == len(text):
        return lower
    return "".join(letter if len(letter.lower()) > 1 else letter.lower() for letter in text)


def _value(number: str, places: int) -> Decimal | None:
    digits = re.sub(r"\D", "", number)
    if not digits or len(digits) > 12:
        return None
    try:
        return Decimal(digits).scaleb(-places)
    except InvalidOperation:
        return None


def find_amounts(rows: Sequence[Row]) -> list[Amount]:
    """All amounts of the rows with their labels."""
    amounts: list[Amount] = []
    headers: dict[Cell, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        for amount in _in_row(row, index):
            header = None if amount.label or amount.is_bare else _cell_above(rows, index, amount.cell)
            if header is not None:
                headers[header].append(len(amounts))
                amount = replace(amount, label=header.text)
            amounts.append(amount)
    for indexes in headers.values():
        # The head of a column of items labels at most their sum, in the last row.
        for index in indexes[:-1]:
            amounts[index] = replace(amounts[index], label="")
        if len(indexes) > 1:
            amounts[indexes[-1]] = replace(amounts[indexes[-1]], under_items=True)
    if not any(amount_labels.names_total(amount.label) for amount in amounts):
        amounts = _under_total(rows, amounts)
    return _without_counts(amounts)


def _under_total(rows: Sequence[Row], amounts: Sequence[Amount]) -> list[Amount]:
    """With the label "Total" of its column for the only amount below it; left of it there may be another text."""
    columns: dict[Cell, list[int]] = defaultdict(list)
    for index, amount in enumerate(amounts):
        header = None if amount.is_bare else _cell_above(rows, amount.row, amount.cell)
        if header is not None and amount_labels.names_total(header.text):
            columns[header].append(index)
    only = {indexes[0]: header.text for header, indexes in columns.items() if len(indexes) == 1}
    return [
        replace(amount, label=only[index]) if index in only else amount
        for index, amount in enumerate(amounts)
    ]


def _in_row(row: Row, index: int) -> list[Amount]:
    """The amounts of a row. Of several behind the label of a total ("Total 31.88 209.00"), the largest is the total."""
    amounts: list[Amount] = []
    left: list[str] = []
    totals: list[int] = []
    for cell in row.cells:
        end = 0
        for number in _read(cell.text[:_MAX_CELL]):
            label = _label_left([*left, cell.text[end : number.start]])
            amount = Amount(
                number.value, number.currency, cell, index, label, number.start, is_bare=number.is_bare
            )
            if amount_labels.names_total(label):
                totals = [len(amounts)]
            elif not label and totals and not number.is_bare:
                totals.append(len(amounts))
            else:
                totals = []
            amounts.append(amount)
            left, end = [], number.end
        left.append(cell.text[end:])
    named = [item for item in totals if not amounts[item].is_bare]
    if len(totals) > 1 and named:
        label = amounts[totals[0]].label
        largest = max(named, key=lambda item: amounts[item].value)
        for item in totals:
            amounts[item] = replace(amounts[item], label=label if item == largest else "")
    return amounts


def _without_counts(amounts: Sequence[Amount]) -> list[Amount]:
    """Without bare numbers; where no amount is labelled as total, those remain that have such a label."""
    proper = [amount for amount in amounts if not amount.is_bare]
    if any(amount.value and amount_labels.names_total(amount.label) for amount in proper):
        # "Grand total 9440" is an amount also where the others have decimals.
        return [amount for amount in amounts if not amount.is_bare or _is_strong_total(amount.label)]
    return [amount for amount in amounts if not amount.is_bare or amount_labels.names_sum(amount.label)]


def _is_strong_total(label: str) -> bool:
    return amount_labels.names_total(label) and amount_labels.TOTAL_STRONG.search(label) is not None


def _label_left(texts: Sequence[str]) -> str:
    """The nearest text to the left that is more than a currency."""
    label = ""
    for text in reversed(texts):
        label = f"{text} {label}".strip()
        if sum(map(str.isalpha, _without_marks(label))) > 1:
            return label
    return ""


def _without_marks(text: str) -> str:
    return _MARKED.sub(" ", text.lower())


def _cell_above(rows: Sequence[Row], index: int, cell: Cell) -> Cell | None:
    """The text above the cell in the same column, if only amounts are between; at most twelve rows up."""
    for row in reversed(rows[max(0, index - 12) : index]):
        if row.page != cell.page:
            break
        for other in row.cells:
            overlap = min(other.box.x1, cell.box.x1) - max(other.box.x0, cell.box.x0)
            if overlap > 0.3 * min(other.box.x1 - other.box.x0, cell.box.x1 - cell.box.x0):
                if any(map(str.isalpha, _without_marks(other.text))):
                    return other
                break
    return None
