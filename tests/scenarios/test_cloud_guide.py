"""The commands of the cloud guide work, and missing settings are reported at start."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.scenarios.production_cluster import letter
from tests.support.emulators.process import EmulatorProcess, reset, state
from tests.support.emulators.sample_sources import invoice_pdf
from tests.support.timeouts import COMMAND_SECONDS
from towpath import bootstrap
from towpath.config import Settings, display_value, load
from towpath.errors import ConfigError

ROOT = Path(__file__).parents[2]


def _commands() -> str:
    page = (ROOT / "docs" / "guides" / "cloud.md").read_text("utf-8")
    return "\n".join(re.findall(r"```console\n(.*?)```", page, re.DOTALL))


def test_the_commands_of_the_guide_work(emulators: EmulatorProcess, tmp_path: Path) -> None:
    for url in (emulators.document_intelligence, emulators.openai):
        reset(url, polls=1)
    exports = [f"export {name}={value}" for name, value in emulators.settings.items()]
    (tmp_path / "emulators.env").write_text("\n".join(exports))
    (tmp_path / "invoice.pdf").write_bytes(invoice_pdf())
    (tmp_path / "letter.pdf").write_bytes(letter(1))
    towpath = f'towpath() {{ {shlex.quote(sys.executable)} -m towpath "$@"; }}\n'
    done = subprocess.run(
        ["bash", "-ec", towpath + _commands()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        env={**os.environ, "TOWPATH_RUN_DEADLINE_SECONDS": "none"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "emulator-key" not in done.stdout
    assert "Payment is due" in done.stdout
    verbs = [request["verb"] for request in state(emulators.document_intelligence)["requests"]]
    assert verbs.count("analyze") == 3, "one was rate-limited and repeated"
    assert state(emulators.document_intelligence)["billed"]["operations"] == 2


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        ({"reader": "azure"}, "TOWPATH_DOCUMENT_INTELLIGENCE_ENDPOINT"),
        (
            {"reader": "azure", "document_intelligence_endpoint": "http://x"},
            "TOWPATH_DOCUMENT_INTELLIGENCE_KEY",
        ),
        ({"embedder": "openai"}, "TOWPATH_OPENAI_API_KEY"),
        ({"embedder": "openai", "openai_api_key": "k", "openai_embedding_model": "own"}, "dimensions"),
    ],
)
async def test_a_missing_setting_is_reported_at_start(
    settings: dict[str, str], missing: str, tmp_path: Path
) -> None:
    chosen = replace(Settings(data=tmp_path), **settings)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ConfigError, match=missing):
        async with bootstrap.open_runtime(chosen, with_worker=False):
            pass


def test_secrets_are_never_shown() -> None:
    environment = {
        "TOWPATH_OPENAI_API_KEY": "sk-secret",
        "TOWPATH_DATABASE": "postgresql://towpath:hidden@db/towpath",
    }
    settings = load({}, environment).settings
    assert settings.openai_api_key == "sk-secret"
    assert display_value(settings, "openai_api_key") == "(set, not shown)"
    assert display_value(settings, "database") == "postgresql://towpath:***@db/towpath"
    assert "sk-secret" not in repr(settings)
