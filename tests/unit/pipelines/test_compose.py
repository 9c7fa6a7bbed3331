"""Pipelines of the settings: their order and types are checked, and their plans say what can be reused."""

from __future__ import annotations

import pytest

from towpath.config.pipelines import PipelineRule, PipelineSettings
from towpath.errors import ConfigError
from towpath.model.run_stages import read_run_stages
from towpath.model.stage_declaration import SHIPPED_STAGES, StageDeclaration
from towpath.pipelines import call_pipeline, document_pipeline
from towpath.pipelines.compose import (
    ComposedPipeline,
    available_stages,
    check_rules,
    compose,
    compose_all,
    fingerprints,
)
from towpath.pipelines.shipped_stages import MAINTENANCE, SHIPPED

TRANSLATE = StageDeclaration("translate", ("text",), ("text", "extraction"), package="acme")
TAGS = StageDeclaration("tags", ("text",), ("fields",), package="acme")


def _compose(*stages: str, follow_ups: tuple[str, ...] = ()) -> ComposedPipeline:
    return compose(PipelineSettings("mine", stages, follow_ups), available_stages([TRANSLATE, TAGS]))


def test_the_shipped_pipelines_are_those_that_are_built() -> None:
    pipelines = compose_all((), ())

    assert pipelines["document"].stage_names == document_pipeline.STAGES
    assert pipelines["call"].stage_names == call_pipeline.STAGES
    assert {stage.name for stage in SHIPPED} | set(MAINTENANCE) == SHIPPED_STAGES


def test_the_data_before_a_stage_decides_which_variant_is_used() -> None:
    pipelines = compose_all((), ())

    assert [stage.key for stage in pipelines["document"].stages if stage.name == "chunk"] == ["chunk"]
    assert [stage.key for stage in pipelines["call"].stages if stage.name == "chunk"] == ["call/chunk"]
    assert pipelines["call"].run_stages().key("chunk") == "call/chunk"


def test_own_stages_stand_anywhere_behind_their_inputs() -> None:
    composed = _compose("extract", "tags", "translate", "save_markdown", "chunk", "embed", "publish")

    assert [stage.package for stage in composed.stages if stage.package] == ["acme", "acme"]


@pytest.mark.parametrize(
    ("stages", "sentence"),
    [
        (("extract", "embed", "chunk"), "`embed` needs `chunks`.*Move `embed` behind `chunk`"),
        (
            ("chunk", "embed"),
            "`chunk` needs `text`, which no stage before it makes. Add `extract` or "
            "`transcribe_poll` before it",
        ),
        (("extract", "publsh"), "names a stage `publsh`, which does not exist"),
        (("extract", "extract"), "names the stage `extract` twice"),
        (("extract", "chunk", "embed", "publish", "tags"), "Move `tags` before `publish`"),
    ],
)
def test_a_wrong_order_says_what_to_change(stages: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        _compose(*stages)


def test_a_follow_up_needs_the_results_of_the_stages() -> None:
    with pytest.raises(ConfigError, match="`connect` needs `published`"):
        _compose("extract", follow_ups=("connect",))


def test_a_stage_of_a_package_cannot_have_the_name_of_a_shipped_one() -> None:
    with pytest.raises(ConfigError, match="The package acme offers a stage `embed`"):
        available_stages([StageDeclaration("embed", package="acme")])


def test_a_rule_for_an_unknown_pipeline_is_refused() -> None:
    with pytest.raises(ConfigError, match="the pipeline `mien`, which does not exist"):
        check_rules([PipelineRule("mien", "text/*")], ["document", "mine"])


class TestFingerprints:
    """They decide which results are reused."""

    def test_a_new_version_changes_the_stage_and_those_that_use_its_output(self) -> None:
        before = fingerprints(_compose("extract", "tags", "translate", "chunk", "embed").stages)
        newer = StageDeclaration("translate", ("text",), ("text", "extraction"), version=2, package="acme")
        composed = compose(
            PipelineSettings("mine", ("extract", "tags", "translate", "chunk", "embed")),
            available_stages([newer, TAGS]),
        )
        after = fingerprints(composed.stages)

        assert {name for name in before if before[name] != after[name]} == {"translate", "chunk", "embed"}

    def test_a_stage_that_is_independent_of_an_inserted_one_keeps_its_fingerprint(self) -> None:
        before = fingerprints(_compose("extract", "chunk", "embed").stages)
        after = fingerprints(_compose("extract", "tags", "chunk", "embed").stages)

        assert before == {name: value for name, value in after.items() if name != "tags"}

    def test_they_are_stored_with_a_run(self) -> None:
        stored = _compose("extract", "tags", "chunk").run_stages()

        assert read_run_stages({"stages": stored.to_json()}) == stored
        assert read_run_stages({}) is None


def test_a_worker_skips_stages_that_are_reused() -> None:
    stages = _compose("extract", "tags", "chunk", "embed").run_stages()

    assert stages.after("extract", ["tags"]) == "chunk"
    assert stages.after("embed") is None
    assert stages.after("connect") is None
