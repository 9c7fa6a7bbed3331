"""Precision and recall of connections on the labelled pairs, beside plain TF-IDF cosine and plain vector cosine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from bench.connections.labelled_pairs import Embed, MeasuredPair, agreement, labelled_pairs, measure
from bench.connections.train import save, train
from towpath.connections.scoring import load_model
from towpath.providers.local.embeddings.fast import FastEmbedder, embed_fast
from towpath.providers.local.embeddings.multilingual import MultilingualEmbedder, embed_multilingual

MODELS: Mapping[str, Embed] = {
    MultilingualEmbedder.model: embed_multilingual,
    FastEmbedder.model: embed_fast,
}
#: Resamples of the pairs for the confidence intervals, by document.
RESAMPLES = 2_000
#: The recall at which precisions are compared besides the threshold of the product.
COMPARED_RECALL = 0.5

#: Assumed for models that were not measured: between those of sentence encoders (0.1) and of OpenAI (0.7).
UNKNOWN_UNRELATED = 0.3

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def report(split: str) -> list[str]:
    """A table for each model: connections and the two plain methods at the same number of pairs."""
    same, kappa = agreement(labelled_pairs())
    lines = [
        f"{len(labelled_pairs())} pairs, {sum(pair.label for pair in labelled_pairs())} related; "
        f"both passes agree on {same:.1%} (Cohen's kappa {kappa:.2f})."
    ]
    for model, embed in MODELS.items():
        lines += [
            "",
            f"**{model}**, {split} split:",
            "",
            *_table(model, measure(embed, split, _unrelated(model))),
        ]
    return lines


def train_and_save() -> None:
    """Train the regression for each model on the train split; the default model's serves for unknown ones."""
    trained = {model: train(measure(embed, "train", _unrelated(model))) for model, embed in MODELS.items()}
    save(
        {"other": trained[MultilingualEmbedder.model], FastEmbedder.model: trained[FastEmbedder.model]},
        {**{model: _unrelated(model) for model in MODELS}, "other": UNKNOWN_UNRELATED},
    )


def _unrelated(model: str) -> float:
    return load_model(model).unrelated_similarity


def _table(model: str, measured: Sequence[MeasuredPair]) -> list[str]:
    rows = [
        "| set | pairs | related | connections: precision / recall | TF-IDF cosine | vector cosine "
        "| above TF-IDF | above vectors |",
        "|---|---|---|---|---|---|---|---|",
    ]
    sets = {"all": list(measured)}
    for pair in measured:
        sets.setdefault(pair.collection, []).append(pair)
    return [*rows, *(_row(name, model, pairs) for name, pairs in sets.items()), "", *_curve(model, measured)]


def _row(name: str, model: str, pairs: Sequence[MeasuredPair]) -> str:
    """All three methods take the same number of pairs, the best by their own score."""
    labels = np.array([pair.pair.label for pair in pairs])
    scores = _scores(model, pairs)
    chosen = scores >= load_model(model).min_probability
    others = [_best(values, int(chosen.sum())) for values in _plain(pairs)]
    cells = [_cell(labels, selected) for selected in (chosen, *others)]
    gains = [_gain(pairs, labels, chosen, other) for other in others]
    return f"| {name} | {len(pairs)} | {labels.sum()} | " + " | ".join([*cells, *gains]) + " |"


def _curve(model: str, pairs: Sequence[MeasuredPair]) -> list[str]:
    labels = np.array([pair.pair.label for pair in pairs])
    named = {"connections": _scores(model, pairs)}
    named |= dict(zip(("TF-IDF cosine", "vector cosine"), _plain(pairs), strict=True))
    found: list[str] = []
    for name, scores in named.items():
        low, middle, high = _interval(
            pairs, lambda rows, s=scores: _precision_at_recall(labels[rows], s[rows])
        )
        found.append(f"{name} {middle:.2f} [{low:.2f}, {high:.2f}]")
    return [f"Precision at a recall of {COMPARED_RECALL:.0%} with 95 % intervals: " + ", ".join(found) + "."]


def _scores(model: str, pairs: Sequence[MeasuredPair]) -> Floats:
    trained = load_model(model)
    return np.array([trained.probability(pair.features) if pair.eligible else 0.0 for pair in pairs])


def _plain(pairs: Sequence[MeasuredPair]) -> tuple[Floats, Floats]:
    return np.array([pair.tfidf for pair in pairs]), np.array([pair.cosine for pair in pairs])


def _best(values: Floats, count: int) -> Flags:
    chosen = np.zeros(len(values), np.bool_)
    chosen[np.argsort(-values, kind="stable")[:count]] = True
    return chosen


def _cell(labels: Flags, chosen: Flags) -> str:
    right = int((labels & chosen).sum())
    return f"{right / max(1, int(chosen.sum())):.2f} / {right / max(1, int(labels.sum())):.2f}"


def _gain(pairs: Sequence[MeasuredPair], labels: Flags, ours: Flags, other: Flags) -> str:
    """The difference of the precisions with its 95 % interval."""

    def difference(rows: npt.NDArray[np.intp]) -> float:
        right = labels[rows]
        ours_right, other_right = (right & ours[rows]).sum(), (right & other[rows]).sum()
        return float(ours_right / max(1, ours[rows].sum()) - other_right / max(1, other[rows].sum()))

    low, middle, high = _interval(pairs, difference)
    return f"{middle:+.2f} [{low:+.2f}, {high:+.2f}]"


def _precision_at_recall(labels: Flags, scores: Floats) -> float:
    order = np.argsort(-scores, kind="stable")
    right: npt.NDArray[np.int64] = np.cumsum(labels[order], dtype=np.int64)
    wanted = COMPARED_RECALL * int(labels.sum())
    at = int((right < wanted).sum())
    return float(right[at] / (at + 1)) if labels.any() else 0.0


def _interval(
    pairs: Sequence[MeasuredPair], statistic: Callable[[npt.NDArray[np.intp]], float]
) -> tuple[float, float, float]:
    """The statistic and its bootstrap interval; documents are drawn, since pairs of one document are alike."""
    rows_by_document: dict[str, list[int]] = {}
    for row, pair in enumerate(pairs):
        rows_by_document.setdefault(f"{pair.collection} {pair.pair.one.document}", []).append(row)
    groups = [np.array(rows, np.intp) for rows in rows_by_document.values()]
    rng = np.random.default_rng(1)
    drawn = [
        statistic(np.concatenate([groups[int(at)] for at in rng.integers(0, len(groups), len(groups))]))
        for _ in range(RESAMPLES)
    ]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), statistic(np.arange(len(pairs))), float(high)
