"""What Prometheus is told is true, and the dashboard and the alerts name nothing that it is not told."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.desk import Desk

ROOT = Path(__file__).parents[2]
_NAME = re.compile(r"\btowpath_[a-z_]+")


async def _figures(desk: Desk) -> dict[str, dict[tuple[str, ...], float]]:
    answer = await desk.http.get("/metrics")
    assert answer.status_code == 200
    return {
        family.name: {tuple(sample.labels.values()): sample.value for sample in family.samples}
        for family in text_string_to_metric_families(answer.text)
    }


async def test_a_document_shows_in_the_figures(desk: Desk) -> None:
    sent = await desk.upload("note.md", b"# Lock\n\nThe keeper opens the gate.\n\n# Weir\n\nWater falls.")
    await desk.finished(sent["id"])
    found = await _figures(desk)

    assert found["towpath_documents"]["COMPLETED",] == 1
    assert found["towpath_events"]["RUN_COMPLETED",] == 1
    assert found["towpath_run_seconds_count"]["100 kB",] == 1
    assert found["towpath_run_seconds_sum"]["100 kB",] > 0
    assert found["towpath_chunks_switched"]["added",] >= 1
    assert found["towpath_chunks_switched"]["removed",] == 0
    assert found["towpath_foreign_key_violations"][()] == 0
    assert found["towpath_leases_expired"][()] == 0


async def test_every_figure_of_the_dashboard_and_the_alerts_is_exported(desk: Desk) -> None:
    told = set(await _figures(desk))
    board = json.loads((ROOT / "deploy/grafana/towpath.json").read_text("utf-8"))
    wanted = {
        name for panel in board["panels"] for one in panel["targets"] for name in _NAME.findall(one["expr"])
    }
    alerts = (ROOT / "deploy/prometheus/alerts.yml").read_text("utf-8")
    wanted |= {name for line in alerts.splitlines() if "expr:" in line for name in _NAME.findall(line)}

    assert len(wanted) > 15
    assert wanted <= told


@pytest.mark.parametrize("path", ["docs/guides/monitoring.md"])
async def test_every_figure_is_explained(desk: Desk, path: str) -> None:
    explained = set(_NAME.findall((ROOT / path).read_text("utf-8")))
    assert {name for name in await _figures(desk) if name.startswith("towpath_")} <= explained
