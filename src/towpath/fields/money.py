"""Finds amounts of money: a currency before or after a number, with either decimal separator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import chain, islice
from typing import NamedTuple

from towpath.fields.field_match import MAX_CANDIDATES, FieldMatch

_SYMBOLS = {
    "€": "EUR", "£": "GBP", "¥": "JPY", "₽": "RUB", "₹": "INR", "₺": "TRY", "₩": "KRW", "₴": "UAH",
    "₪": "ILS", "฿": "THB", "₫": "VND", "₦": "NGN", "₱": "PHP", "$": "USD",
}  # fmt: skip
_WORDS = {
    "zł": "PLN", "Kč": "CZK", "руб": "RUB", "грн": "UAH", "Ft": "HUF", "lei": "RON", "Fr": "CHF",
    "元": "CNY", "円": "JPY", "원": "KRW",
}  # fmt: skip
_ISO_CODES = (
    "AED AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KRW KZT MXN MYR "
    "NGN NOK NZD PHP PLN RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR"
)
_CODES = frozenset(_ISO_CODES.split())
_DOLLARS = {
    "US": "USD", "A": "AUD", "AU": "AUD", "C": "CAD", "CA": "CAD", "HK": "HKD", "NZ": "NZD",
    "S": "SGD", "R": "BRL",
}  # fmt: skip
_AMBIGUOUS = {"$": 0.8, "¥": 0.7, "Fr": 0.6, "lei": 0.6, "Ft": 0.6}

_SYMBOL = re.compile(f"[{re.escape(''.join(_SYMBOLS))}]")
_CODE = re.compile(r"[A-Z](?<![A-Za-z].)[A-Z]{2}(?![A-Za-z])")
_WORD_PATTERNS = {word: re.compile(rf"{word}(?<!\w{word})(?!\w)") for word in _WORDS if word.isascii()} | {
    word: re.compile(word) for word in _WORDS if not word.isascii()
}
_BLANK = " \u00a0\u202f\t"
_NUMBER = (
    r"(?:\d{1,3}(?:[ \u00a0\u202f'’]\d{3}){1,5}(?:[.,]\d{1,4})?"
    r"|\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,4})?"
    r"|\d{1,3}(?:\.\d{3}){1,5}(?:,\d{1,4})?"
    r"|\d{1,2}(?:,\d{2}){1,5},\d{3}(?:\.\d{1,4})?"
    r"|\d{1,15}(?:[.,]\d{1,4})?)"
)
_SCALE_WORD = (
    rf"(?:(?:k|[{_BLANK}]{{0,2}}(?:thousand|tausend|Tsd|тыс))(?P<thousand>)"
    rf"|(?:m|[{_BLANK}]{{0,2}}(?:million(?:s|en|i)?|millones|Mio|mln|mn|млн))(?P<million>)"
    rf"|(?:bn|[{_BLANK}]{{0,2}}(?:billions?|milliards?|Milliarden|Mrd|mld|млрд))(?P<billion>))(?!\w)\.?"
)
_SCALE = re.compile(_SCALE_WORD)
_AFTER = re.compile(rf"[{_BLANK}]?([-−–]?)[{_BLANK}]?({_NUMBER})(?![\d]|[.,]\d)")
_BEFORE = re.compile(rf"(?<![\w.,])([-−–]?)({_NUMBER})(?:[.,]?[-–—]|{_SCALE_WORD})?[{_BLANK}]?\Z")
_POWERS = {"thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}


class _Marker(NamedTuple):
    start: int
    end: int
    currency: str
    confidence: float


def amounts(text: str) -> Iterator[FieldMatch]:
    used = -1
    for marker in sorted(islice(_markers(text), MAX_CANDIDATES)):
        amount = _amount(text, marker, used)
        if amount and amount.end is not None:
            used = max(marker.end, amount.end)
            yield amount


def _markers(text: str) -> Iterator[_Marker]:
    patterns = [_SYMBOL, _CODE, *_WORD_PATTERNS.values()]
    for match in chain.from_iterable(pattern.finditer(text) for pattern in patterns):
        written = match[0]
        if written == "$":
            prefix = re.search(
                r"(?<![A-Za-z])(US|AU|CA|HK|NZ|A|C|S|R)\Z", text[max(0, match.start() - 3) : match.start()]
            )
            start = match.start() - (len(prefix[1]) if prefix else 0)
            yield _Marker(
                start, match.end(), _DOLLARS[prefix[1]] if prefix else "USD", 0.95 if prefix else 0.8
            )
        elif currency := _SYMBOLS.get(written) or _WORDS.get(written) or (written in _CODES and written):
            yield _Marker(match.start(), match.end(), currency, _AMBIGUOUS.get(written, 0.95))


def _amount(text: str, marker: _Marker, used: int) -> FieldMatch | None:
    window = max(used, marker.start - 32, 0)
    before = _BEFORE.search(text[window : marker.start])
    after = _AFTER.match(text, marker.end)
    if after and (before is None or text[marker.end : marker.end + 1].isdigit()):
        sign = "-" if after[1] or text[max(0, marker.start - 1) : marker.start] in ("-", "−") else ""
        number, start, end = after[2], marker.start, after.end()
        scale = _SCALE.match(text, end)
        end = scale.end() if scale else end
    elif before:
        sign, number = "-" if before[1] else "", before[2]
        start, end = window + before.start(), marker.end
        scale = before
    else:
        return None
    power = next((_POWERS[name] for name in _POWERS if scale and scale[name] is not None), 1)
    value = _plain(number) * power
    value = value.normalize() if power > 1 else value
    # "$1" is as often a program variable as a price.
    doubtful = len(number) < 2 and power == 1
    confidence = min(marker.confidence, 0.5) if doubtful else marker.confidence
    return FieldMatch("amount", f"{sign}{value:f} {marker.currency}", "money", confidence, start, end)


def _plain(number: str) -> Decimal:
    """The last separator is the decimal one, unless exactly three digits follow it or it occurs twice."""
    digits = re.sub(r"[ \u00a0\u202f'’]", "", number)
    marks = re.findall(r"[.,]", digits)
    if not marks:
        return Decimal(digits)
    last = marks[-1]
    whole, _, rest = digits.rpartition(last)
    thousands = len(rest) == 3 and (len(set(marks)) == 1)
    if thousands or marks.count(last) > 1:
        return Decimal(re.sub(r"[.,]", "", digits))
    return Decimal(f"{re.sub(r'[.,]', '', whole)}.{rest}")
