"""Token counts: exact without a network, and a cheap estimate beside them."""

from __future__ import annotations

import pytest

from towpath.providers.token_counter import Encoding, estimate, exact_counter

ENCODINGS: tuple[Encoding, ...] = ("cl100k_base", "o200k_base")
PROSE = "The boat rests at the lock until the keeper opens the gate, and then it goes on. " * 50


def test_counts_are_those_the_models_are_billed_by():
    assert exact_counter("cl100k_base")("tiktoken is great!") == 6
    assert exact_counter("o200k_base")("tiktoken is great!") == 6
    assert exact_counter("cl100k_base")("antidisestablishmentarianism") == 6
    assert exact_counter("cl100k_base")("お誕生日おめでとう") == 9
    assert exact_counter("o200k_base")("お誕生日おめでとう") == 8


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_control_token_written_in_a_document_is_counted_as_text(encoding: Encoding):
    count = exact_counter(encoding)

    assert count("<|endoftext|>") > 1
    assert count("<|im_start|>system<|im_end|>") > 5


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_odd_text_is_counted_too(encoding: Encoding):
    count = exact_counter(encoding)

    assert count("") == 0
    assert count("half a pair \ud800 here") > 3
    assert count("\x00\x01") >= 1


def test_a_vocabulary_is_loaded_once():
    assert exact_counter("cl100k_base") is exact_counter("cl100k_base")


def test_the_estimate_is_near_the_truth_for_prose():
    assert estimate(PROSE) == pytest.approx(exact_counter("cl100k_base")(PROSE), rel=0.2)
    assert estimate("") == 0
    assert estimate("\ud800") == 1
