"""Fields of photographed receipts: total, date and company (SROIE)."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

from bench.reading import money_fields
from bench.reading.task import Sample, Tool
from bench.reading.tools import money_rules, ocr, peers
from towpath.fields.dates import MONTH_NUMBERS
from towpath.readers.ocr.settings import OcrSettings

SUMMARY = "total, date and company of receipts"
METRICS = money_fields.metrics(number=False)


def load(data: Path) -> list[Sample]:
    """`sroie/NAME.jpg` with `NAME.truth.json`: company, date, address, total."""
    samples: list[Sample] = []
    for path in sorted((data / "sroie").glob("*.truth.json")):
        keys = json.loads(path.read_text())
        truth = {
            "total": keys.get("total", ""),
            "invoice_date": _iso(keys.get("date", "")),
            "supplier": keys.get("company", ""),
        }
        name = path.name.removesuffix(".truth.json")
        samples.append(Sample(name, path.with_name(f"{name}.jpg"), truth))
    return samples


def _iso(text: str) -> str:
    """The date of the truth; it is written day first unless a number above 12 says otherwise."""
    numeric = re.match(r"(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{2,4})", text.strip())
    named = re.match(r"(\d{1,2})[-/ ]?([A-Za-z]{3,9})[-/., ]*(\d{2,4})", text.strip())
    year_first = re.match(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})", text.strip())
    if year_first:
        year, month, day = (int(part) for part in year_first.groups())
    elif numeric:
        day, month, year = (int(part) for part in numeric.groups())
    elif named and named[2].lower() in MONTH_NUMBERS:
        day, month, year = int(named[1]), MONTH_NUMBERS[named[2].lower()], int(named[3])
    else:
        return ""
    if month > 12:
        day, month = month, day
    try:
        return date(year if year > 99 else 2000 + year, month, day).isoformat()
    except ValueError:
        return ""


def tools() -> list[Tool]:
    def towpath_score(sample: Sample):
        return money_fields.score(sample, money_rules.towpath_fields(sample.path, ocr=OcrSettings()))

    available = [Tool("Towpath", towpath_score)]
    readers = [("Tesseract", ocr.has_tesseract(), ocr.tesseract_text)]
    readers.append(("RapidOCR", peers.is_installed("rapidocr"), ocr.rapidocr_text))
    for name, installed, read in readers:
        if installed:
            find = money_rules.rules_over(read)
            available.append(
                Tool(
                    f"{name} with plain rules",
                    lambda sample, find=find: money_fields.score(sample, find(sample.path)),
                )
            )
    return available
