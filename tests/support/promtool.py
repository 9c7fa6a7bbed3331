"""Evaluates PromQL expressions and alert rules with Prometheus' own ``promtool`` (`make promtool` installs it)."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.support.timeouts import COMMAND_SECONDS

CACHED = Path(__file__).parents[2] / ".cache" / "promtool"
_RESULT = re.compile(r'expr: ("(?:[^"\\]|\\.)*"), time: [^\n]*\n\s*exp: nil\n\s*got: ([^\n]*)')


@dataclass(frozen=True, slots=True)
class Sample:
    """One exported value. Before it was exported it was 0."""

    name: str
    labels: Mapping[str, str]
    value: float

    @property
    def series(self) -> str:
        labels = ",".join(f"{name}={yaml_string(value)}" for name, value in self.labels.items())
        return f"{self.name}{{{labels}}}"


def yaml_string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def find_promtool() -> str:
    program = str(CACHED) if CACHED.exists() else shutil.which("promtool")
    if program is None:
        raise RuntimeError("The tests of the dashboard need promtool: `make promtool` installs it.")
    return program


def check_rules(file: Path) -> str:
    """The complaints of ``promtool check rules``; empty if the file is valid."""
    checked = _run("check", "rules", str(file))
    return "" if checked.returncode == 0 else checked.stdout + checked.stderr


def evaluate(expressions: Sequence[str], samples: Sequence[Sample]) -> dict[str, str]:
    """The result of each expression as promtool prints it; expressions with an empty result are left out.

    ``promtool test rules`` prints the result of every expression that differs from the expected one, so the
    expected result is always empty. An invalid expression raises.
    """
    tests: list[dict[str, Any]] = [
        {"expr": expression, "eval_time": "1m", "exp_samples": []} for expression in expressions
    ]
    ran = _test({"input_series": _series(samples), "promql_expr_test": tests})
    output = ran.stdout + ran.stderr
    if "parse error" in output or "error" in output.lower().split("failed:", 1)[0]:
        raise ValueError(output)
    results = {str(yaml.safe_load(match[1])): match[2] for match in _RESULT.finditer(output)}
    if ran.returncode != 0 and not results:
        raise ValueError(output)
    return results


def firing(rules: Path, samples: Sequence[Sample], alert: str, *, after: str = "1h") -> bool:
    """Whether this alert of the file fires when the samples have had their values for so long."""
    test: dict[str, Any] = {
        "input_series": _series(samples, "x120"),
        "alert_rule_test": [{"eval_time": after, "alertname": alert, "exp_alerts": []}],
    }
    ran = _test(test, rules)
    output = ran.stdout + ran.stderr
    if ran.returncode != 0 and "got:" not in output:
        raise ValueError(output)
    return ran.returncode != 0


def _series(samples: Sequence[Sample], repeat: str = "x1") -> list[dict[str, str]]:
    return [
        {"series": sample.series, "values": f"0 {sample.value}+0{repeat}"}
        for sample in samples
        if sample.value == sample.value and abs(sample.value) != float("inf")
    ]


def _test(test: dict[str, Any], *rules: Path) -> subprocess.CompletedProcess[str]:
    document = {
        "rule_files": [str(file) for file in rules],
        "evaluation_interval": "1m",
        "tests": [{"interval": "1m", **test}],
    }
    with tempfile.NamedTemporaryFile("w", suffix=".yml", encoding="utf-8") as file:
        yaml.safe_dump(document, file, allow_unicode=True, width=10_000)
        file.flush()
        return _run("test", "rules", file.name)


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [find_promtool(), *arguments], capture_output=True, text=True, timeout=COMMAND_SECONDS, check=False
    )
