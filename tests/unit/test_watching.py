"""The dashboard and the alerts, asked of what is really exported: every figure and label is there, and means it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.support.promql import Question, Sample, Unknown, Vector
from towpath.catalogue.contract import Figures, Overview, QueueRow
from towpath.model.work import EventKind
from towpath.telemetry import render

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 3, 1, tzinfo=UTC)
BOARD: dict[str, Any] = json.loads((ROOT / "deploy/grafana/towpath.json").read_text("utf-8"))
GROUPS: dict[str, Any] = yaml.safe_load((ROOT / "deploy/prometheus/alerts.yml").read_text("utf-8"))
ALERTS: dict[str, str] = {
    rule["alert"]: rule["expr"] for group in GROUPS["groups"] for rule in group["rules"]
}
PANELS = [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]


def _exported(servers: int = 1, **events: int) -> list[Sample]:
    """What Prometheus has after it asked so many servers of one busy installation."""
    calls = {"provider": "openai", "made": 7, "reused": 3, "paid_twice": 2, "cost": 0.5, "waiting": 4}
    overview = Overview(
        queue=[
            QueueRow("embed", "PENDING", 5, NOW - timedelta(seconds=90)),
            QueueRow("embed", "PROCESSING", 2, None),
            QueueRow("extract", "PENDING", 1, NOW - timedelta(seconds=9)),
        ],
        providers=[{**calls, "model": "small"}, {**calls, "model": "large"}],
        gates=[{"provider": "openai", "closed_until": NOW + timedelta(seconds=14)}],
        documents={"COMPLETED": 8, "FAILED": 1},
    )
    figures = Figures(
        events=dict.fromkeys(map(str, EventKind), 0) | events,
        silent={"embed": 1, "extract": 2},
        run_seconds={"1 MB": 30.0},
        runs={"1 MB": 3},
        retried_calls={"made": 1, "reused": 3},
        chunks={"added": 10, "kept": 90, "removed": 4},
    )
    families = list(text_string_to_metric_families(render(overview, figures, NOW).decode()))
    return [
        Sample(sample.name, {**sample.labels, "instance": f"server-{number}"}, sample.value)
        for number in range(servers)
        for family in families
        for sample in family.samples
    ]


def _ask(expression: str, samples: list[Sample]) -> Vector:
    answer = Question(expression, samples).answer()
    assert isinstance(answer, dict)
    return answer


@pytest.mark.parametrize("expression", [*PANELS, *ALERTS.values()])
def test_an_expression_names_what_is_exported_and_several_servers_say_the_same(expression: str) -> None:
    assert _ask(expression, _exported(servers=3)) == _ask(expression, _exported())


@pytest.mark.parametrize("expression", PANELS)
def test_every_panel_of_a_busy_installation_shows_something(expression: str) -> None:
    assert _ask(expression, _exported())


def test_a_figure_is_added_up_over_models_and_not_over_servers() -> None:
    made = "sum by (provider) (max by (provider, model) (towpath_provider_calls_made))"
    assert made in PANELS
    assert _ask(made, _exported(servers=2)) == {frozenset({("provider", "openai")}): 14}


@pytest.mark.parametrize(
    ("failed", "completed", "told"), [(11, 0, True), (11, 40, True), (11, 400, False), (9, 0, False)]
)
def test_failing_documents_are_told_also_when_none_succeeds(failed: int, completed: int, told: bool) -> None:
    samples = _exported(RUN_FAILED=failed, RUN_COMPLETED=completed)
    assert bool(_ask(ALERTS["TowpathDocumentsFail"], samples)) is told


@pytest.mark.parametrize(
    "expression",
    ["sum by (weather) (towpath_jobs)", 'towpath_jobs{how="x"}', "towpath_rain", "sum(towpath_jobs"],
)
def test_a_name_that_is_not_exported_would_be_noticed(expression: str) -> None:
    with pytest.raises(Unknown):
        Question(expression, _exported()).answer()
