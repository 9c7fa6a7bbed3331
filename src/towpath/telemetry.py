"""Figures and logs. Figures about the work come from the database, so that they are true for all workers."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, Gauge, generate_latest

from towpath.catalogue.contract import Figures, Overview
from towpath.tracing import about


def render(overview: Overview, figures: Figures, now: datetime) -> bytes:
    """The state of the queue and of the providers in Prometheus' text format."""
    registry = CollectorRegistry()
    jobs = Gauge("towpath_jobs", "Jobs by stage and status", ["stage", "status"], registry=registry)
    age = Gauge(
        "towpath_oldest_pending_seconds",
        "How long the oldest due job has waited",
        ["stage"],
        registry=registry,
    )
    for row in overview.queue:
        jobs.labels(row.stage, row.status).set(row.jobs)
        if row.status == "PENDING" and row.oldest is not None:
            age.labels(row.stage).set(max(0.0, (now - row.oldest).total_seconds()))
    alive = Gauge("towpath_workers", "Workers heard of in the last two minutes", registry=registry)
    alive.set(len(overview.workers))
    documents = Gauge("towpath_documents", "Documents by status", ["status"], registry=registry)
    for status, count in overview.documents.items():
        documents.labels(status).set(float(str(count)))
    closed = Gauge(
        "towpath_provider_closed_seconds",
        "How long a provider is still left alone",
        ["provider"],
        registry=registry,
    )
    for row in overview.gates:
        until = row["closed_until"]
        assert isinstance(until, datetime)
        closed.labels(row["provider"]).set((until - now).total_seconds())
    names = ("made", "reused", "paid_twice", "cost")
    helps = (
        "Provider calls answered",
        "Provider answers used again instead of paid for",
        "Provider calls made again in the open window",
        "Cost of provider calls in US dollars",
    )
    for name, text in zip(names, helps, strict=True):
        gauge = Gauge(f"towpath_provider_calls_{name}", text, ["provider", "model"], registry=registry)
        for row in overview.providers:
            gauge.labels(row["provider"], row["model"]).set(float(str(row[name] or 0)))
    waiting = Gauge(
        "towpath_provider_suspended_jobs", "Jobs that wait for a provider", ["provider"], registry=registry
    )
    for row in overview.providers:
        waiting.labels(row["provider"]).inc(float(str(row.get("waiting") or 0)))
    _last_hour(registry, figures)
    return generate_latest(registry)


def _last_hour(registry: CollectorRegistry, figures: Figures) -> None:
    """What happened in the last hour. Gauges: they fall again, and pruned history does not disturb them."""

    def gauge(name: str, text: str, label: str, values: Mapping[str, float]) -> None:
        made = Gauge(f"towpath_{name}", text, [label], registry=registry)
        for value, number in values.items():
            made.labels(value).set(number)

    def number(name: str, text: str, value: float) -> None:
        Gauge(f"towpath_{name}", text, registry=registry).set(value)

    rescued = figures.events.get("LEASE_EXPIRED", 0)
    number(
        "foreign_key_violations", "Writes refused by a foreign key, last hour", figures.foreign_key_violations
    )
    number("leases_expired", "Jobs rescued from workers that fell silent, last hour", rescued)
    number("stages_reused", "Finished stages that resumed runs took over, last hour", figures.stages_reused)
    gauge("events", "Events of runs by kind, last hour", "kind", figures.events)
    gauge("silent_jobs", "Jobs PROCESSING without a heartbeat", "stage", figures.silent)
    gauge(
        "run_seconds_sum",
        "Seconds of completed runs by size of document, last hour",
        "size",
        figures.run_seconds,
    )
    gauge("run_seconds_count", "Completed runs by size of document, last hour", "size", figures.runs)
    gauge(
        "retried_calls",
        "Provider calls of retried jobs: made, reused; last hour",
        "how",
        figures.retried_calls,
    )
    gauge("chunks_switched", "Chunks added, kept and removed by publishing, last hour", "how", figures.chunks)


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **about.get(),
        }
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def set_up_logging(style: str, level: int = logging.INFO) -> None:
    handler = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    handler.setFormatter(JsonFormatter() if style == "json" else plain)
    logging.basicConfig(level=level, handlers=[handler], force=True)
    for chatty in ("httpx", "azure"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
