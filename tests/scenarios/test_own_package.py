"""A package that is installed with pip adds a stage with a paid call and a reader: documents go through both.

Killed at every point, each call is billed once. The drill is green for the package, and red for one without `once`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.scenarios.own_package_kills import FEW_POINTS
from tests.support.emulators.faults import Fault
from tests.support.emulators.summaries import WORD, SummaryEmulator, running_summaries
from tests.support.own_package import (
    MODULE,
    PYPROJECT,
    STAGES,
    acme_file,
    install,
    settings_file,
    write_package,
)
from tests.support.servers import Client, Server
from tests.support.timeouts import COMMAND_SECONDS, wait_until

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which pip installed the package."""
    folder = tmp_path_factory.mktemp("package")
    return install(write_package(folder / "acme"), folder / "site")


@pytest.fixture
def summaries() -> Iterator[SummaryEmulator]:
    with running_summaries() as emulator:
        yield emulator


def _environment(site: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join((str(site), str(ROOT), str(ROOT / "src")))}


def _towpath(site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "towpath", *arguments],
        env=_environment(site),
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )


def test_the_package_has_about_60_lines() -> None:
    lines = [line for line in (PYPROJECT + MODULE).splitlines() if line.strip()]

    assert len(lines) <= 65


def test_documents_go_through_the_package_to_a_search_hit(
    site: Path, summaries: SummaryEmulator, tmp_path: Path
) -> None:
    config = settings_file(tmp_path, summaries.endpoint)
    environment = {"PYTHONPATH": str(site), "TOWPATH_CONFIG": str(config)}
    with Server(tmp_path / "data", settings=environment) as server:
        client = Client(server.url)
        by_type = _upload(server, "one.acme", acme_file(1))
        by_name = _upload(server, "two.txt", b"The barge of Braunston carries coal.", pipeline="acme")
        by_metadata = _upload(
            server, "three.txt", b"The toll of Foxton is 7 EUR.", metadata='{"department": "finance"}'
        )
        usual = _upload(server, "four.txt", b"The keeper of Stoke signs the ledger.")
        ids = [document["id"] for document in (by_type, by_name, by_metadata, usual)]
        ended = client.wait_until_finished(*ids)
        assert {status["status"] for status in ended} == {"COMPLETED"}, server.log_tail()
        statuses = {document_id: _get(server, f"/documents/{document_id}/status") for document_id in ids}
        found = _get(server, "/search", q=WORD)
        fields = _get(server, f"/documents/{by_type['id']}/fields")
        content = httpx.get(f"{server.url}/documents/{by_type['id']}/content").text
        unknown = httpx.post(
            f"{server.url}/documents", files={"file": ("five.txt", b"x")}, data={"pipeline": "acne"}
        )
        again = _upload(server, "four.txt", b"The keeper of Stoke signs the ledger.", pipeline="acme")
        assert [status["status"] for status in client.wait_until_finished(usual["id"])] == ["COMPLETED"]
        listed = {pipeline["name"]: pipeline for pipeline in _get(server, "/pipelines")}
        runs = _get(server, f"/documents/{usual['id']}/runs")

    # The media type, the form field and the metadata chose the pipeline of the package; the kind of file the other one.
    names = {
        document_id: [stage["name"] for stage in status["stages"]] for document_id, status in statuses.items()
    }
    for document in (by_type, by_name, by_metadata):
        assert tuple(names[document["id"]]) == (*STAGES, "connect")
    assert "acme_summary" not in names[usual["id"]]
    # The page gets the label, the progress, the calls and the result of a stage that it does not know.
    [stage] = [item for item in statuses[by_type["id"]]["stages"] if item["name"] == "acme_summary"]
    assert (stage["label"], stage["calls_made"]) == ("Summary by Acme", 1)
    assert stage["progress"] == {"done": 1, "total": 1, "unit": "batch"}
    assert stage["result"]["parts"] == 1
    assert WORD in stage["result"]["summary"]
    assert by_type["media_type"] == "application/x-acme"
    # A word that only the paid answers have is found, in the three documents.
    hits = {hit["document_id"] for hit in found["hits"]}
    assert hits == {by_type["id"], by_name["id"], by_metadata["id"]}
    assert WORD in content
    assert "## Section 1-0" in content
    assert [field["value"] for field in fields if field["name"] == "acme_parts"] == ["1"]
    assert unknown.status_code == 400
    assert "There is no pipeline `acne`. Pipelines: acme, call, document." in unknown.text
    # The same bytes with another pipeline are processed by it.
    assert again["duplicate"]
    assert [run["pipeline"] for run in runs] == ["document", "acme"]
    assert listed["acme"]["rules"] == ["acme if media_type application/x-acme", "acme if department = fin*"]
    assert set(summaries.bill.by_content.values()) == {1}


@pytest.mark.parametrize(
    "points", [pytest.param(FEW_POINTS, id="few"), pytest.param((), id="all", marks=pytest.mark.long)]
)
def test_killed_at_every_point_each_call_is_billed_once(
    site: Path, summaries: SummaryEmulator, tmp_path: Path, points: tuple[str, ...]
) -> None:
    config = settings_file(tmp_path, summaries.endpoint)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.scenarios.own_package_kills"),
            *(str(config), str(tmp_path / "drill"), *points),
        ],
        env=_environment(site),
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    facts: dict[str, Any] = json.loads(done.stdout)
    # Without given points, an undisturbed document showed where workers can be killed.
    killed = len(facts["points"])
    submitted = killed + (0 if points else 1)

    assert facts["missed"] == []
    assert set(FEW_POINTS) <= set(facts["points"])
    assert facts["statuses"] == ["COMPLETED"] * submitted
    assert sum(WORD in text for text in facts["texts"]) == submitted
    # The service was asked again only where a worker died between the call and the storage of its answer.
    assert summaries.bill.operations == submitted
    assert set(summaries.bill.by_content.values()) == {1}
    repeated = summaries.count("summaries") - submitted
    assert 1 <= repeated <= facts["open_windows"]


