"""The profile `single-process` on a running program: a run of a crashed server stays FAILED."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import open_api_client
from towpath.config.profiles import PROFILES
from towpath.ledger.contract.ledger import ClaimRequest


@pytest.mark.parametrize(
    ("profile", "states"),
    [("single-process", ["FAILED"]), ("checkpointed", ["FAILED", "COMPLETED"])],
)
async def test_a_run_of_a_crashed_server_stays_failed_or_is_resumed(
    tmp_path: Path, profile: str, states: list[str]
) -> None:
    settings: dict[str, Any] = dict(PROFILES[profile].values)
    async with open_api_client(tmp_path / "data", with_worker=False, **settings) as client:
        document = await client.upload("note.md", b"# Locks\n\nThe keeper opens the gate.\n")
        # A claim that is never settled, as if the server had crashed.
        services = client.runtime.services
        request = ClaimRequest("crashed", limit=1, lease_seconds=settings.get("lease_seconds", 30.0))
        assert len(await services.ledger.claim(request, services.clock.now())) == 1
    async with open_api_client(tmp_path / "data", **settings) as client:
        status = await client.wait_until_finished(document["id"])
        runs = await client.get(f"/documents/{document['id']}/runs")

    assert sorted(run["state"] for run in runs) == sorted(states)
    [failed] = [run for run in runs if run["state"] == "FAILED"]
    assert failed["failure_type"] == "PROCESS_TERMINATED"
    assert status["status"] == states[-1]
