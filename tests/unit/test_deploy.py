"""The examples for production say only what the program understands."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import click
import httpx
import kubernetes_validate
import pytest
import yaml

from tests.support.commands import parses
from tests.support.ports import free_port
from tests.support.timeouts import wait_until
from towpath.config import PREFIX, load

ROOT = Path(__file__).parents[2]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
OURS = {name: service for name, service in COMPOSE["services"].items() if service.get("image") == "towpath"}
MANIFESTS = sorted((ROOT / "deploy" / "kubernetes").glob("*.yaml"))
RESOURCES: list[dict[str, Any]] = [
    resource for path in MANIFESTS for resource in yaml.safe_load_all(path.read_text("utf-8"))
]
UNITS = sorted((ROOT / "deploy").glob("*.service"))


@pytest.mark.parametrize("name", OURS)
def test_compose_gives_command_lines_and_settings_that_exist(name: str) -> None:
    service = OURS[name]
    environment: dict[str, str] = service["environment"]

    assert parses(service["command"])
    # As in a file, where an unknown name is an error.
    loaded = load({key.removeprefix(PREFIX).lower(): value for key, value in environment.items()}, {})
    assert not loaded.settings.embedded
    assert loaded.settings.blob_storage is not None


def test_compose_has_what_production_has() -> None:
    assert COMPOSE["services"]["worker"]["deploy"]["replicas"] == 2
    assert {"db", "blobs", "server", "worker", "migrate"} == set(COMPOSE["services"])


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_start_commands_that_exist(unit: Path) -> None:
    lines = unit.read_text("utf-8").splitlines()
    [started] = [line.removeprefix("ExecStart=") for line in lines if line.startswith("ExecStart=")]
    set_here = [line.removeprefix("Environment=") for line in lines if line.startswith("Environment=")]

    assert parses(shlex.split(started)[1:])
    load(
        {
            name.removeprefix(PREFIX).lower(): value
            for name, value in (line.split("=", 1) for line in set_here)
        },
        {},
    )


def test_an_unknown_option_would_be_noticed() -> None:
    with pytest.raises(click.UsageError):
        parses(["serve", "--no-wroker"])


def test_compose_on_sqlite_is_one_container_with_a_volume() -> None:
    compose: dict[str, Any] = yaml.safe_load((ROOT / "compose.sqlite.yaml").read_text("utf-8"))
    [service] = compose["services"].values()

    assert parses(service["command"])
    assert service["volumes"] == ["data:/data"]
    load({key.removeprefix(PREFIX).lower(): value for key, value in service["environment"].items()}, {})


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda item: f"{item['kind']}-{item['metadata']['name']}")
def test_kubernetes_accepts_the_manifests(resource: dict[str, Any]) -> None:
    kubernetes_validate.validate(resource, kubernetes_validate.latest_version(), strict=True)


def test_the_containers_of_the_manifests_start_commands_that_exist() -> None:
    containers = [
        container
        for resource in RESOURCES
        if resource["kind"] in ("Deployment", "Job")
        for container in resource["spec"]["template"]["spec"]["containers"]
    ]

    assert [container["name"] for container in containers] == ["migrate", "server", "worker"]
    for container in containers:
        assert parses(container["args"])
        assert "memory" in container["resources"]["limits"]


def test_the_settings_of_the_manifests_exist() -> None:
    values: dict[str, str] = {}
    for resource in RESOURCES:
        values |= resource.get("data", {}) | resource.get("stringData", {})

    loaded = load({key.removeprefix(PREFIX).lower(): value for key, value in values.items()}, {})

    assert not loaded.settings.embedded


def _service_variables() -> dict[str, str]:
    """What Kubernetes adds to the environment of each pod that does not refuse it, for every service."""
    variables: dict[str, str] = {}
    for service in (resource for resource in RESOURCES if resource["kind"] == "Service"):
        prefix = service["metadata"]["name"].upper().replace("-", "_")
        port = service["spec"]["ports"][0]["port"]
        variables |= {
            f"{prefix}_SERVICE_HOST": "10.0.0.1",
            f"{prefix}_SERVICE_PORT": str(port),
            f"{prefix}_PORT": f"tcp://10.0.0.1:{port}",
        }
    return variables


def test_the_variables_that_kubernetes_adds_for_services_do_not_stop_a_pod() -> None:
    added = _service_variables()
    specs = [
        resource["spec"]["template"]["spec"]
        for resource in RESOURCES
        if resource["kind"] in ("Deployment", "Job")
    ]

    assert added
    assert len(specs) == 3
    for spec in specs:
        load({}, added if spec.get("enableServiceLinks", True) else {})


def test_the_image_copies_only_files_that_exist() -> None:
    """Every file that a stage copies from the checkout is there, and each stage's base is the build argument."""
    lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    copied = [line.split()[1] for line in lines if line.startswith("COPY ") and "--from" not in line]

    assert all((ROOT / source).exists() for source in copied), copied
    stages = [line.split()[1] for line in lines if line.startswith("FROM ")]
    assert set(stages) == {"${BASE}", "packages"}


def test_a_change_of_the_source_downloads_nothing_for_the_image() -> None:
    """After the whole source is copied, no step of any stage installs or downloads what is not copied too."""
    stages = (ROOT / "Dockerfile").read_text("utf-8").split("\nFROM ")
    [program] = [stage for stage in stages if "\nCOPY . /build" in stage]
    before, after = program.split("\nCOPY . /build")
    required: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"][
        "requires"
    ]

    [hatchling] = [requirement for requirement in required if requirement.startswith("hatchling")]
    assert before.endswith(f"pip install --quiet {hatchling}")
    assert "pip install" not in after
    assert "--no-deps --no-build-isolation" in after
    assert "COPY --from=page" in after
    for later in stages[stages.index(program) + 1 :]:
        assert all("--no-deps" in line for line in later.splitlines() if "pip install" in line)


def test_the_image_has_no_build_tools() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8")
    prefix = text.split(" AS prefix\n")[1].split("\nFROM ")[0]

    assert "pip uninstall --quiet --yes setuptools pip" in prefix
    assert "COPY --from=prefix /opt/towpath /opt/towpath" in text


@pytest.mark.slow
def test_the_entry_point_makes_an_api_key_at_the_first_start_only(tmp_path: Path) -> None:
    environment = {**os.environ, "TOWPATH_DATA": str(tmp_path / "data"), "TOWPATH_HOST": "0.0.0.0"}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    printed: list[str] = []
    for _ in range(2):
        log = tmp_path / "server.log"
        port = free_port()
        environment["TOWPATH_PORT"] = str(port)
        with log.open("w") as output:
            server = subprocess.Popen(
                ["sh", str(ROOT / "deploy" / "entrypoint.sh"), "serve"],
                stdout=output,
                stderr=output,
                env=environment,
            )
        try:
            wait_until(partial(_answers, f"http://127.0.0.1:{port}/health"), "the server to answer")
        finally:
            server.terminate()
            server.wait()
        printed.append(log.read_text("utf-8"))

    assert "An API key for this new library" in printed[0]
    assert "An API key" not in printed[1]


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5).status_code == 200
    except httpx.TransportError:
        return False
