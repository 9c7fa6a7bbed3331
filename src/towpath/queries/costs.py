"""Sums up what the provider calls of a document cost, and how many cached answers it reused."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from towpath.ledger.columns import to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, provider_calls
from towpath.queries.contract import Costs

_jobs = document_processing_jobs.c
_calls = provider_calls.c


def read_costs(tx: Transaction, org_id: str, document_id: str) -> Costs:
    query = select(provider_calls).where(_calls.org_id == org_id, _calls.document_id == document_id)
    by_provider: dict[tuple[str, str], dict[str, Any]] = {}
    units: dict[str, float] = {}
    repeated = 0
    for call in tx.connection.execute(query):
        group = by_provider.setdefault(
            (call.provider, call.model),
            {"provider": call.provider, "model": call.model, "calls": 0, "cost": 0.0},
        )
        group["calls"] += call.status == "ANSWERED"
        group["cost"] += call.cost
        repeated += call.repeated
        for unit, amount in to_json(call.units).items():
            units[unit] = units.get(unit, 0.0) + float(str(amount))
    groups = [by_provider[key] for key in sorted(by_provider)]
    cost, calls = sum(group["cost"] for group in groups), sum(group["calls"] for group in groups)
    return Costs(cost, calls, _reused_answers(tx, document_id), repeated, units, groups)


def _reused_answers(tx: Transaction, document_id: str) -> int:
    """The number of cached answers that the stages of all runs of the document reused."""
    query = select(_jobs.result).where(
        _jobs.document_id == document_id, _jobs.result.is_not(None), _jobs.reused_from.is_(None)
    )
    total = 0
    for result in tx.connection.execute(query).scalars():
        calls = to_json(result).get("calls")
        total += int(calls["reused"]) if isinstance(calls, dict) else 0  # pyright: ignore[reportUnknownArgumentType]  (written by the worker)
    return total
