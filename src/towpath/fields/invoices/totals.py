"""Chooses the total of an invoice or receipt, and its net amount and tax.

Each distinct amount collects evidence: its labels, the arithmetic that it takes part in (net + tax = total, cash -
change = total, the sum of the lines), how often it is printed and whether it is the largest.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from towpath.fields.invoices import amount_labels
from towpath.fields.invoices.amounts import Amount

_CENT = Decimal("0.01")
_INCLUDING = re.compile(r"\bincl|\binkl|\bbrutto|\bttc\b|\binclu", re.IGNORECASE)
#: The total before tax where tax is added, the amount to pay where it is not.
_NET_TOTAL = re.compile(r"\bnet total\b", re.IGNORECASE)
_MAX_ARITHMETIC = 60


@dataclass(slots=True)
class _Evidence:
    score: float = 0.0
    best: Amount | None = None
    best_label: float = -9.0
    reasons: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Totals:
    """The chosen amounts with their scores; None where nothing is known."""

    total: Amount | None = None
    total_score: float = 0.0
    #: The distance of the total's score from that of the next amount.
    margin: float = 0.0
    net: Amount | None = None
    tax: Amount | None = None
    checked: bool = False
    """Whether net + tax = total holds for labelled amounts."""


def choose_totals(amounts: Sequence[Amount], *, receipt: bool) -> Totals:
    """The total, with net amount and tax. On a credit note most amounts may be negative: signs are turned then."""
    named = [item.value for item in amounts if _label_kind(item)[0] in ("total", "strong") and item.value]
    if named and sum(value < 0 for value in named) * 2 > len(named):
        turned = _choose([replace(item, value=-item.value) for item in amounts], receipt=receipt)
        return replace(turned, total=_turned(turned.total), net=_turned(turned.net), tax=_turned(turned.tax))
    return _choose(amounts, receipt=receipt)


def _turned(amount: Amount | None) -> Amount | None:
    return amount and replace(amount, value=-amount.value)


def _choose(amounts: Sequence[Amount], *, receipt: bool) -> Totals:
    kinds = [(amount, _label_kind(amount)) for amount in amounts]
    evidence: dict[Decimal, _Evidence] = defaultdict(_Evidence)
    for amount, (kind, weight) in kinds:
        if amount.value <= 0:
            continue
        item = evidence[amount.value]
        if kind == "strong" and amount_labels.TOTAL_FINAL.search(amount.label):
            # The amount to pay may contain older debts or leave out a deposit; on a receipt it is the total.
            weight += 0.6 if receipt else -0.4
        if weight >= item.best_label:
            # The last of equal labels: the end of the document repeats the amount to pay.
            item.best, item.best_label = amount, weight
        item.reasons.append(kind)
    for value, item in evidence.items():
        item.score = item.best_label + min(2, len(item.reasons) - 1) * 0.4
        if "total" not in item.reasons and "strong" not in item.reasons and item.best_label > -2:
            item.score -= 0.5
        if not value:
            item.score -= 3
    nets = _values(kinds, "net")
    taxes = _values(kinds, "tax")
    paid, change = _values(kinds, "paid"), _values(kinds, "change")
    roundings = _values(kinds, "rounding", zero=True)
    checked: set[Decimal] = set()
    for net in nets:
        for tax in taxes:
            for value in evidence:
                if tax < net and abs(net + tax - value) <= 2 * _CENT:
                    checked.add(value)
    for value in checked:
        evidence[value].score += 1.5
    for given in paid:
        for back in [*change, Decimal(0)]:
            value = given - back
            if value in evidence and back < given:
                evidence[value].score += 1.6 if back else 0.6
    _apply_rounding(evidence, roundings)
    _apply_line_sum(evidence, kinds)
    candidates = {value: item for value, item in evidence.items() if item.best is not None}
    if not candidates:
        return Totals()
    unpaid = [value for value, item in candidates.items() if not {"paid", "change"} & {*item.reasons}]
    if unpaid:
        candidates[max(unpaid)].score += 0.8
    ranked = sorted(candidates.items(), key=lambda pair: (pair[1].score, pair[0]), reverse=True)
    value, best = ranked[0]
    margin = best.score - ranked[1][1].score if len(ranked) > 1 else 3.0
    net, tax = _net_and_tax(kinds, value)
    return Totals(best.best, best.score, margin, net, tax, value in checked)


def _values(
    kinds: Sequence[tuple[Amount, tuple[str, float]]], wanted: str, *, zero: bool = False
) -> set[Decimal]:
    found = {amount.value for amount, (kind, _) in kinds if kind == wanted and (amount.value or zero)}
    return set(sorted(found, reverse=True)[:_MAX_ARITHMETIC])


def _label_kind(amount: Amount) -> tuple[str, float]:
    """What the label says the amount is, and how much it speaks for being the total."""
    label = amount.label[-90:]
    if amount_labels.ROUNDING.search(label) and not amount_labels.TOTAL_STRONG.search(label):
        return ("rounding", -3.0) if abs(amount.value) < 1 else ("total", 3.5)
    if amount_labels.CHANGE.search(label):
        return "change", -3.0
    strong, plain = amount_labels.TOTAL_STRONG.search(label), amount_labels.TOTAL_PLAIN.search(label)
    other = amount_labels.NOT_TOTAL.search(label)
    if strong and amount_labels.WITHOUT_TAX.search(label) and not _INCLUDING.search(label):
        return "net", 1.0
    if strong and not (other and other.start() <= strong.start()):
        return ("total", 2.5) if amount.under_items else ("strong", 4.0)
    if plain and _NET_TOTAL.search(label):
        return "net", 1.5
    if plain and not other:
        return ("other", 1.0) if amount.under_items else ("total", 3.0)
    if amount_labels.NET.search(label) or (other and plain):
        is_tax = amount_labels.TAX.search(label) and not amount_labels.NET.search(label)
        return ("tax", -2.5) if is_tax else ("net", -0.8)
    if amount_labels.TAX.search(label):
        return "tax", -2.5
    if amount_labels.PAID.search(label):
        return "paid", -1.0
    return "other", -1.0


def _apply_rounding(evidence: dict[Decimal, _Evidence], roundings: set[Decimal]) -> None:
    """A total after rounding is the amount to pay; the one before is not."""
    for value in list(evidence):
        for rounding in roundings:
            for rounded in (value + rounding, value - rounding):
                is_rounded = rounding and abs(rounding) < Decimal("0.1") and rounded in evidence
                if is_rounded and (rounded * 20) % 1 == 0 and (value * 20) % 1 != 0:
                    evidence[rounded].score += 1.5
                    evidence[value].score -= 1.0


def _apply_line_sum(
    evidence: dict[Decimal, _Evidence], kinds: Sequence[tuple[Amount, tuple[str, float]]]
) -> None:
    """A total is the sum of the unlabelled amounts in one column above it."""
    columns: dict[int, list[Amount]] = defaultdict(list)
    for amount, (kind, _) in kinds:
        if kind == "other":
            columns[round(amount.cell.box.x1 * 25)].append(amount)
    for items in columns.values():
        total = sum((item.value for item in items), Decimal(0))
        if len(items) > 1 and total in evidence:
            evidence[total].score += 1.0


def _net_and_tax(
    kinds: Sequence[tuple[Amount, tuple[str, float]]], total: Decimal
) -> tuple[Amount | None, Amount | None]:
    """Labelled amounts that add up to the total; else a single labelled tax without its net amount."""
    nets = [
        amount for amount, (kind, _) in kinds if kind in ("net", "other", "total", "strong") and amount.value
    ]
    taxes = [amount for amount, (kind, _) in kinds if kind == "tax" and amount.value > 0]
    for tax in taxes:
        for net in nets:
            if tax.value < net.value and abs(net.value + tax.value - total) <= 2 * _CENT:
                return net, tax
    return None, None