def test_a_server_that_is_killed_during_the_paid_call_resumes_in_the_stage_of_the_package(
    site: Path, summaries: SummaryEmulator, tmp_path: Path
) -> None:
    config = settings_file(tmp_path, summaries.endpoint)
    environment = {"PYTHONPATH": str(site), "TOWPATH_CONFIG": str(config)}
    summaries.faults.add(Fault("summaries", "hang"))
    first = Server(tmp_path / "data", settings=environment)
    document = _upload(first, "one.acme", acme_file(1))
    wait_until(lambda: summaries.count("summaries"), "the paid call")
    first.kill()
    with Server(tmp_path / "data", settings=environment) as second:
        [status] = Client(second.url).wait_until_finished(document["id"])
        runs = _get(second, f"/documents/{document['id']}/runs")
        costs = _get(second, f"/documents/{document['id']}/costs")

    assert status["status"] == "COMPLETED"
    assert [run["reason"] for run in runs] == ["submitted", "resumed"]
    assert {stage["name"]: stage["reused"] for stage in status["stages"]}["extract"]
    # The call was sent twice, because its answer was lost with the server; its key let the service bill it once.
    assert (summaries.count("summaries"), summaries.bill.operations) == (2, 1)
    assert costs["repeated"] == 1


@pytest.mark.parametrize("files", ["own type", pytest.param("generated", marks=pytest.mark.long)])
def test_the_drill_is_green_for_the_package(
    site: Path, summaries: SummaryEmulator, tmp_path: Path, files: str
) -> None:
    code, report = _drill(site, summaries, tmp_path, own_type=files == "own type")

    assert report["findings"] == []
    assert (code, report["verdict"]) == (0, "green")
    assert report["kills"] > 0
    assert report["documents"] >= 4
    assert "--pipeline acme" in report["replay"]
    assert summaries.count("summaries") > 0


def test_the_drill_is_red_if_the_stage_pays_without_once(summaries: SummaryEmulator, tmp_path: Path) -> None:
    careless = install(write_package(tmp_path / "careless", careless=True), tmp_path / "site")
    code, report = _drill(careless, summaries, tmp_path)

    assert (code, report["verdict"]) == (1, "red")
    assert any(
        "the stage acme_summary made its calls again" in finding and "`context.once`" in finding
        for finding in report["findings"]
    )
    assert max(summaries.bill.by_content.values()) > 1


def test_a_broken_package_stops_the_start_and_is_named(tmp_path: Path) -> None:
    package = write_package(tmp_path / "broken")
    (package / "acme_stages.py").write_text("import no_such_module\n", "utf-8")
    broken = install(package, tmp_path / "site")
    listed = _towpath(broken, "pipelines")
    served = _towpath(broken, "serve", "--data", str(tmp_path / "data"))

    for done in (listed, served):
        assert done.returncode == 2, done.stderr
        assert "of the package acme-stages" in done.stderr
        assert "No module named 'no_such_module'" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_wrong_order_stops_the_start_and_says_what_to_change(site: Path, tmp_path: Path) -> None:
    config = tmp_path / "wrong.toml"
    config.write_text('[pipelines.wrong]\nstages = ["acme_summary", "extract", "chunk"]\n', "utf-8")
    done = _towpath(site, "serve", "--config", str(config), "--data", str(tmp_path / "data"))

    assert done.returncode == 2
    assert "Move `acme_summary` behind `extract`." in done.stderr


def test_the_stages_of_the_package_are_listed(site: Path, tmp_path: Path) -> None:
    config = settings_file(tmp_path, "http://127.0.0.1:1")
    stages = json.loads(_towpath(site, "stages", "--json").stdout)
    text = _towpath(site, "--config", str(config), "pipelines").stdout

    [own] = [stage for stage in stages if stage["package"] == "acme-stages"]
    assert (own["name"], own["label"], own["version"]) == ("acme_summary", "Summary by Acme", 1)
    assert own["inputs"] == ["text"]
    assert f"  stages      {' > '.join(STAGES)}" in text


def _upload(server: Server, name: str, body: bytes, **form: str) -> dict[str, Any]:
    response = httpx.post(
        f"{server.wait_until_ready().url}/documents", files={"file": (name, body)}, data=form, timeout=60
    )
    assert response.status_code == 200, response.text
    return response.json()


def _get(server: Server, path: str, **query: str) -> Any:
    response = httpx.get(f"{server.url}{path}", params=query, timeout=60)
    assert response.status_code == 200, response.text
    return response.json()


def _drill(
    site: Path, summaries: SummaryEmulator, tmp_path: Path, *, own_type: bool = False
) -> tuple[int, dict[str, Any]]:
    config = settings_file(tmp_path, summaries.endpoint)
    report = tmp_path / "report.json"
    flags = ["--pipeline", "acme", "--config", str(config), "--seed", "7", "--documents", "4"]
    if own_type:
        folder = tmp_path / "files"
        folder.mkdir()
        for number in range(4):
            (folder / f"{number}.acme").write_bytes(acme_file(number))
        flags += ["--folder", str(folder)]
    done = _towpath(site, "drill", *flags, "--minutes", "0.1", "--report", str(report))
    assert report.exists(), done.stderr
    return done.returncode, json.loads(report.read_text("utf-8"))
