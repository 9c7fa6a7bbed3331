"""`python -m bench quality`: how many of the known pairs are connected, and how many of the connections are known."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from bench.quality import beagle, fables, mississippi, texts, walden
from bench.quality.strangers import Embed, learn
from bench.quality.texts import Chapter
from towpath.catalogue.connections import COPIES_SHOWN, TOPICS_SHOWN
from towpath.model.writes import Connection, Version
from towpath.providers.local.embedder import embed_texts
from towpath.providers.local.wordllama import embed_statically
from towpath.stages.capabilities import Passages
from towpath.stages.matching import Comparison

SUMMARY = "precision and recall of connections, on documents with known pairs"


class Place(NamedTuple):
    """Where a passage belongs: to a chapter, as what the others are a half, a retelling or a quotation of, or not."""

    chapter: int
    first: bool = False


#: A document's passages, and where each belongs.
Document = Mapping[str, Place | None]
Library = Sequence[Document]


@dataclass(frozen=True, slots=True)
class Shelf:
    """Chapters, those of them that somebody quotes after a remark of their own, and texts that belong to nobody."""

    chapters: Sequence[Chapter]
    quoted: Sequence[int]
    remarks: Sequence[str]
    strangers: Sequence[str]


def _shelf(book: ModuleType) -> Shelf:
    return Shelf(book.CHAPTERS, book.QUOTED, book.REMARKS, book.STRANGERS)


#: Short passages, two or three sentences; and passages as long as real chunks.
SHORT = {"village book": _shelf(texts), "Walden": _shelf(walden), "fables": _shelf(fables)}
LONG = {"Beagle": _shelf(beagle), "Mississippi": _shelf(mississippi)}
SHELVES = SHORT | LONG


@dataclass(frozen=True, slots=True)
class Quality:
    """Connections within a chapter are right; those of its first half with the rest are the known ones."""

    known: int
    known_found: int
    right: int
    found: int

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.known_found / self.known


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--minilm", type=Path, help="also with MiniLM, kept in this folder")


def run(arguments: argparse.Namespace) -> int:
    models: dict[str, Embed] = {"wordllama-256": embed_statically}
    if arguments.minilm is not None:
        folder: Path = arguments.minilm
        models["minilm-l6-int8"] = lambda texts: embed_texts(folder, texts)
    libraries = {"in volumes": in_volumes, "each in a file": each_in_a_file}
    for (name, embed), (shelf, texts_of), (filed, documents) in product(
        models.items(), SHELVES.items(), libraries.items()
    ):
        one = measure(embed, documents(texts_of))
        print(
            f"{name}, {shelf}, {filed}: precision {one.precision:.3f}, recall {one.recall:.3f} "
            f"({one.known_found} of {one.known} known pairs; {one.right} of {one.found} connections)"
        )
    for name, embed in models.items():
        print(f"{name}, strangers: {learn(embed)}")
    return 0


def measure(embed: Embed, library: Library) -> Quality:
    """Every two documents compared as `connect` compares them, and of that what is shown."""
    background = learn(embed)
    read = [_passages(f"{place:03d}", list(passages), embed) for place, passages in enumerate(library)]
    place = {
        chunk: document[text]
        for passages, document in zip(read, library, strict=True)
        for chunk, text in zip(passages.ids, passages.texts, strict=True)
    }
    compared = (Comparison(one, other, background).pairs() for one, other in combinations(read, 2))
    found = _shown([pair for pairs in compared for pair in pairs])
    connected = [(place[pair.a_chunk_id], place[pair.b_chunk_id]) for pair in found]
    known = sum(
        _is_known(one, other)
        for here, there in combinations(library, 2)
        for one, other in product(here.values(), there.values())
    )
    known_found = sum(_is_known(*both) for both in connected)
    return Quality(known, known_found, sum(_is_right(*both) for both in connected), len(found))


def _is_right(one: Place | None, other: Place | None) -> bool:
    return one is not None and other is not None and one.chapter == other.chapter


def _is_known(one: Place | None, other: Place | None) -> bool:
    return _is_right(one, other) and any(place is not None and place.first for place in (one, other))


def in_volumes(shelf: Shelf) -> Library:
    """The first halves in one file, the second in another, the retelling, the commonplace book, and strangers."""
    quotes = {
        f"{remark} {shelf.chapters[chapter].first.split('. ')[1]}.": Place(chapter)
        for remark, chapter in zip(shelf.remarks, shelf.quoted, strict=True)
    }
    strangers = [
        dict.fromkeys(shelf.strangers[start : start + 4]) for start in range(0, len(shelf.strangers), 4)
    ]
    return [
        {chapter.first: Place(number, first=True) for number, chapter in enumerate(shelf.chapters)},
        {chapter.second: Place(number) for number, chapter in enumerate(shelf.chapters)},
        {chapter.retold: Place(number) for number, chapter in enumerate(shelf.chapters)},
        quotes,
        *strangers,
    ]


def each_in_a_file(shelf: Shelf) -> Library:
    """The same passages, none of which has company in its file."""
    return [{text: place} for volume in in_volumes(shelf) for text, place in volume.items()]


def _shown(pairs: Sequence[Connection]) -> list[Connection]:
    """Those among the best of both their passages, as the catalogue shows them."""
    ranked = sorted(pairs, key=lambda pair: (-pair.score, pair.a_chunk_id, pair.b_chunk_id))
    better: Counter[str] = Counter()
    shown: list[Connection] = []
    for pair in ranked:
        most = COPIES_SHOWN if pair.kind == "same_passage" else TOPICS_SHOWN
        if max(better[pair.a_chunk_id], better[pair.b_chunk_id]) < most:
            shown.append(pair)
        better.update((pair.a_chunk_id, pair.b_chunk_id))
    return shown


def _passages(name: str, texts: list[str], embed: Embed) -> Passages:
    ids = [f"{name}-{place:03d}" for place in range(len(texts))]
    return Passages(Version(name, None), "", ids, texts, embed(texts))
