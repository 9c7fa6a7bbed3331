"""Tables of pipelines, rules and stages in the settings file."""

from __future__ import annotations

from pathlib import Path

import pytest

from towpath.config import display_value, load
from towpath.config.pipelines import PipelineRule, PipelineSettings
from towpath.errors import ConfigError

FILE = """
port = 8001

[pipelines.invoices]
stages = ["extract", "tags", "chunk", "embed", "publish"]
follow_ups = ["connect"]

[[pipeline_rules]]
pipeline = "invoices"
media_type = "application/pdf"
metadata = { department = "fin*" }

[stages.tags]
key = "a secret"
"""


def _load(folder: Path, text: str) -> object:
    file = folder / "towpath.toml"
    file.write_text(text, "utf-8")
    return load({}, environment={}, file=file).settings


def test_the_tables_of_the_settings_file_are_read(tmp_path: Path) -> None:
    (tmp_path / "towpath.toml").write_text(FILE, "utf-8")
    settings = load({}, environment={}, file=tmp_path / "towpath.toml").settings

    stages = ("extract", "tags", "chunk", "embed", "publish")
    assert settings.pipelines == (PipelineSettings("invoices", stages, ("connect",)),)
    assert settings.pipeline_rules == (
        PipelineRule("invoices", "application/pdf", None, {"department": "fin*"}),
    )
    assert settings.stages[0].values == {"key": "a secret"}
    assert display_value(settings, "stages") == "(set, not shown)"
    assert "a secret" not in repr(settings)


def test_they_can_be_json_in_the_environment() -> None:
    environment = {"TOWPATH_PIPELINES": '{"short": {"stages": ["extract"]}}'}

    assert load({}, environment=environment).settings.pipelines == (PipelineSettings("short", ("extract",)),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[pipelines.a]\nfollow_ups = []", "`stages` needs at least one stage"),
        ('[pipelines.a]\nstages = "extract"', "`stages` must be a list of names"),
        ('[pipelines.a]\nstages = ["extract"]\nsteps = 1', "`steps` is not known"),
        ('[pipelines."A b"]\nstages = ["extract"]', "must be lower-case letters"),
        ("pipelines = 3", "use one table for each name"),
        ('[[pipeline_rules]]\nmedia_type = "a"', "a rule needs `pipeline`"),
        ('[pipeline_rules]\npipeline = "a"', r"use tables \[\[pipeline_rules\]\]"),
    ],
)
def test_a_mistake_is_reported_with_its_setting(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        _load(tmp_path, text)


@pytest.mark.parametrize(
    ("rule", "matches"),
    [
        (PipelineRule("a"), True),
        (PipelineRule("a", "application/*"), True),
        (PipelineRule("a", "text/*"), False),
        (PipelineRule("a", None, "*.PDF"), True),
        (PipelineRule("a", None, None, {"kind": "invoice"}), True),
        (PipelineRule("a", None, None, {"kind": "letter"}), False),
        (PipelineRule("a", None, None, {"year": "2026"}), True),
        (PipelineRule("a", "application/pdf", None, {"missing": "*"}), False),
    ],
)
def test_a_rule_holds_if_all_its_conditions_hold(rule: PipelineRule, matches: bool) -> None:
    assert rule.matches("application/pdf", "Bill.pdf", {"kind": "invoice", "year": 2026}) is matches
