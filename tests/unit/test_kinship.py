"""Words near in meaning speak for a connection, though no word is shared."""

from __future__ import annotations

import numpy as np
import pytest

from towpath.stages import kinship
from towpath.stages.weighing import SharedWords

RAILWAY = "The locomotive pulled its carriages out of the station while the passengers waved."
TRAIN = "A train left the railroad depot, and travellers leaned from every window."
PENSION = "Your pension statement shows the contributions which the employer has paid."
NOTHING = "... 12 --"


def _akin(first: list[str], second: list[str]) -> np.ndarray:
    rows, columns = np.divmod(np.arange(len(first) * len(second)), len(second))
    return SharedWords(first, second).akin(rows, columns).reshape(len(first), len(second))


def test_given_words_near_in_meaning_then_the_passages_are_nearer_than_strangers() -> None:
    train, pension = _akin([RAILWAY], [TRAIN, PENSION])[0]
    assert train > 2 > pension


def test_given_the_same_words_then_nothing_is_nearer() -> None:
    itself, train = _akin([RAILWAY], [RAILWAY, TRAIN])[0]
    assert itself > 5 * train


def test_seen_from_either_side_it_is_the_same() -> None:
    texts = [RAILWAY, TRAIN, PENSION]
    assert _akin(texts, texts[::-1]) == pytest.approx(_akin(texts[::-1], texts).T)


def test_given_a_passage_without_words_then_it_is_near_to_nothing() -> None:
    akin = _akin([RAILWAY, NOTHING], [NOTHING, TRAIN])
    assert max(akin[0, 0], akin[1, 0], akin[1, 1]) < 0 < akin[0, 1]


def test_given_nothing_but_a_word_that_all_passages_have_then_it_is_near_to_nothing() -> None:
    assert _akin(["Towpath."] * 4, ["Towpath!"] * 4).max() < 0


def test_given_two_numbers_then_they_are_not_near_because_both_are_made_of_digits() -> None:
    assert _akin(["Part II, 1806."], ["Released in November, 1996."])[0, 0] < 0


def test_given_more_passages_than_are_compared_at_once_then_none_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = [RAILWAY, TRAIN, NOTHING, PENSION, f"{TRAIN} {PENSION}"]
    whole = _akin([RAILWAY, TRAIN], texts)
    monkeypatch.setattr(kinship, "AT_ONCE", 2)
    assert _akin([RAILWAY, TRAIN], texts) == pytest.approx(whole)


def test_given_the_only_word_of_a_heading_then_it_does_not_speak_for_a_whole_page() -> None:
    page = " ".join(
        [PENSION, TRAIN, "The carpenter measured the oak beam twice before he reached for the saw."]
    )
    heading, sentence = _akin(["Pension", PENSION], [page])[:, 0]
    assert sentence > 3 * heading
