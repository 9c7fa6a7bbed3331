"""The order of recognized text: rows on forms, columns on pages of prose; and words that were glued."""

from __future__ import annotations

import numpy as np
import pytest

from towpath.readers.ocr.deskew import level_image, skew_angle
from towpath.readers.ocr.glued_words import CharacterPlace, split_words
from towpath.readers.ocr.line_layout import LINE_BREAK, layout_blocks
from towpath.readers.ocr.ocr_result import OcrWord, Recognition, Rectangle, Segment
from towpath.readers.ocr.rapidocr_pages import to_page
from towpath.readers.ocr.tesseract_languages import language_of, one_per_script


def segment(text: str, x: float, y: float, width: float, height: float = 20) -> Segment:
    box = Rectangle(x, y, x + width, y + height)
    return Segment(tuple(OcrWord(word, box, 0.9) for word in text.split()), box)


def test_a_form_is_read_row_by_row():
    segments = [
        segment("Name", 50, 100, 60),
        segment("Date", 50, 130, 60),
        segment("Total", 50, 160, 60),
        segment("Ann", 600, 104, 60),
        segment("12 May", 600, 133, 80),
        segment("9.50", 600, 163, 60),
    ]

    (block,) = layout_blocks(segments, 800, 1000)

    assert block.text == LINE_BREAK.join(["Name Ann", "Date 12 May", "Total 9.50"])


def test_two_columns_of_prose_are_read_one_after_the_other():
    left = [segment(f"left column line {n} of prose", 50, 100 + 30 * n, 320) for n in range(8)]
    right = [segment(f"right column line {n} of prose", 430, 100 + 30 * n, 320) for n in range(8)]
    mixed = [piece for pair in zip(left, right, strict=True) for piece in pair]

    text = " ".join(block.text for block in layout_blocks(mixed, 800, 1000))

    assert text.index("left column line 7") < text.index("right column line 0")


def test_a_larger_line_is_a_heading():
    segments = [segment("Lock keepers", 50, 50, 300, 40)]
    segments += [segment(f"a line of ordinary prose number {n}", 50, 120 + 30 * n, 600) for n in range(5)]

    assert [block.kind for block in layout_blocks(segments, 800, 1000)] == ["heading", "paragraph"]


def test_a_lost_blank_is_found_in_the_image():
    """Three characters, a wide gap, three characters; the recognizer wrote them as one word."""
    image = np.full((40, 200), 255, dtype=np.uint8)
    centers = [20, 40, 60, 120, 140, 160]
    for center in centers:
        image[10:30, center - 7 : center + 7] = 0
    places = [CharacterPlace(c, x / 200, 0.9, False) for c, x in zip("abcdef", centers, strict=True)]

    assert [word.text for word in split_words(places, image)] == ["abc", "def"]


def test_evenly_spaced_characters_stay_one_word():
    image = np.full((40, 240), 255, dtype=np.uint8)
    centers = range(20, 220, 35)
    for center in centers:
        image[10:30, center - 5 : center + 5] = 0
    places = [CharacterPlace("x", x / 240, 0.9, False) for x in centers]

    assert len(list(split_words(places, image))) == 1


def test_skew_is_measured_and_corrected():
    image = np.full((600, 600), 255, dtype=np.uint8)
    for top in range(60, 560, 40):
        image[top : top + 12, 60:540] = 0
    skewed = level_image(image, -3.0)

    measured = skew_angle(skewed)

    assert abs(measured - 3.0) < 0.3
    assert abs(skew_angle(level_image(skewed, measured))) < 0.5
    assert skew_angle(image) == 0.0


def test_the_language_of_a_page_is_found_by_function_words():
    assert language_of("Das Boot ist in der Schleuse und der Wärter ist nicht mit dem Schlüssel da") == "deu"
    assert language_of("Лодка стоит в шлюзе и не идёт дальше по каналу, как все, что на нём") == "rus"
    assert language_of("4711 / 12") is None


def test_one_language_of_each_script_is_tried():
    assert one_per_script(("eng", "deu", "rus", "ukr", "ara")) == [("eng",), ("rus", "ukr"), ("ara",)]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_words_and_blocks_of_a_turned_page_are_at_the_same_place(rotation: int) -> None:
    area = Rectangle(60, 84, 180, 126)
    line = Segment(
        (
            OcrWord("Lock", Rectangle(60, 84, 110, 126), 0.9),
            OcrWord("fee", Rectangle(120, 84, 180, 126), 0.9),
        ),
        area,
    )

    page = to_page(Recognition((line,), 600, 840, rotation), 1)

    box = page.blocks[0].box
    assert box is not None
    for word in page.words:
        assert box.x0 - 0.001 <= word.box.x0 <= word.box.x1 <= box.x1 + 0.001
        assert box.y0 - 0.001 <= word.box.y0 <= word.box.y1 <= box.y1 + 0.001
