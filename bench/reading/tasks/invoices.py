"""Fields of invoices: total, date, issuer and number, from PDFs with a truth file or with an embedded invoice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pikepdf

from bench.reading import money_fields
from bench.reading.task import Sample, Tool
from bench.reading.tools import money_rules, peers
from towpath.readers.common.safe_xml import XmlParseError, parse_xml
from towpath.readers.ocr.settings import OcrSettings

SUMMARY = "total, date, issuer and number of invoices"
METRICS = money_fields.metrics(number=True)


def load(data: Path) -> list[Sample]:
    """`invoices/NAME.pdf` with `NAME.truth.json`, and `zugferd/*.pdf` whose embedded XML is the truth."""
    samples: list[Sample] = []
    for path in sorted((data / "invoices").glob("*.truth.json")):
        content: Any = json.loads(path.read_text())
        keys: dict[str, Any] = content if "issuer" in content else content[0]
        name = path.name.removesuffix(".truth.json")
        samples.append(Sample(name, path.with_name(f"{name}.pdf"), _truth(keys)))
    seen: set[str] = set()
    for path in sorted((data / "zugferd").glob("*.pdf")):
        embedded = embedded_truth(path)
        truth = _printed(embedded, path) if embedded else {}
        # Collections repeat the same invoice in several profiles.
        if truth and json.dumps(truth) not in seen:
            seen.add(json.dumps(truth))
            samples.append(Sample(path.stem, path, truth))
    return samples


def _printed(truth: dict[str, str], path: Path) -> dict[str, str]:
    """The truth without values that the page does not show: in some examples the XML differs."""
    page = peers.liteparse_markdown(path)
    text = "".join(filter(str.isalnum, page.casefold()))
    shown = {name: "".join(filter(str.isalnum, value.casefold())) for name, value in truth.items()}
    total = re.sub(r"\D", "", f"{abs(float(truth['total'])):.2f}") if truth.get("total") else ""
    return {
        name: value
        for name, value in truth.items()
        if (
            prints_date(page, value)
            if name == "invoice_date"
            else (total if name == "total" else shown[name]) in text
        )
    }


def prints_date(text: str, date: str) -> bool:
    """True if the text has the date (``YYYY-MM-DD``) in digits, in any order, or with the month as a word."""
    match = re.fullmatch(r"(\d{4})-(\d{2})-(\d{2})", date)
    if match is None:
        return False
    year, month, day = match[1], f"0?{int(match[2])}", f"0?{int(match[3])}"
    short_year, gap, word = f"(?:{year[:2]})?{year[2:]}", r"\s*[./-]\s*", r"[^\W\d]{3,12}"
    forms = (
        *(gap.join(order) for order in ((day, month, short_year), (month, day, short_year))),
        gap.join((year, month, day)),
        f"{year}{match[2]}{match[3]}",
        rf"{day}[.,]?(?:\s+de)?[\s-]+{word}[.,]?(?:\s+de)?[\s-]+{short_year}",
        rf"{word}[.,]?[\s-]+{day}(?:st|nd|rd|th)?,?[\s-]+{short_year}",
    )
    return any(re.search(rf"(?<!\d){form}(?!\d)", text, re.IGNORECASE) for form in forms)


def _truth(keys: dict[str, Any]) -> dict[str, str]:
    written = str(keys.get("date", ""))
    day_first = re.match(r"(\d{2})/(\d{2})/(\d{4})", written)
    return {
        "total": f"{keys['amount']:.2f}" if isinstance(keys.get("amount"), int | float) else "",
        "invoice_date": f"{day_first[3]}-{day_first[2]}-{day_first[1]}" if day_first else written[:10],
        "supplier": str(keys.get("issuer", "")),
        "invoice_number": str(keys.get("invoice_number", "")),
    }


def embedded_truth(path: Path) -> dict[str, str]:
    """The values of an embedded Cross Industry Invoice; empty if the file has none or is damaged."""
    try:
        document = pikepdf.open(path)
    except pikepdf.PdfError:
        return {}
    with document:
        names = [name for name in document.attachments if name.lower().endswith(".xml")]
        if not names:
            return {}
        try:
            root = parse_xml(document.attachments[names[0]].get_file().read_bytes())
        except XmlParseError:
            return {}
    if "CrossIndustry" not in str(root.tag):
        return {}  # an order, not an invoice

    def first(*tags: str) -> str:
        element = root.find(".//" + "/".join(f"{{*}}{tag}" for tag in tags))
        return (element.text or "").strip() if element is not None else ""

    issued = first("IssueDateTime", "DateTimeString")
    number = first("ExchangedDocument", "ID") or first("HeaderExchangedDocument", "ID")
    name = [
        line
        for line in first("SellerTradeParty", "Name").splitlines()
        if not line.startswith(("GLN", "Lief-Nr"))
    ]
    return {
        "total": first("GrandTotalAmount"),
        "invoice_date": f"{issued[:4]}-{issued[4:6]}-{issued[6:8]}"
        if re.fullmatch(r"\d{8}", issued)
        else issued,
        "supplier": " ".join(name),
        "invoice_number": number,
    }


def tools() -> list[Tool]:
    def towpath_score(sample: Sample):
        return money_fields.score(sample, money_rules.towpath_fields(sample.path, ocr=OcrSettings("off")))

    available = [Tool("Towpath", towpath_score)]
    if peers.is_installed("invoice2data"):
        available.append(
            Tool(
                "invoice2data with its templates",
                lambda sample: money_fields.score(sample, money_rules.invoice2data_fields(sample.path)),
            )
        )
    find = money_rules.rules_over(peers.liteparse_markdown)
    available.append(
        Tool("liteparse with plain rules", lambda sample: money_fields.score(sample, find(sample.path)))
    )
    return available
