"""`python -m bench quality`: how many of the known pairs are connected, and how many of the connections are known."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path

from bench.quality import fables, texts, walden
from bench.quality.strangers import PASSAGES, learn
from bench.quality.texts import Chapter
from towpath.model.writes import Version
from towpath.providers.contract import Vectors
from towpath.providers.local.embedder import embed_texts
from towpath.providers.local.wordllama import embed_statically
from towpath.stages.background import Background
from towpath.stages.capabilities import Passages
from towpath.stages.matching import Comparison

SUMMARY = "precision and recall of connections, on documents with known pairs"

Embed = Callable[[list[str]], Vectors]


@dataclass(frozen=True, slots=True)
class Shelf:
    """Chapters, those of them that somebody quotes after a remark of their own, and texts that belong to nobody."""

    chapters: Sequence[Chapter]
    quoted: Sequence[int]
    remarks: Sequence[str]
    strangers: Sequence[str]


#: The constants of `stages/matching.py` were chosen with the first, and the second had a say in the method.
CHOSEN_WITH = Shelf(texts.CHAPTERS, texts.QUOTED, texts.REMARKS, texts.STRANGERS)
WALDEN = Shelf(walden.CHAPTERS, walden.QUOTED, walden.REMARKS, walden.STRANGERS)
#: Written when the method stood. Nothing was chosen with it.
HELD_OUT = Shelf(fables.CHAPTERS, fables.QUOTED, fables.REMARKS, fables.STRANGERS)
SHELVES = {"village book": CHOSEN_WITH, "Walden": WALDEN, "fables": HELD_OUT}


@dataclass(frozen=True, slots=True)
class Quality:
    background: Background
    known: int
    found: int
    right: int

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.known


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--minilm", type=Path, help="also with MiniLM, kept in this folder")


def run(arguments: argparse.Namespace) -> int:
    models: dict[str, Embed] = {"wordllama-256": embed_statically}
    if arguments.minilm is not None:
        folder: Path = arguments.minilm
        models["minilm-l6-int8"] = lambda texts: embed_texts(folder, texts)
    for (name, embed), (shelf, texts_of) in product(models.items(), SHELVES.items()):
        one = measure(embed, texts_of)
        print(
            f"{name}, {shelf}: precision {one.precision:.3f}, recall {one.recall:.3f} "
            f"({one.right} of {one.known} known pairs, {one.found} connections); "
            f"strangers {one.background.mean:.3f} ± {one.background.spread:.3f}"
        )
    return 0


def measure(embed: Embed, shelf: Shelf) -> Quality:
    """Every two documents compared as `connect` compares them."""
    background = learn(embed(list(PASSAGES)))
    library = documents(shelf)
    read = [_passages(f"{place}", list(passages), embed) for place, passages in enumerate(library.values())]
    known = found = right = 0
    for (one, mine), (other, theirs) in combinations(zip(library.values(), read, strict=True), 2):
        chapters = [
            {chapter for chapter in passages.values() if chapter is not None} for passages in (one, other)
        ]
        known += len(chapters[0] & chapters[1])
        subject = {**_subjects(mine, one), **_subjects(theirs, other)}
        for pair in Comparison(mine, theirs, background).pairs():
            found += 1
            chapter = subject[pair.a_chunk_id]
            right += chapter is not None and chapter == subject[pair.b_chunk_id]
    return Quality(background, known, found, right)


def documents(shelf: Shelf) -> dict[str, dict[str, int | None]]:
    """Each document's passages, and the chapter each belongs to."""
    quotes = {
        f"{remark} {shelf.chapters[chapter].first.split('. ')[1]}.": chapter
        for remark, chapter in zip(shelf.remarks, shelf.quoted, strict=True)
    }
    library: dict[str, dict[str, int | None]] = {
        "first volume": {chapter.first: place for place, chapter in enumerate(shelf.chapters)},
        "second volume": {chapter.second: place for place, chapter in enumerate(shelf.chapters)},
        "retelling": {chapter.retold: place for place, chapter in enumerate(shelf.chapters)},
        "commonplace book": dict(quotes),
    }
    for start in range(0, len(shelf.strangers), 4):
        library[f"strangers {start // 4}"] = dict.fromkeys(shelf.strangers[start : start + 4])
    return library


def _passages(name: str, texts: list[str], embed: Embed) -> Passages:
    ids = [f"{name}-{place:03d}" for place in range(len(texts))]
    return Passages(Version(name, None), "", ids, texts, embed(texts))


def _subjects(passages: Passages, chapters: dict[str, int | None]) -> dict[str, int | None]:
    return {chunk: chapters[text] for chunk, text in zip(passages.ids, passages.texts, strict=True)}
