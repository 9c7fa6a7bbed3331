"""Connections are right often enough, and found often enough, on documents with known pairs."""

from __future__ import annotations

from bench.quality.scenario import measure
from towpath.providers.local.wordllama import embed_statically


def test_given_documents_with_known_pairs_then_most_are_found_and_few_others() -> None:
    quality = measure(embed_statically)
    assert quality.precision >= 0.9
    assert quality.recall >= 0.8
