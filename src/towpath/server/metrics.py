"""Renders the metrics in Prometheus text format. Values come from the database and cover all workers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from prometheus_client import CollectorRegistry, Gauge, generate_latest

from towpath.queries.contract import HourlyMetrics, Overview

_PROVIDER_CALL_METRICS = (
    ("made", "made", "Provider calls answered"),
    ("reused", "reused", "Cached provider answers used at no cost"),
    ("repeated", "repeated", "Provider calls repeated because an earlier answer was lost"),
    ("cost", "cost", "Cost of provider calls in US dollars"),
)


def render_metrics(overview: Overview, hourly: HourlyMetrics, now: datetime) -> bytes:
    """The state of the queue, the workers and the providers, and the counts of the last hour."""
    registry = CollectorRegistry()
    _add_queue(registry, overview, now)
    _add_providers(registry, overview, now)
    _add_last_hour(registry, hourly)
    return generate_latest(registry)


def _add_queue(registry: CollectorRegistry, overview: Overview, now: datetime) -> None:
    jobs = Gauge("towpath_jobs", "Jobs by stage and status", ["stage", "status"], registry=registry)
    oldest = Gauge(
        "towpath_oldest_pending_seconds",
        "Seconds for which the oldest due job has been waiting",
        ["stage"],
        registry=registry,
    )
    for row in overview.queue:
        jobs.labels(row.stage, row.status).set(row.jobs)
        if row.status == "PENDING" and row.oldest is not None:
            oldest.labels(row.stage).set(max(0.0, (now - row.oldest).total_seconds()))
    workers = Gauge("towpath_workers", "Workers seen in the last two minutes", registry=registry)
    workers.set(len(overview.workers))
    documents = Gauge("towpath_documents", "Documents by status", ["status"], registry=registry)
    for status, count in overview.documents.items():
        documents.labels(status).set(float(str(count)))


def _add_providers(registry: CollectorRegistry, overview: Overview, now: datetime) -> None:
    throttled = Gauge(
        "towpath_provider_throttled_seconds",
        "Seconds until a throttled provider is called again",
        ["provider"],
        registry=registry,
    )
    for row in overview.throttles:
        until = row["throttled_until"]
        assert isinstance(until, datetime)
        throttled.labels(row["provider"]).set((until - now).total_seconds())
    for name, column, text in _PROVIDER_CALL_METRICS:
        gauge = Gauge(f"towpath_provider_calls_{name}", text, ["provider", "model"], registry=registry)
        for row in overview.providers:
            gauge.labels(row["provider"], row["model"]).set(float(str(row[column] or 0)))
    suspended = Gauge(
        "towpath_provider_suspended_jobs", "Jobs that wait for a provider", ["provider"], registry=registry
    )
    for row in overview.providers:
        suspended.labels(row["provider"]).inc(float(str(row.get("waiting_jobs") or 0)))


def _add_last_hour(registry: CollectorRegistry, hourly: HourlyMetrics) -> None:
    """Counts of the last hour. Gauges, because the counts also fall, and pruning does not change them."""

    def add_labelled(name: str, text: str, label: str, values: Mapping[str, float]) -> None:
        gauge = Gauge(f"towpath_{name}", text, [label], registry=registry)
        for label_value, value in values.items():
            gauge.labels(label_value).set(value)

    def add(name: str, text: str, value: float) -> None:
        Gauge(f"towpath_{name}", text, registry=registry).set(value)

    add("foreign_key_violations", "Writes refused by a foreign key, last hour", hourly.foreign_key_violations)
    add(
        "leases_expired",
        "Jobs rescued after their lease expired, last hour",
        hourly.events.get("LEASE_EXPIRED", 0),
    )
    add("stages_reused", "Completed stages reused by resumed runs, last hour", hourly.stages_reused)
    add_labelled("events", "Events of runs by kind, last hour", "kind", hourly.events)
    add_labelled(
        "jobs_without_heartbeat", "Jobs PROCESSING without a heartbeat", "stage", hourly.expired_leases
    )
    add_labelled(
        "run_seconds_sum", "Seconds of completed runs by document size, last hour", "size", hourly.run_seconds
    )
    add_labelled("run_seconds_count", "Completed runs by document size, last hour", "size", hourly.runs)
    add_labelled(
        "retried_calls",
        "Provider calls of retried jobs: made or reused, last hour",
        "how",
        hourly.retried_calls,
    )
    add_labelled(
        "chunks_published", "Chunks added, kept and removed by publish, last hour", "how", hourly.chunks
    )
