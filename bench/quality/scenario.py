"""`python -m bench quality`: precision and recall of connections on documents with known pairs."""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

from tests.support.books import BOOKS
from tests.support.connection_quality import (
    Embed,
    as_single_passages,
    as_volumes,
    measure_baseline,
    measure_quality,
)
from towpath.providers.local.embeddings.minilm import embed_with_minilm
from towpath.providers.local.embeddings.wordllama import embed_with_wordllama

SUMMARY = "precision and recall of connections, on documents with known pairs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--minilm", type=Path, help="also measure MiniLM; FOLDER holds its model files")


def run(arguments: argparse.Namespace) -> int:
    models: dict[str, Embed] = {"wordllama-256": embed_with_wordllama}
    if arguments.minilm is not None:
        folder: Path = arguments.minilm
        models["minilm-l6-int8"] = lambda texts: embed_with_minilm(folder, texts)
    layouts = {"as volumes": as_volumes, "one passage per document": as_single_passages}
    for (model, embed), (name, book), (layout, documents_of) in product(
        models.items(), BOOKS.items(), layouts.items()
    ):
        quality = measure_quality(embed, documents_of(book))
        print(
            f"{model}, {name}, {layout}: precision {quality.precision:.3f}, recall {quality.recall:.3f} "
            f"({quality.known_found} of {quality.known} known pairs; "
            f"{quality.right} of {quality.found} connections)"
        )
    for model, embed in models.items():
        print(f"{model}, unrelated passages: {measure_baseline(embed)}")
    return 0
