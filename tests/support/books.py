"""Reads the sample books in bench/data: chapters with known pairs of passages, and unrelated passages.

A file is a header, then sections that begin with a line `=== NAME`. Blank lines separate the passages of a section.

- `=== chapter` has three passages: the first half of the chapter, its second half, and a retelling of the first half.
- `=== quotation of chapter N` has one passage: a remark that precedes a sentence quoted from chapter N (from 0).
- `=== unrelated` has passages that are about no chapter and are unrelated to each other.

Two passages belong together if and only if they come from the same chapter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "bench" / "data"


@dataclass(frozen=True, slots=True)
class Chapter:
    first: str
    second: str
    retold: str


@dataclass(frozen=True, slots=True)
class Quotation:
    remark: str
    chapter: int


@dataclass(frozen=True, slots=True)
class Book:
    chapters: Sequence[Chapter]
    quotations: Sequence[Quotation]
    unrelated: Sequence[str]


def read_book(name: str) -> Book:
    chapters: list[Chapter] = []
    quotations: list[Quotation] = []
    unrelated: list[str] = []
    _, *sections = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("\n=== ")
    for section in sections:
        heading, *paragraphs = section.strip().split("\n\n")
        passages = [" ".join(paragraph.split("\n")) for paragraph in paragraphs]
        match heading.split():
            case ["chapter"]:
                chapters.append(Chapter(*passages))
            case ["quotation", "of", "chapter", number]:
                quotations.append(Quotation(*passages, chapter=int(number)))
            case ["unrelated"]:
                unrelated.extend(passages)
            case _:
                raise ValueError(f"{name}.txt: unknown section {heading!r}")
    return Book(chapters, quotations, unrelated)


#: Books with passages of two or three sentences, and books with passages as long as real chunks.
SHORT_PASSAGES: Mapping[str, Book] = {name: read_book(name) for name in ("village_book", "walden", "fables")}
LONG_PASSAGES: Mapping[str, Book] = {name: read_book(name) for name in ("beagle", "mississippi")}
BOOKS: Mapping[str, Book] = {**SHORT_PASSAGES, **LONG_PASSAGES}
#: The chapters of the village book, used by tests that need passages that are about the same subject.
CHAPTERS = BOOKS["village_book"].chapters
