"""The least similarity of hits that only the vector knows."""

from __future__ import annotations

import pytest

from towpath.search.embedding_model_profile import ModelProfile, is_question

PROFILE = ModelProfile(0.3, 0.3, 0.24, frozenset({"en", "ru"}))


@pytest.mark.parametrize(
    "text",
    [
        "куда положить файлы настроек",
        "сколько мёда съедает улей",
        "wohin damit",
        "how is it made",
        "où sont les clés",
        "蜜蜂怎么过冬",
        "ミツバチはどこに住んでいますか",
        "ผึ้งอาศัยอยู่ที่ไหน",
        "벌은 어디에 사나요",
    ],
)
def test_a_question_has_function_words(text: str):
    assert is_question(text)


@pytest.mark.parametrize(
    "text",
    ["", "zqxwv", "brillig slithy toves gimble", "фывапролдж ячсмить", "4711", "龘靐齉爩鱻", "뷁쉛뚫랗"],
)
def test_invented_words_are_no_question(text: str):
    assert not is_question(text)


def test_the_fewer_words_the_library_has_of_a_question_the_less_similarity_it_needs():
    noises = [PROFILE.noise_for("куда положить файлы", "ru", coverage) for coverage in (0.0, 0.5, 1.0)]

    assert noises == pytest.approx([0.24, 0.27, 0.3])


def test_a_text_whose_language_is_not_sure_needs_the_usual_similarity():
    assert PROFILE.noise_for("πού είναι τα αρχεία των", None, 0.0) == 0.3


def test_no_similarity_is_enough_in_a_language_that_the_model_does_not_know():
    assert PROFILE.noise_for("πού είναι τα αρχεία των", "el", 0.0) > 1
    assert not PROFILE.may_know("el")
    assert PROFILE.may_know("ru")
    assert PROFILE.may_know(None)
    assert ModelProfile(0.3, 0.3).may_know("el")
