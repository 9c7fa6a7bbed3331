"""A text is cut into parts at the ends of paragraphs; nothing is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from towpath.fields.text_parts import cut_parts, halves


def test_parts_end_at_paragraphs() -> None:
    text = "\n\n".join(f"Paragraph {number} of the text." for number in range(20))
    parts = [text[start:end] for start, end in cut_parts(text, 100)]
    assert len(parts) > 1
    assert all(part.startswith("Paragraph") for part in parts)
    assert "".join(parts) == text


@pytest.mark.parametrize(("separator", "start"), [("\n", "| row"), (" ", "row")])
def test_without_paragraphs_parts_end_at_lines_or_words(separator: str, start: str) -> None:
    text = separator.join(f"{start} {number}" for number in range(100))
    parts = [text[begin:end] for begin, end in cut_parts(text, 120)]
    assert "".join(parts) == text
    if separator == "\n":
        assert all(part.startswith("| row") for part in parts)


@given(st.text(alphabet="ab \n", max_size=400), st.integers(1, 50))
def test_parts_are_short_and_together_the_whole_text(text: str, size: int) -> None:
    parts = cut_parts(text, size)
    assert all(end - start <= size for start, end in parts)
    assert all(text[start:end].strip() for start, end in parts)
    assert sum(len(text[start:end].replace(" ", "").replace("\n", "")) for start, end in parts) == len(
        text.replace(" ", "").replace("\n", "")
    )


def test_a_part_is_cut_near_its_middle() -> None:
    text = "\n\n".join(f"Paragraph {number} of the text." for number in range(20))
    parts = halves(text, (0, len(text)))
    assert len(parts) == 2
    assert "".join(text[start:end] for start, end in parts) == text
