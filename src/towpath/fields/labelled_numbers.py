"""Finds numbers after a label: invoice, order, customer and reference numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from towpath.fields.field_match import FieldMatch, lowered

#: The first letters of the labels, in lower case; endings such as -nummer or -s are optional.
_STEMS = {
    "invoice_number": "invoice rechnung factur fattura fatura faktur laskun счет счёт рахунок 发票 請求書",
    "order_number": "order bestell auftrag commande pedido ordine encomenda bestel ordre zamówieni objednávk "
    "tilaus заказ замовлення 订单 注文",
    "customer_number": "customer client kunde klant kund asiakas klient zákazn клиент покупател 客户 顧客",
    "reference_number": "reference ref aktenzeichen zeichen référence réf riferimento referência viite "
    "sygnatura исх 参照",
}
_MARK = (
    r"(?:[- ]?(?:number|nummer|numero|número|numéro|номер|nro|num|no|nr|n°|nº|n\.º|№|id|code"
    r"|号码|编号|番号|号|#)(?![^\W\d_])\.?)"
)
_ENDING = r"[^\W\d_]{0,8}?"
_GAP = r"[ \t\u00a0:：#*_|]{0,8}(?P<line>\n[ \t|*_]{0,8})?"
_VALUE = r"(?<![^\W\d_])(?P<value>(?=[A-Za-z\-/._]{0,20}\d)[A-Za-z0-9][A-Za-z0-9\-/._]{2,29})(?!\w|,\d)"
_AFTER = re.compile(
    rf"{_ENDING}(?P<mark>{_MARK}{{1,2}})?[ \t\u00a0*_]{{0,3}}(?P<colon>[:：])?{_GAP}{_VALUE}", re.IGNORECASE
)
_BEFORE = re.compile(
    r"(?:n°|nº|n\.º|№|no\.?|nr\.?|número|numéro|numero|numer|číslo|номер)(?: d[aei]| d[’'])?[ \t]*\Z"
)
_DATE_LIKE = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}")


def labelled_numbers(text: str) -> Iterator[FieldMatch]:
    low = lowered(text)
    for name, stems in _STEMS.items():
        for start, end in sorted(_label_spans(low, stems.split())):
            match = _number_after(text, low, name, start, end)
            if match:
                yield match


def _label_spans(low: str, stems: list[str]) -> Iterator[tuple[int, int]]:
    for stem in stems:
        offset = low.find(stem)
        while offset >= 0:
            # Chinese and Japanese have no blanks before a word.
            if not low[offset - 1 : offset].isalpha() or low[offset] >= "⺀":
                yield offset, offset + len(stem)
            offset = low.find(stem, offset + len(stem))


def _number_after(text: str, low: str, name: str, start: int, end: int) -> FieldMatch | None:
    match = _AFTER.match(text, end)
    if match is None:
        return None
    has_label = match["mark"] or match["colon"] or _BEFORE.search(low[max(0, start - 16) : start])
    value = match["value"].rstrip("-/._")
    if not has_label or sum(map(str.isdigit, value)) < 2 or len(value) < 3 or _DATE_LIKE.fullmatch(value):
        return None
    confidence = 0.6 if match["line"] else 0.9 if match["mark"] else 0.75
    value_start = match.start("value")
    return FieldMatch(name, value, "identifier", confidence, value_start, value_start + len(value))
