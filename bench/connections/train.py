"""Trains the logistic regression of connections on the labelled pairs of the train split, with scikit-learn.

A feature whose weight has the wrong sign (more copies, but more probable) fits the sample and not the task: it is
left out, and the rest is fitted again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from bench.connections.labelled_pairs import MeasuredPair

MODEL_FILE = Path(__file__).resolve().parents[2] / "src" / "towpath" / "connections" / "model.json"
#: The sign that a weight must have; features without one may have either.
SIGNS = {
    "similarity": 1,
    "term_overlap": 1,
    "second_rarest_term": 1,
    "shared_names": 1,
    "shared_identifiers": 1,
    "quoted_share": 1,
    "shortness": -1,
    "not_prose": -1,
    "contents_page": -1,
    "copies": -1,
}
#: Strength of the regularization (smaller is stronger), for standardized features.
REGULARIZATION = 0.3
#: Chunks as the product makes them of real documents, with their lists, tables, forms and set phrases.
CHUNK_COLLECTIONS = ("business", "manuals")
#: The precision among these that the threshold is chosen for, by cross-validation on the train split. Their pairs are
#: harder than the shorter passages of the other collections: a threshold for all pairs would show too many of them.
TARGET_PRECISION = 0.95
FOLDS = 8

Floats = npt.NDArray[np.float64]


def train(measured: Sequence[MeasuredPair]) -> dict[str, Any]:
    """Intercept, coefficients by feature and threshold for the pairs that pass the rules.

    Pairs in two languages are left out. They were not drawn by similarity but added as translations of each other: a
    regression learns from them that other languages, few common terms and a low cosine speak for a connection.
    """
    pairs = [pair for pair in measured if pair.eligible and _same_language(pair)]
    labels = np.array([pair.pair.label for pair in pairs])
    names = list(pairs[0].features.values)
    while True:
        values = np.array([[pair.features.values[name] for name in names] for pair in pairs])
        intercept, weights = _fit(values, labels)
        wrong = {
            name: abs(weight)
            for name, weight in zip(names, weights, strict=True)
            if weight * SIGNS.get(name, 0) < 0
        }
        if not wrong:
            break
        names.remove(max(wrong, key=lambda name: wrong[name]))
    spread, mean = values.std(axis=0), values.mean(axis=0)
    spread[spread == 0] = 1.0
    return {
        "intercept": round(float(intercept - (weights * mean / spread).sum()), 4),
        "coefficients": {
            name: round(float(weight), 4) for name, weight in zip(names, weights / spread, strict=True)
        },
        "min_probability": round(_threshold(pairs, values, labels), 3),
    }


def _same_language(pair: MeasuredPair) -> bool:
    one, other = pair.features.passages
    return one.english == other.english


def save(trained: dict[str, Any], unrelated: dict[str, float]) -> None:
    MODEL_FILE.write_text(
        json.dumps({"version": 1, "models": trained, "unrelated_similarity": unrelated}, indent=2) + "\n",
        encoding="utf-8",
    )


def _fit(values: Floats, labels: npt.NDArray[np.bool_]) -> tuple[float, Floats]:
    from sklearn.linear_model import LogisticRegression  # pyright: ignore[reportMissingTypeStubs]

    spread = values.std(axis=0)
    spread[spread == 0] = 1.0
    regression = LogisticRegression(C=REGULARIZATION, max_iter=2_000)
    regression.fit((values - values.mean(axis=0)) / spread, labels)  # pyright: ignore[reportUnknownMemberType]
    return float(cast("Any", regression).intercept_[0]), np.asarray(cast("Any", regression).coef_[0])


def _cross_validate(values: Floats, labels: npt.NDArray[np.bool_], groups: Sequence[str]) -> Floats:
    documents = sorted(set(groups))
    fold_of = {document: number % FOLDS for number, document in enumerate(documents)}
    folds = np.array([fold_of[document] for document in groups])
    probabilities = np.zeros(len(labels))
    for fold in range(FOLDS):
        seen, held_out = folds != fold, folds == fold
        intercept, weights = _fit(values[seen], labels[seen])
        spread = values[seen].std(axis=0)
        spread[spread == 0] = 1.0
        scores = intercept + ((values[held_out] - values[seen].mean(axis=0)) / spread) @ weights
        probabilities[held_out] = 1 / (1 + np.exp(-scores))
    return probabilities


def _threshold(pairs: Sequence[MeasuredPair], values: Floats, labels: npt.NDArray[np.bool_]) -> float:
    """The lowest probability from which the precision stays at the target, in the cross-validation."""
    of_chunks = np.array([pair.collection in CHUNK_COLLECTIONS for pair in pairs])
    probabilities = _cross_validate(values, labels, _groups(pairs))[of_chunks]
    order = np.argsort(-probabilities)
    precision = np.cumsum(labels[of_chunks][order]) / np.arange(1, len(order) + 1)
    reached = np.flatnonzero(precision >= TARGET_PRECISION)
    return float(probabilities[order[reached[-1]]]) if len(reached) else 0.9


def _groups(pairs: Sequence[MeasuredPair]) -> list[str]:
    return [pair.pair.one.document for pair in pairs]
