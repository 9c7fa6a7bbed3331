"""Estimates the probability that a chosen value is right, by its score and its lead over the next candidate.

The steps are shares of right values on receipts and invoices with ground truth (bench/reading).
"""

from __future__ import annotations

from towpath.fields.invoices.invoice_or_receipt import Kind

DUE_DATE = 0.9


def total_confidence(score: float, margin: float, *, checked: bool) -> float:
    """A total without a label scores below 3; one with a label and arithmetic above 6."""
    if score < 2.5:
        return 0.4
    if score < 4.2 or margin < 0.3:
        return 0.75
    return 0.97 if checked or margin > 1.5 else 0.92


def supplier_confidence(score: float, margin: float, kind: Kind) -> float:
    """A name with a legal form in the first lines scores 4 and more."""
    if score < 2.0 or margin < 0.3:
        return 0.45
    if score < 3.9 or margin < 0.8:
        return 0.75
    return 0.92 if kind == "receipt" or score >= 4.5 else 0.85


def invoice_number_confidence(score: float, kind: Kind) -> float:
    """A labelled number scores 2 and more, behind a label that names an invoice 3 and more."""
    if kind == "receipt":
        return 0.75
    return 0.93 if score >= 2.6 else 0.75


def issue_date_confidence(score: float, margin: float) -> float:
    """A date with a label scores 2 and more, with the label "invoice date" 3 and more."""
    if score < 1.0 or margin < 0.3:
        return 0.7
    return 0.98 if score >= 1.7 and margin >= 0.6 else 0.9
