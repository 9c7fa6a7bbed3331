"""Decides whether a document writes the day or the month first, by evidence in the document.

A date with a number above 12 decides. Else the country does: its currency, its telephone numbers, its addresses, the
size of its paper, its language. English alone decides nothing: it is written in countries of both orders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from towpath.model.content import Page


class DateOrder(NamedTuple):
    """``certainty`` is the probability that an ambiguous date is read in the right order."""

    month_first: bool
    certainty: float


_UNITED_STATES = re.compile(
    r"\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|P[AR]|RI|S[CD]|T[NX]|UT"
    r"|V[AT]|W[AIVY])[ ,]{1,2}\d{5}(?:-\d{4})?\b|\bU\.?S\.?A\b|\bUnited States\b|\bUSD\b|US\$|\bZip ?Code\b"
    r"|\bsales tax\b|\(\d{3}\) ?\d{3}-\d{4}\b|\b\d{3}-\d{3}-\d{4}\b"
)
_DAY_FIRST = re.compile(
    r"[€£₹₽]|\b(?:EUR|GBP|MYR|INR|AUD|NZD|SGD|CHF|PLN|BRL|RM ?\d|RM\b)|\bVAT\b|\bGST\b|\bSST\b|\bABN\b|\bIBAN\b"
    r"|\b(?:Malaysia|Singapore|United Kingdom|India|Australia|Ireland|New Zealand|Germany|France|Deutschland)\b"
    r"|\bSdn\.? ?Bhd\b|\bKuala Lumpur\b|\bSelangor\b|\bGmbH\b|\+(?:44|49|33|31|39|34|60|61|64|65|91|353|48|46|7) ?\(?\d"
    r"|\bLtd\b",
    re.IGNORECASE,
)
#: US letter paper, in points.
_LETTER = (612.0, 792.0)


def date_order(
    numbers: Iterable[tuple[int, int]], text: str, language: str | None, pages: Sequence[Page] = ()
) -> DateOrder:
    """The order of ambiguous dates. ``numbers`` are the first and second number of the numeric dates of the text."""
    pairs = list(numbers)
    second_is_day = any(second > 12 for _, second in pairs)
    first_is_day = any(first > 12 for first, _ in pairs)
    if second_is_day != first_is_day:
        return DateOrder(second_is_day, 0.97)
    united_states = min(3, len(_UNITED_STATES.findall(text[:20_000])))
    elsewhere = min(3, len(_DAY_FIRST.findall(text[:20_000])))
    sizes = {(page.width, page.height) for page in pages[:3]}
    if united_states and not elsewhere:
        # Paper of the same country makes it surer.
        return DateOrder(True, 0.92 if united_states > 1 or _LETTER in sizes else 0.85)
    if language not in (None, "en"):
        return DateOrder(False, 0.95)
    if elsewhere and not united_states:
        return DateOrder(False, 0.95 if elsewhere > 1 else 0.85)
    if elsewhere and united_states:
        return DateOrder(united_states > elsewhere, 0.6)
    return DateOrder(False, 0.5)
