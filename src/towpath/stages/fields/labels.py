"""Numbers known by the word before them: of an invoice, an order, a customer, a reference."""

from __future__ import annotations

import re
from collections.abc import Iterator

from towpath.stages.fields.found import Found, lowered

#: The beginnings of the labels, in lower case; endings such as -nummer or -s come by themselves.
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


def labelled_numbers(text: str) -> Iterator[Found]:
    low = lowered(text)
    for name, stems in _STEMS.items():
        for start, end in sorted(_places(low, stems.split())):
            found = _read(text, low, name, start, end)
            if found:
                yield found


def _places(low: str, stems: list[str]) -> Iterator[tuple[int, int]]:
    for stem in stems:
        at = low.find(stem)
        while at >= 0:
            # Chinese and Japanese have no blanks before a word.
            if not low[at - 1 : at].isalpha() or low[at] >= "⺀":
                yield at, at + len(stem)
            at = low.find(stem, at + len(stem))


def _read(text: str, low: str, name: str, start: int, end: int) -> Found | None:
    match = _AFTER.match(text, end)
    if match is None:
        return None
    announced = match["mark"] or match["colon"] or _BEFORE.search(low[max(0, start - 16) : start])
    value = match["value"].rstrip("-/._")
    if not announced or sum(map(str.isdigit, value)) < 2 or len(value) < 3 or _DATE_LIKE.fullmatch(value):
        return None
    confidence = 0.6 if match["line"] else 0.9 if match["mark"] else 0.75
    at = match.start("value")
    return Found(name, value, "identifier", confidence, at, at + len(value))
