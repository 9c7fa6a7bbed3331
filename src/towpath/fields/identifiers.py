"""Finds identifiers with a check digit or a fixed form: IBAN, VAT id, ISBN, DOI."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from towpath.fields.field_match import MAX_CANDIDATES, FieldMatch

_IBANS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 "
    "EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 "
    "KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 "
    "PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SD18 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 "
    "VA22 VG24 XK20"
)
_IBAN_LENGTHS = {country[:2]: int(country[2:]) for country in _IBANS.split()}
_IBAN = re.compile(r"[A-Z](?<![A-Za-z0-9].)[A-Z]\d{2}(?=[A-Z0-9 \u00a0]{11})")

_VAT_FORMS = {
    "AT": r"U\d{8}", "BE": r"[01]\d{9}", "BG": r"\d{9,10}", "CY": r"\d{8}[A-Z]", "CZ": r"\d{8,10}",
    "DE": r"\d{9}", "DK": r"\d{8}", "EE": r"\d{9}", "EL": r"\d{9}",
    "ES": r"[A-Z]\d{7}[A-Z0-9]|\d{8}[A-Z]", "FI": r"\d{8}", "FR": r"[A-Z0-9]{2}\d{9}",
    "GB": r"\d{9}|\d{12}", "HR": r"\d{11}", "HU": r"\d{8}", "IE": r"\d{7}[A-Z]{1,2}", "IT": r"\d{11}",
    "LT": r"\d{9}|\d{12}", "LU": r"\d{8}", "LV": r"\d{11}", "MT": r"\d{8}", "NL": r"\d{9}B\d{2}",
    "PL": r"\d{10}", "PT": r"\d{9}", "RO": r"\d{2,10}", "SE": r"\d{12}", "SI": r"\d{8}",
    "SK": r"\d{10}", "CHE": r"\d{9}",
}  # fmt: skip
_VAT = re.compile(r"[A-Z](?<![A-Za-z0-9].)(?:HE|[A-Z])(?=([A-Z0-9 .\-]{6,16}))")
_VAT_LABEL = re.compile(
    r"(?:vat|ust|umsatzsteuer|uid|mwst|tva|iva|i\.v\.a|btw|moms|nip|alv|dph|dič|cif|nif|áfa|ном)[^\n]{0,24}\Z",
    re.IGNORECASE,
)

_ISBN_LABELLED = re.compile(r"ISBN(?:[- ]?1[03])?[:：]?[ \u00a0]?(\d[\d \-–]{8,16}[\dXx])(?![\d-])")
_ISBN_BARE = re.compile(r"97[89](?<![\d-]97.)([\d \-–]{9,13}\d)(?![\d-])")
_ARXIV = re.compile(r"\barXiv: ?(\d{4}\.\d{4,5}(?:v\d{1,2})?|[a-z-]+(?:\.[A-Z]{2})?/\d{7})", re.IGNORECASE)
#: The heading of the list of cited works.
_REFERENCES = re.compile(
    r"^[#*\s\d.]{0,12}(?:references|bibliography|works cited|literature cited|literatur(?:verzeichnis)?|références"
    r"|bibliographie|referencias|bibliografía|riferimenti(?: bibliografici)?|bibliografia|referências|литература"
    r"|список литературы|参考文献)[*:]{0,3}[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_DOI = re.compile(r"10\.(?<![\w.]10.)\d{4,9}/[^\s\"<>|{}\\^`\[\]]{1,200}")


def ibans(text: str) -> Iterator[FieldMatch]:
    for match in islice(_IBAN.finditer(text), MAX_CANDIDATES):
        length = _IBAN_LENGTHS.get(match[0][:2])
        end = _end_of(text, match.start(), length) if length else None
        if length is None or end is None:
            continue
        compact = re.sub(r"\s", "", text[match.start() : end])
        if len(compact) == length and _remainder_97(compact[4:] + compact[:4]) == 1:
            yield FieldMatch("iban", compact, "iban", 0.99, match.start(), end)


def vat_ids(text: str) -> Iterator[FieldMatch]:
    candidates = (match for match in _VAT.finditer(text) if match[0] in _VAT_FORMS)
    for match in islice(candidates, MAX_CANDIDATES):
        country = match[0]
        labelled = _VAT_LABEL.search(text[max(0, match.start() - 40) : match.start()]) is not None
        number = _vat_number(match[1], country, labelled)
        if number is None:
            continue
        compact = re.sub(r"[^A-Z0-9]", "", number)
        checked = _VAT_CHECKS.get(country)
        if checked and not checked(compact):
            continue
        # Without a label or a check digit, two letters and some digits may be anything.
        confidence = 0.97 if labelled else 0.8 if checked else 0.5
        yield FieldMatch(
            "vat_id", country + compact, "vat_id", confidence, match.start(), match.end() + len(number)
        )


def isbns(text: str) -> Iterator[FieldMatch]:
    for match in islice(_ISBN_LABELLED.finditer(text), MAX_CANDIDATES):
        yield from _isbn(match[1], match.start(1), 0.99)
    for match in islice(_ISBN_BARE.finditer(text), MAX_CANDIDATES):
        yield from _isbn(match[0], match.start(), 0.9)


def _isbn(written: str, start: int, confidence: float) -> Iterator[FieldMatch]:
    compact = re.sub(r"[^\dX]", "", written.upper())
    if _is_isbn(compact):
        yield FieldMatch("isbn", compact, "isbn", confidence, start, start + len(written))


def dois(text: str) -> Iterator[FieldMatch]:
    for match in islice(_DOI.finditer(text), MAX_CANDIDATES):
        doi = match[0].rstrip(".,;:!?'*_»”’")
        while doi.endswith(")") and doi.count(")") > doi.count("("):
            doi = doi[:-1].rstrip(".,;:")
        yield FieldMatch("doi", doi, "doi", 0.97, match.start(), match.start() + len(doi))


def text_before_references(text: str) -> str:
    """The text up to the list of cited works: identifiers in it are not those of the document."""
    headings = [match.start() for match in _REFERENCES.finditer(text)]
    return text[: headings[-1]] if headings and headings[-1] > 0.3 * len(text) else text


def arxiv_ids(text: str) -> Iterator[FieldMatch]:
    for match in islice(_ARXIV.finditer(text), MAX_CANDIDATES):
        yield FieldMatch("arxiv_id", match[1], "arxiv", 0.98, match.start(1), match.end(1))


def _end_of(text: str, start: int, length: int) -> int | None:
    """The end of this many letters and digits with single blanks between; None if a word continues there."""
    position, count = start, 0
    while count < length:
        character = text[position : position + 1]
        if character.isalnum() and character.isascii():
            count += 1
        elif character not in (" ", "\u00a0") or not text[position - 1].isalnum():
            return None
        position += 1
    return None if text[position : position + 1].isalnum() else position


def _vat_number(written: str, country: str, labelled: bool) -> str | None:
    """The longest prefix of the text that is a valid number of this country."""
    form = _VAT_FORMS[country]
    spaced = labelled or country == "CHE"
    for end in range(len(written), 6, -1):
        part = written[:end]
        if part[-1] in " .-" or written[end : end + 1].isalnum():
            continue
        compact = re.sub(r"[ .\-]", "", part)
        if (spaced or part.lstrip(" ") == compact) and re.fullmatch(form, compact):
            return part
    return None


def _remainder_97(compact: str) -> int:
    return int("".join(str(int(character, 36)) for character in compact)) % 97


def _check_german(number: str) -> bool:
    product = 10
    for digit in number[:-1]:
        product = (((int(digit) + product) % 10 or 10) * 2) % 11
    return (11 - product) % 10 == int(number[-1])


def _check_belgian(number: str) -> bool:
    return 97 - int(number[:-2]) % 97 == int(number[-2:])


def _check_polish(number: str) -> bool:
    weights = (6, 5, 7, 2, 3, 4, 5, 6, 7)
    return sum(w * int(d) for w, d in zip(weights, number, strict=False)) % 11 == int(number[-1])


def _check_luhn(number: str) -> bool:
    doubled = (int(d) * (1 + place % 2) for place, d in enumerate(reversed(number)))
    return sum(n // 10 + n % 10 for n in doubled) % 10 == 0


_VAT_CHECKS: dict[str, Callable[[str], bool]] = {
    "DE": _check_german,
    "BE": _check_belgian,
    "PL": _check_polish,
    "IT": _check_luhn,
}


def _is_isbn(compact: str) -> bool:
    if len(compact) == 13 and compact.isdigit() and compact[:3] in ("978", "979"):
        return sum(int(d) * (1 + 2 * (place % 2)) for place, d in enumerate(compact)) % 10 == 0
    if len(compact) == 10 and compact[:9].isdigit():
        digits = [10 if d == "X" else int(d) for d in compact]
        return sum((10 - place) * digit for place, digit in enumerate(digits)) % 11 == 0
    return False
