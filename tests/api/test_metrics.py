"""Metrics are correct, and the dashboard and the alerts use only metrics that are exported."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support.api_client import ApiClient

ROOT = Path(__file__).parents[2]
_NAME = re.compile(r"\btowpath_[a-z_]+")


async def _metrics(client: ApiClient) -> dict[str, dict[tuple[str, ...], float]]:
    answer = await client.http.get("/metrics")
    assert answer.status_code == 200
    return {
        family.name: {tuple(sample.labels.values()): sample.value for sample in family.samples}
        for family in text_string_to_metric_families(answer.text)
    }


async def test_a_document_shows_in_the_metrics(client: ApiClient) -> None:
    sent = await client.upload("note.md", b"# Lock\n\nThe keeper opens the gate.\n\n# Weir\n\nWater falls.")
    await client.wait_until_finished(sent["id"])
    metrics = await _metrics(client)

    assert metrics["towpath_documents"]["COMPLETED",] == 1
    assert metrics["towpath_events"]["RUN_COMPLETED",] == 1
    assert metrics["towpath_run_seconds_count"]["100 kB",] == 1
    assert metrics["towpath_run_seconds_sum"]["100 kB",] > 0
    assert metrics["towpath_chunks_published"]["added",] >= 1
    assert metrics["towpath_chunks_published"]["removed",] == 0
    assert metrics["towpath_foreign_key_violations"][()] == 0
    assert metrics["towpath_leases_expired"][()] == 0


async def test_every_metric_of_the_dashboard_and_the_alerts_is_exported(client: ApiClient) -> None:
    exported = set(await _metrics(client))
    dashboard = json.loads((ROOT / "deploy/grafana/towpath.json").read_text("utf-8"))
    used = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in _NAME.findall(target["expr"])
    }
    alerts = (ROOT / "deploy/prometheus/alerts.yml").read_text("utf-8")
    used |= {name for line in alerts.splitlines() if "expr:" in line for name in _NAME.findall(line)}

    assert len(used) > 15
    assert used <= exported


@pytest.mark.parametrize("path", ["docs/guides/monitoring.md"])
async def test_every_metric_is_explained(client: ApiClient, path: str) -> None:
    explained = set(_NAME.findall((ROOT / path).read_text("utf-8")))
    assert {name for name in await _metrics(client) if name.startswith("towpath_")} <= explained
