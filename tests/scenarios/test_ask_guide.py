"""The commands of the guide for questions work: without a chat model, with the emulator, and over HTTP."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.support.emulators.process import EmulatorProcess, reset, state
from tests.support.guides import guide_blocks, run_shell
from tests.support.servers import Server

MANUAL = "# Packages\n\nThe lintian command checks a package for bugs and violations of the policy.\n"


def test_the_commands_of_the_guide_work(emulators: EmulatorProcess, tmp_path: Path) -> None:
    reset(emulators.openai)
    exports = [f"export {name}={value}" for name, value in emulators.settings.items()]
    (tmp_path / "emulators.env").write_text("\n".join(exports))
    (tmp_path / "manual.md").write_text(MANUAL)
    local, model, http = guide_blocks("ask")

    quoted = run_shell(tmp_path, local)
    assert "The lintian command checks a package for bugs and violations of the policy. [1]" in quoted
    assert "No chat model is configured" in quoted

    answered = run_shell(tmp_path, model)
    assert answered.count("violations of the policy. [1]") == 2
    assert "manual.md" in answered
    assert "Not found" in answered
    assert json.loads(answered[answered.index("{") : answered.rindex("}") + 1])["cached"] is True
    assert set(state(emulators.openai)["billed"]["by_content"].values()) == {1}, (
        "a question was paid for twice"
    )

    with Server(tmp_path / "towpath-data") as server:
        streamed = run_shell(tmp_path, http.replace("http://127.0.0.1:8000", server.url))
    events, whole = streamed.rsplit("\n", 1)
    assert re.findall(r"^event: (\w+)", events, re.MULTILINE) == ["passages", "sentence", "done"]
    assert json.loads(whole)["status"] == "answered"
