"""E-mail addresses, telephone numbers and web addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from towpath.stages.fields.found import MOST_CANDIDATES, Found

_EMAIL = re.compile(
    r"(?<![\w.%+\-])[\w.%+\-]{1,64}@[^\W_][\w\-]{0,62}(?:\.[^\W_][\w\-]{0,62}){0,8}\.[^\W\d_]{2,24}(?![\w@])"
)
_URL = re.compile(r"(?:https?://|(?<![\w./@-])www\.)[^\s<>\"\[\]{}|\\^`]{3,500}")
_TRAILING = ".,;:!?'\"*_»”’…"

_SEPARATORS = " .()/\\-\u00a0\u2011"
_DIGITS = rf"[\d{re.escape(_SEPARATORS)}]"
_INTERNATIONAL = re.compile(rf"(?<![\w+])(?:\+|00(?=[1-9]))[1-9(]{_DIGITS}{{6,24}}")
_LABELLED = re.compile(
    r"(?<!\w)(?:tel|phone|fax|telefax|mobile?|mob|cell|handy|telefon|telefoon|telefono|teléfono|telefone|téléphone|"
    r"puhelin|telefonnummer|тел|моб|факс|телефон|電話|电话|전화)(?:\.|efonnummer|\s?(?:no|nr|number)\b\.?)?"
    rf"[ \t.:：|*]{{1,6}}(\+?[\d(]{_DIGITS}{{5,24}})",
    re.IGNORECASE,
)
_NATIONAL = re.compile(
    r"(?<![\d+.\-/])(?:"
    r"\(\d{3}\) ?\d{3}[-. ]\d{4}"  # (212) 555-0100
    r"|\d{3}-\d{3}-\d{4}"  # 212-555-0100
    r"|0[1-9](?:[ .]\d\d){4}"  # 01 23 45 67 89
    r"|\(0\d{2,5}\) ?\d[\d \-/]{4,12}\d"  # (030) 12 34 56
    r"|0\d{2,4} ?/ ?\d[\d \-]{4,12}\d"  # 030 / 123456
    r"|0\d{2,4} \d{3,4} \d{4}"  # 020 7946 0958
    r")(?![\d\-/])"
)


def emails(text: str) -> Iterator[Found]:
    if "@" not in text:
        return
    for match in _EMAIL.finditer(text):
        mailbox, domain = match[0].rsplit("@", 1)
        if not mailbox.startswith(".") and not mailbox.endswith(".") and ".." not in match[0]:
            yield Found("email", f"{mailbox}@{domain.lower()}", "email", 0.98, match.start(), match.end())


def urls(text: str) -> Iterator[Found]:
    for match in _URL.finditer(text):
        address = match[0].rstrip(_TRAILING)
        while address.endswith(")") and address.count(")") > address.count("("):
            address = address[:-1].rstrip(_TRAILING)
        host = address.split("://")[-1].split("/")[0]
        if "." in host or host.startswith("localhost"):
            yield Found("url", address, "url", 0.95, match.start(), match.start() + len(address))


def phones(text: str) -> Iterator[Found]:
    """In the order of the text; a number with its label or country code before a bare one."""
    found: dict[int, Found] = {}
    for match in islice(_LABELLED.finditer(text), MOST_CANDIDATES):
        _note(found, _number(match[1], match.start(1), 0.9))
    for match in islice(_INTERNATIONAL.finditer(text), MOST_CANDIDATES):
        number = _number(match[0], match.start(), 0.9)
        _note(found, number if number and (match[0][0] == "+" or _is_grouped(match[0])) else None)
    for match in islice(_NATIONAL.finditer(text), MOST_CANDIDATES):
        _note(found, _number(match[0], match.start(), 0.7))
    reached = 0
    for _, number in sorted(found.items()):
        if number.start is not None and number.end is not None and number.start >= reached:
            reached = number.end
            yield number


def _note(found: dict[int, Found], number: Found | None) -> None:
    if number and number.start is not None:
        found.setdefault(number.start, number)


def _number(written: str, start: int, confidence: float) -> Found | None:
    written = written.rstrip(_SEPARATORS)
    while sum(map(str.isdigit, written)) > 15 and " " in written:
        # Another number of the same line was swallowed.
        written = written.rpartition(" ")[0].rstrip(_SEPARATORS)
    if written.count("(") != written.count(")"):
        return None
    # "+49 (0)30": the zero is dialled only at home.
    digits = re.sub(r"\D", "", written.replace("(0)", "") if written.startswith("+") else written)
    if not 7 <= len(digits) <= 15 or len(set(digits)) == 1 or re.search(r"[^\d(]{4}|\d{13}", written):
        return None
    value = ("+" if written.startswith("+") else "") + digits
    return Found("phone", value, "phone", confidence, start, start + len(written))


def _is_grouped(written: str) -> bool:
    return re.search(r"\d[ .()/\-\u00a0]+\d", written) is not None
