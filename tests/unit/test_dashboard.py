"""The dashboard and the alert rules, evaluated by promtool on the metrics that the server really exports."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.support.promtool import Sample, check_rules, evaluate, firing
from towpath.model.event import EventKind
from towpath.queries.contract import HourlyMetrics, Overview, QueueRow
from towpath.server.metrics import render_metrics

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
BOARD: dict[str, Any] = json.loads((ROOT / "deploy/grafana/towpath.json").read_text("utf-8"))
RULES = ROOT / "deploy/prometheus/alerts.yml"
GROUPS: dict[str, Any] = yaml.safe_load(RULES.read_text("utf-8"))
ALERTS: dict[str, str] = {
    rule["alert"]: rule["expr"] for group in GROUPS["groups"] for rule in group["rules"]
}
PANELS = [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]


def _exported(servers: int = 1, **events: int) -> list[Sample]:
    """All samples that Prometheus scrapes from this many servers of one busy installation."""
    calls = {"provider": "openai", "made": 7, "reused": 3, "repeated": 2, "cost": 0.5, "waiting_jobs": 4}
    overview = Overview(
        queue=[
            QueueRow("embed", "PENDING", 5, NOW - timedelta(seconds=90)),
            QueueRow("embed", "PROCESSING", 2, None),
            QueueRow("extract", "PENDING", 1, NOW - timedelta(seconds=9)),
        ],
        providers=[{**calls, "model": "small"}, {**calls, "model": "large"}],
        throttles=[{"provider": "openai", "throttled_until": NOW + timedelta(seconds=14)}],
        documents={"COMPLETED": 8, "FAILED": 1},
    )
    hourly_metrics = HourlyMetrics(
        events=dict.fromkeys(map(str, EventKind), 0) | events,
        expired_leases={"embed": 1, "extract": 2},
        run_seconds={"1 MB": 30.0},
        runs={"1 MB": 3},
        retried_calls={"made": 1, "reused": 3},
        chunks={"added": 10, "kept": 90, "removed": 4},
    )
    families = list(text_string_to_metric_families(render_metrics(overview, hourly_metrics, NOW).decode()))
    return [
        Sample(sample.name, {**sample.labels, "instance": f"server-{number}"}, sample.value)
        for number in range(servers)
        for family in families
        for sample in family.samples
    ]


def test_the_alert_rules_are_valid() -> None:
    assert check_rules(RULES) == ""


def test_three_servers_give_the_same_results_as_one() -> None:
    expressions = [*PANELS, *ALERTS.values()]
    assert evaluate(expressions, _exported(servers=3)) == evaluate(expressions, _exported())


def test_every_panel_of_a_busy_installation_shows_something() -> None:
    assert set(evaluate(PANELS, _exported())) == set(PANELS)


def test_provider_calls_are_added_up_over_models_and_not_over_servers() -> None:
    made = "sum by (provider) (max by (provider, model) (towpath_provider_calls_made))"
    assert made in PANELS
    assert evaluate([made], _exported(servers=2)) == {made: '{provider="openai"} 1.4E+01'}


@pytest.mark.parametrize(
    ("failed", "completed", "fires"), [(11, 0, True), (11, 40, True), (11, 400, False), (9, 0, False)]
)
def test_the_alert_on_failing_documents_fires_also_when_none_succeeds(
    failed: int, completed: int, fires: bool
) -> None:
    samples = _exported(RUN_FAILED=failed, RUN_COMPLETED=completed)
    assert firing(RULES, samples, "TowpathDocumentsFail") is fires


@pytest.mark.parametrize("expression", [*PANELS, *ALERTS.values()])
def test_every_metric_and_label_of_an_expression_is_exported(expression: str) -> None:
    assert _unknown_names(expression) == set()


@pytest.mark.parametrize(
    ("expression", "unknown"),
    [
        ("sum by (weather) (towpath_jobs)", "weather"),
        ('towpath_jobs{how="x"}', "how"),
        ("towpath_rain", "towpath_rain"),
    ],
)
def test_an_unknown_metric_or_label_would_be_noticed(expression: str, unknown: str) -> None:
    assert _unknown_names(expression) == {unknown}


def test_an_invalid_expression_would_be_noticed() -> None:
    with pytest.raises(ValueError, match="parse error"):
        evaluate(["sum(towpath_jobs"], _exported())


def _unknown_names(expression: str) -> set[str]:
    """Metrics that are not exported, and labels that none of the expression's metrics has.

    To Prometheus such an expression is valid and has an empty result, so promtool cannot report it.
    """
    samples = _exported()
    metrics = set(re.findall(r"towpath_\w+", expression))
    labels = {
        name.strip() for group in re.findall(r"\bby \(([^)]*)\)", expression) for name in group.split(",")
    }
    labels |= set(re.findall(r"[{,]\s*(\w+)\s*=", expression))
    exported = {name for sample in samples if sample.name in metrics for name in sample.labels}
    unknown = metrics - {sample.name for sample in samples}
    return unknown or labels - exported
