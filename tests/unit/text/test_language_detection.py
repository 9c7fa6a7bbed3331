"""The language of a text is detected, and "not sure" is an answer."""

from __future__ import annotations

import pytest

from towpath.text.language_detection import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The keeper opens the gates of the lock at night.", "en"),
        ("Der Wärter öffnet die Tore der Schleuse in der Nacht.", "de"),
        ("Смотритель ночью открывает ворота шлюза.", "ru"),
        ("El guardián abre las puertas de la esclusa por la noche.", "es"),
        ("Bekçi geceleri kanal kapılarını açar.", "tr"),
        ("船夫在夜里打开水闸。", "zh"),
        ("船頭は夜に水門を開けます。", "ja"),
        ("ผู้ดูแลเปิดประตูน้ำในเวลากลางคืน", "th"),
        ("Ο φύλακας ανοίγει τις πύλες τη νύχτα.", "el"),
    ],
)
def test_a_sentence_is_enough(text: str, language: str):
    guess = detect_language(text)
    assert guess is not None
    assert guess.code == language


@pytest.mark.parametrize("text", ["", "12 34", "DE89 3704 0044", "IBAN", "invoice", "()"])
def test_of_too_little_text_it_is_not_sure(text: str):
    assert detect_language(text) is None


def test_a_short_passage_has_the_language_of_its_document():
    short = detect_language("Total: 12 EUR", prior="de")
    assert short is not None
    assert short.code == "de"
    other = detect_language("The keeper opens the gates of the lock at night, and closes them.", prior="de")
    assert other is not None
    assert other.code == "en"
