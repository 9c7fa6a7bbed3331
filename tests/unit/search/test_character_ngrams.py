"""Texts are compared with a query by the sequences of letters that they share."""

from __future__ import annotations

import pytest

from towpath.search import fusion
from towpath.search.character_ngrams import WINDOW_STEP, ngram_scores


def scores(query: str, *texts: str) -> list[float]:
    return ngram_scores(query.split(), texts).tolist()


@pytest.mark.parametrize(
    ("query", "alike", "other"),
    [
        ("Schleusenwärter", "Der Wärter der Schleuse schläft.", "Das Boot wartet auf die Ebbe."),
        ("învățământului", "Legea privind învățământul superior", "Podul de peste râu este închis"),
        ("विद्यालयों", "यह विद्यालय बहुत पुराना है", "नदी का पानी ठंडा है"),
        ("μαθήματα", "το μάθημα αρχίζει", "η γέφυρα κλείνει"),
        ("والمدرسة", "مدرسة كبيرة", "النهر بارد"),
        ("พิพิธภัณฑ์", "เข้าชมพิพิธภัณฑสถาน", "แม่น้ำเย็นมาก"),
        ("図書館員", "図書館は休みです", "川の水は冷たい"),
    ],
)
def test_another_form_of_a_word_scores_above_other_words(query: str, alike: str, other: str):
    first, second = scores(query, alike, other)
    assert first > second


def test_case_and_accents_do_not_matter():
    first, second = scores("ÉCLUSIER", "L'éclusier dort.", "L'eclusier dort.")
    assert first == pytest.approx(second)
    assert first > 0


def test_a_short_word_is_compared_with_the_beginnings_of_words():
    whole, part, beginning = scores("ox", "an ox waits", "the box waits", "the oxen wait")
    assert whole > 0
    assert part == 0
    assert beginning > 0
    assert scores("5", "part 5 of it", "part 55 of it")[1] == 0


def test_texts_end_where_the_next_one_begins():
    assert scores("water", "the w", "at a", "te", "er") == [0.0] * 4


def test_nothing_is_compared_with_nothing():
    assert scores("", "a text") == [0.0]
    assert scores("- _ !", "a text", "") == [0.0, 0.0]
    assert scores("word") == []
    assert scores("x" * 5_000, "x" * 50_000) != [0.0]
    assert scores("\ud800 𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "\udfff 𝔘𝔫𝔦𝔠𝔬𝔡𝔢")[0] > 0


def test_letters_have_their_share_of_the_score_of_the_words():
    plain = fusion.fuse({1: 2.0, 2: 1.9, 3: 0.0}, {}, weight=0.0, coverage=1.0)
    assert [chunk.chunk_rowid for chunk in plain] == [1, 2, 3]
    letters = {2: 5.0, 3: 1.0}
    mixed = fusion.fuse(
        {1: 2.0, 2: 1.9, 3: 0.0}, {}, weight=0.0, coverage=1.0, ngrams=letters, ngram_share=0.3
    )
    assert [chunk.chunk_rowid for chunk in mixed] == [2, 1, 3]
    assert [chunk.ngram_score for chunk in mixed] == [1.0, 0.0, pytest.approx(0.2)]
    assert mixed[0].word_score_normalised == pytest.approx(0.95)


def test_letters_that_stand_together_score_above_scattered_ones():
    filler = "there is nothing of interest here and nobody waits for it at all " * 4
    together = f"{filler} {filler} the keeper opens the eastern gate at night {filler}"
    scattered = f"the keeper {filler} opens the eastern {filler} gate at night {filler}"
    query = "keeper opens eastern gate".split()
    whole = ngram_scores(query, [together, scattered])
    windows = ngram_scores(query, [together, scattered], 1.0)
    assert whole[0] == pytest.approx(whole[1], rel=0.05)
    assert windows[0] > 1.3 * windows[1]


def test_a_window_ends_with_its_text():
    half = "x" * (WINDOW_STEP - 10)
    apart = ngram_scores(
        ["water", "bridge"], [f"{half} water", f"bridge {half}", f"{half} water bridge"], 1.0
    )
    assert apart[2] > 1.5 * max(apart[0], apart[1])
    assert ngram_scores([], ["a text"], 1.0).tolist() == [0.0]
    assert ngram_scores(["word"], [], 1.0).tolist() == []
    assert ngram_scores(["word"], ["", "a word"], 1.0)[0] == 0


def test_both_scores_are_scaled_before_they_are_added():
    texts = ["the keeper opens", "the keeper sleeps and the gate is closed for the night " * 5, "nothing"]
    whole, windows, both = (ngram_scores(["keeper", "gate"], texts, share) for share in (0.0, 1.0, 0.4))
    expected = 0.6 * whole / whole.max() + 0.4 * windows / windows.max()
    assert both.tolist() == pytest.approx(expected.tolist())
    assert ngram_scores(["xyz"], texts, 0.4).tolist() == [0.0] * 3
