"""OCR of photographed receipts and scanned forms: character errors against the text, read line by line."""

from __future__ import annotations

from pathlib import Path

from bench.reading import ocr_truth
from bench.reading.task import Sample, Tool
from bench.reading.tools import ocr, peers

SUMMARY = "text of receipts (SROIE) and forms (FUNSD); fewer character errors are better"
METRICS = ocr_truth.METRICS


def load(data: Path) -> list[Sample]:
    return [*ocr_truth.receipts(data), *ocr_truth.forms(data)]


def tools() -> list[Tool]:
    available = [Tool("Towpath", ocr_truth.scorer(lambda path: ocr.towpath_text(path, "auto")))]
    available.append(
        Tool("Towpath with Tesseract", ocr_truth.scorer(lambda path: ocr.towpath_text(path, "tesseract")))
    )
    if ocr.has_tesseract():
        available.append(Tool("Tesseract alone", ocr_truth.scorer(ocr.tesseract_text)))
    if peers.is_installed("rapidocr"):
        available.append(Tool("RapidOCR alone", ocr_truth.scorer(ocr.rapidocr_text)))
    return available
