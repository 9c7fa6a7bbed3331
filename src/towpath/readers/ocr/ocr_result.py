"""The result of an OCR engine for a page image: pieces of text lines with words, boxes and confidences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangle in pixels, measured from the top left corner of the image."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def center_y(self) -> float:
        return (self.y0 + self.y1) / 2


@dataclass(frozen=True, slots=True)
class OcrWord:
    """One word; the confidence is 0 to 1."""

    text: str
    box: Rectangle
    confidence: float


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a text line that the engine found as one: a cell of a form, or a whole line of prose."""

    words: tuple[OcrWord, ...]
    box: Rectangle

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class Recognition:
    """The text of one page image after it was turned clockwise by ``rotation`` degrees to be upright."""

    segments: tuple[Segment, ...]
    width: int
    height: int
    rotation: int = 0

    @property
    def confidence(self) -> float:
        """The mean confidence per letter; 0 if there are none."""
        return mean_confidence([word for segment in self.segments for word in segment.words])


def mean_confidence(words: Sequence[OcrWord]) -> float:
    letters = sum(len(word.text) for word in words)
    return sum(word.confidence * len(word.text) for word in words) / letters if letters else 0.0


def enclosing(boxes: Sequence[Rectangle]) -> Rectangle:
    """The smallest rectangle around these."""
    return Rectangle(
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )
