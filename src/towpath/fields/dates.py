"""Finds calendar dates and converts them to ISO 8601. Ambiguous day and month lower the confidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from towpath.fields.date_order import date_order
from towpath.fields.field_match import FieldMatch
from towpath.model.content import Page

_MONTHS = (
    "january januar janvier enero gennaio janeiro januari stycznia styczeń ledna января январь січня "
    "jan janv ene gen ian ianuarie ocak",
    "february februar février fevrier febrero febbraio fevereiro februari lutego luty února февраля "
    "февраль лютого feb févr fév fev februarie şubat",
    "march märz maerz mars marzo março maart marca marzec března марта март березня mar mrz martie mart",
    "april avril abril aprile kwietnia kwiecień dubna апреля апрель квітня apr avr abr aprilie nisan",
    "may mai mayo maggio maio mei maj maja května мая май травня mayıs",
    "june juni juin junio giugno junho czerwca czerwiec června июня июнь червня jun giu iunie haziran",
    "july juli juillet julio luglio julho lipca lipiec července июля июль липня jul juil lug iulie temmuz",
    "august août aout agosto augustus augusti sierpnia sierpień srpna августа август серпня aug ago ağustos",
    "september septembre septiembre settembre setembro września wrzesień září сентября сентябрь "
    "вересня sep sept set sett septembrie eylül",
    "october oktober octobre octubre ottobre outubro października październik října октября октябрь "
    "жовтня oct okt ott out octombrie ekim",
    "november novembre noviembre novembro listopada listopad listopadu ноября ноябрь листопада nov "
    "noiembrie kasım",
    "december dezember décembre decembre diciembre dicembre dezembro grudnia grudzień prosince "
    "декабря декабрь грудня dec dez déc dic decembrie aralık desember",
)
MONTH_NUMBERS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}

_NUMBER = re.compile(r"\d+")
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d|[./-]\d)")
_YEAR_LAST = re.compile(r"(\d{1,2})([./-])[ ]?(\d{1,2})\2[ ]?(\d{4}|\d{2})(?!\d|[./-]\d)")
_DAY_MONTH = re.compile(
    r"(\d{1,2})(?:st|nd|rd|th|er|[.ºª])?[ \u00a0-]{1,2}(?:de |of |d[’'])?([^\W\d_]{3,12})[.,]{0,2}"
    r"[ \u00a0-]{1,2}(?:de |del )?(\d{4})(?!\d)"
)
_DAY_AFTER_MONTH = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?,?[ \u00a0](\d{4})(?!\d)")
_MONTH_BEFORE = re.compile(r"([^\W\d_]{3,12})\.?[ \u00a0]\Z")
_CHARACTERS = re.compile(r"(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]")


class _Candidate(NamedTuple):
    start: int
    end: int
    year: int
    month: int
    day: int
    confidence: float
    swappable: bool = False
    """Whether month and day may be in the other order."""


def dates(text: str, language: str | None = None, pages: Sequence[Page] = ()) -> Iterator[FieldMatch]:
    candidates = list(_candidates(text))
    numbers = [(candidate.day, candidate.month) for candidate in candidates if candidate.swappable]
    month_first, certainty = False, 0.0
    if any(max(pair) <= 12 for pair in numbers):
        month_first, certainty = date_order(numbers, text, language, pages)
    for candidate in candidates:
        month, day, confidence = candidate.month, candidate.day, candidate.confidence
        if candidate.swappable and max(month, day) <= 12:
            confidence = min(confidence, certainty if month != day else 1.0)
            month, day = (day, month) if month_first else (month, day)
        elif candidate.swappable and month > 12:
            month, day = day, month
        try:
            value = date(candidate.year, month, day).isoformat()
        except ValueError:
            continue
        if 1500 <= candidate.year < 2200:
            yield FieldMatch("date", value, "date", confidence, candidate.start, candidate.end)


def _candidates(text: str) -> Iterator[_Candidate]:
    scanned_to = 0
    for number in _NUMBER.finditer(text):
        start, end = number.span()
        if start < scanned_to or end - start > 4 or text[max(0, start - 1) : start] in _NUMBER_SEPARATORS:
            continue
        candidate = _year_first(text, start) if end - start == 4 else _day_first(text, start)
        if candidate:
            scanned_to = candidate.end
            yield candidate


_NUMBER_SEPARATORS = frozenset("./-_,")


def _year_first(text: str, start: int) -> _Candidate | None:
    match = _YEAR_FIRST.match(text, start)
    if match:
        confidence = 0.98 if match[2] == "-" else 0.9
        return _Candidate(start, match.end(), int(match[1]), int(match[3]), int(match[4]), confidence)
    match = _CHARACTERS.match(text, start)
    return (
        _Candidate(start, match.end(), int(match[1]), int(match[2]), int(match[3]), 0.98) if match else None
    )


def _day_first(text: str, offset: int) -> _Candidate | None:
    match = _YEAR_LAST.match(text, offset)
    if match:
        return _numeric(match)
    match = _DAY_MONTH.match(text, offset)
    if match and match[2].lower() in MONTH_NUMBERS:
        return _Candidate(
            offset, match.end(), int(match[3]), MONTH_NUMBERS[match[2].lower()], int(match[1]), 0.95
        )
    match = _DAY_AFTER_MONTH.match(text, offset)
    before = _MONTH_BEFORE.search(text[max(0, offset - 14) : offset]) if match else None
    if match and before and before[1].lower() in MONTH_NUMBERS:
        start = offset - len(before[0])
        return _Candidate(
            start, match.end(), int(match[2]), MONTH_NUMBERS[before[1].lower()], int(match[1]), 0.95
        )
    return None


def _numeric(match: re.Match[str]) -> _Candidate | None:
    day, mark, month, year = int(match[1]), match[2], int(match[3]), int(match[4])
    if len(match[4]) == 2:
        # "1.2.13" is a section number; a date with a two-digit year needs two-digit day and month.
        if mark == "-" or len(match[1]) + len(match[3]) < 4:
            return None
        return _Candidate(
            match.start(), match.end(), year + (2000 if year < 70 else 1900), month, day, 0.5, mark == "/"
        )
    confidence = {".": 0.95, "/": 0.9, "-": 0.8}[mark]
    return _Candidate(match.start(), match.end(), year, month, day, confidence, mark != ".")
