"""Reads a test collection in BEIR format: `corpus.jsonl`, `queries.jsonl`, and judgments in `qrels.tsv`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast


@dataclass(frozen=True, slots=True)
class Text:
    """A text of the corpus; its title may be empty."""

    id: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Collection:
    """Texts, questions, and for each question the grades of the texts that answer it."""

    name: str
    corpus: Sequence[Text]
    queries: Mapping[str, str]
    judgments: Mapping[str, Mapping[str, int]]


def find_collections(folder: Path) -> list[Path]:
    """The folder itself if it is a collection, else the collections in it."""
    if (folder / "corpus.jsonl").exists():
        return [folder]
    return sorted(path.parent for path in folder.glob("*/corpus.jsonl"))


def read_collection(folder: Path) -> Collection:
    corpus = [
        Text(str(line["_id"]), str(line.get("title") or "").strip(), str(line["text"]).strip())
        for line in _lines(folder / "corpus.jsonl")
    ]
    judgments: dict[str, dict[str, int]] = {}
    for line in _judgment_file(folder).read_text(encoding="utf-8").splitlines():
        query, document, *grade = line.split("\t")
        if grade and grade[0].lstrip("-").isdigit() and int(grade[0]) > 0:
            judgments.setdefault(query, {})[document] = int(grade[0])
    queries = {
        str(line["_id"]): str(line["text"])
        for line in _lines(folder / "queries.jsonl")
        if str(line["_id"]) in judgments
    }
    return Collection(folder.name, [text for text in corpus if text.whole], queries, judgments)


def _judgment_file(folder: Path) -> Path:
    """BEIR keeps the judgments of the test questions in a folder."""
    flat = folder / "qrels.tsv"
    return flat if flat.exists() else folder / "qrels" / "test.tsv"


def _lines(path: Path) -> Iterator[Mapping[str, object]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield cast("Mapping[str, object]", json.loads(line))
