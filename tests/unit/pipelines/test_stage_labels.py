"""Every stage of the built-in pipelines has exactly one label."""

from __future__ import annotations

from towpath.pipelines import call_pipeline, document_pipeline
from towpath.pipelines.stage_labels import STAGE_LABELS, stage_label


def test_every_stage_has_a_label() -> None:
    assert {*document_pipeline.STAGES, *call_pipeline.STAGES, "connect", "reembed", "extract_fields"} == set(
        STAGE_LABELS
    )


def test_no_two_stages_share_a_label() -> None:
    assert len(set(STAGE_LABELS.values())) == len(STAGE_LABELS)


def test_the_code_of_an_unknown_stage_becomes_words() -> None:
    assert stage_label("acme_summary") == "Acme summary"
    assert stage_label("") == ""
