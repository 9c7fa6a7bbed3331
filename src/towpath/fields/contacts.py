"""Finds e-mail addresses, telephone numbers and web addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice

from towpath.fields.field_match import MAX_CANDIDATES, FieldMatch

# Each pattern begins with a literal or a character set, which the engine finds fast; the check of what precedes
# it follows.
_DOMAIN = re.compile(r"@[^\W_][\w\-]{0,62}(?:\.[^\W_][\w\-]{0,62}){0,8}\.[^\W\d_]{2,24}(?![\w@])")
_MAILBOX = re.compile(r"(?<![\w.%+\-@])[\w%+\-][\w.%+\-]{0,63}\Z")
_ADDRESS = r"[^\s<>\"\[\]{}|\\^`]{3,500}"
_URLS = (re.compile(rf"https?://{_ADDRESS}"), re.compile(rf"www\.(?<![\w./@-]www\.){_ADDRESS}"))
_LABEL_END = re.compile(r"[^\[\]\n]{0,100}\]\((?:https?://|www\.)")
#: The first part of an address that goes on in the next line.
_CUT_ADDRESS = re.compile(r"-\Z|//(?:dx\.)?doi\.org/10(?:\.\d*)?/?\Z")
_TRAILING = ".,;:!?'\"*_»”’…"

_SEPARATORS = " .()/\\-\u00a0\u2011"
_NUMBER = re.compile(rf"[+(\d][\d{re.escape(_SEPARATORS)}]{{6,25}}")
#: "0049 30 1234567". Cash registers print article numbers with two zeros, "007417024836 2.97".
_COUNTRY_CODE = re.compile(r"00 ?[1-9]\d{0,2}[ .()/\-\u00a0]+\d")
_PLACEHOLDER = re.compile(r"[ .\-]?[xX]{2}")
_LABEL = re.compile(
    r"(?<![^\W\d_])(?:tel|phone|fax|telefax|mobile?|mob|cell|handy|telefon|telefoon|telefono|teléfono|telefone"
    r"|téléphone|puhelin|telefonnummer|тел|моб|факс|телефон|電話|电话|전화)(?:\.|\s?(?:no|nr|number)\.?)?"
    r"[ \t.:：|*]{1,6}\Z",
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


def emails(text: str) -> Iterator[FieldMatch]:
    for match in _DOMAIN.finditer(text):
        mailbox = _MAILBOX.search(text[max(0, match.start() - 65) : match.start()])
        if mailbox and ".." not in mailbox[0] and not mailbox[0].endswith("."):
            value = mailbox[0] + match[0].lower()
            yield FieldMatch("email", value, "email", 0.98, match.start() - len(mailbox[0]), match.end())


def urls(text: str) -> Iterator[FieldMatch]:
    for match in chain.from_iterable(pattern.finditer(text) for pattern in _URLS):
        address = match[0].rstrip(_TRAILING)
        while address.endswith(")") and address.count(")") > address.count("("):
            address = address[:-1].rstrip(_TRAILING)
        host = address.split("://")[-1].split("/")[0]
        if _is_link_label(text, match.end()) or _CUT_ADDRESS.search(address):
            continue
        if "." in host or host.startswith("localhost"):
            yield FieldMatch("url", address, "url", 0.95, match.start(), match.start() + len(address))


def _is_link_label(text: str, end: int) -> bool:
    """True for an address in the label of a link, which may be shortened: the address of the link is the right one."""
    return _LABEL_END.match(text, end) is not None


def phones(text: str) -> Iterator[FieldMatch]:
    """Numbers with a country code, after a label, or in a national grouping; other digits are ignored."""
    for match in islice(_NUMBER.finditer(text), MAX_CANDIDATES):
        written, start = match[0], match.start()
        if text[start - 1 : start].isalnum() or _PLACEHOLDER.match(text, match.end()):
            continue
        is_international = written[0] == "+" or _COUNTRY_CODE.match(written) is not None
        if is_international or _LABEL.search(text[max(0, start - 28) : start]):
            number = _phone_match(written, start, 0.9)
            if number:
                yield number
        else:
            for national in _NATIONAL.finditer(text, start, match.end()):
                number = _phone_match(national[0], national.start(), 0.7)
                if number:
                    yield number


def _phone_match(written: str, start: int, confidence: float) -> FieldMatch | None:
    written = written.rstrip(_SEPARATORS)
    while sum(map(str.isdigit, written)) > 15 and " " in written:
        # The match contains another number of the same line.
        written = written.rpartition(" ")[0].rstrip(_SEPARATORS)
    if written.count("(") != written.count(")"):
        return None
    # "+49 (0)30": the zero is dialled only at home.
    digits = re.sub(r"\D", "", written.replace("(0)", "") if written.startswith("+") else written)
    if not 7 <= len(digits) <= 15 or len(set(digits)) == 1 or re.search(r"[^\d(]{4}|\d{13}", written):
        return None
    if written.startswith("+0"):
        return None
    value = ("+" if written.startswith("+") else "") + digits
    return FieldMatch("phone", value, "phone", confidence, start, start + len(written))
