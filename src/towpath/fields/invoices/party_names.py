"""Cuts the name of a company or person out of a line, and tells names from labels."""

from __future__ import annotations

import re

from towpath.fields.invoices import labels

_REGISTRATION = re.compile(
    r"(?:(?<!\s)\s+)?[\(\[][^)\]]{0,99}?\d{4}[^)\]]*[\)\]]?|"
    r"(?<!\s)\s++(?:co|reg|no|[ .:]){0,30}+\d{5,12} ?- ?[A-Z0-9]{1,2}\b[\s\S]*",
    re.IGNORECASE,
)
_LABELS = re.compile(
    r"#|\s:|[:：]\s|[:：]\Z|\A(?:EUR|USD|GBP|RM|herrn?|frau|mr|mrs|firma|an)\b\.?\Z"
    r"|\b(?:stk|stück|pcs|qty)\b|\A(?:deutschland|germany|france|nederland|netherlands|österreich|schweiz|italia|españa"
    r"|malaysia|singapore|united kingdom|usa|polska|sverige|belgi[eë]|belgique|portugal)\Z",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s+[-–—·•|*]+\s+|\s*[·•|]\s*|,\s+(?=\d)|\s{2,}")
#: Addresses within a name: mail, web, and a street with its number behind a name.
_ELECTRONIC_ADDRESS = re.compile(r"(?<!\S)[^\s@]++@\S++|(?:https?://|www\.)\S++", re.IGNORECASE)
_STREET_BEHIND = re.compile(
    r"(?<=\w)[\s,]+[^\W\d_]{3,}(?:stra(?:ß|ss)e|str\.|straat|weg|gasse|allee|platz|gatan|vägen|vej)\s\d.*\Z",
    re.IGNORECASE,
)
#: A label that needs no colon: "Venduto da Amazon EU S.à r.l."
SOLD_BY = re.compile(
    r"\b(?:(?:sold|issued|billed) by|invoice from|venduto da|emessa da|vendu par|émise? par|verkauft (?:von|durch)"
    r"|ausgestellt von|vendido por|emitid[ao] por|verkocht door|sprzedane przez)",
    re.IGNORECASE,
)
_MAX_LENGTH = 70


def name_parts(text: str) -> list[str]:
    """The pieces of a line that may be a name: a sender's line separates name and address by dashes or dots."""
    parts = _SEPARATOR.split(text)
    return [part for part in parts[:2] if part] if len(parts) > 1 else [text]


def clean_name(text: str) -> str:
    """A name without registration numbers, and without an address that follows the legal form."""
    name = _REGISTRATION.sub("", _ELECTRONIC_ADDRESS.sub(" ", SOLD_BY.sub("", text, count=1)))
    if name.rstrip().endswith((":", "：")):
        return name.strip()  # the label of an address, which is no name
    name = _STREET_BEHIND.sub("", name).strip(" \t*#=_-–—:;,|\"'“”")
    forms = [match for match in labels.LEGAL_FORM.finditer(name) if match.start() > 2]
    if forms:
        end = forms[-1].end() + (name[forms[-1].end() : forms[-1].end() + 1] == ".")
        rest = name[end:]
        if len(rest.split()) > 2 or any(map(str.isdigit, rest)):
            name = name[:end]
    return " ".join(name.split()).strip(" ,;:-")


def is_name(name: str) -> bool:
    letters = sum(map(str.isalpha, name))
    return (
        3 <= len(name) <= _MAX_LENGTH
        and letters >= 3
        and letters >= 0.55 * len(name.replace(" ", ""))
        and len(name.split()) <= 9
        and not _LABELS.search(name)
        and not _is_label(name)
    )


def _is_label(name: str) -> bool:
    """True if the name is nothing but a label such as "Sold by"."""
    matches = (labels.SUPPLIER_LABEL.search(name), labels.CUSTOMER.search(name))
    return any(match and match.start() == 0 and match.end() == len(name) for match in matches)
