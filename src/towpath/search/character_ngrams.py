"""Scores texts by the sequences of three letters that they share with a query.

Stemmers do not know every form of a word, nor compounds, and no stemmer exists for many languages. Forms of one word
share most of their letters. The candidates of a query are therefore compared by letters too: BM25 over sequences of
three letters, whose rarity is that among the candidates, so the index does not store them.

A question is often answered by one sentence of a text. So the best place of each text, a window of about two sentences,
is scored in the same way: sequences that stand together say more than those scattered over the text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from towpath.text.word_tokenizer import blank_separated, without_accents

#: Letters of a sequence.
LENGTH = 3
#: The share of these scores in the score of the words. It is lower for queries whose language is not known, and for
#: English, where words have few forms. Measured: see docs/why/.
SHARE = 0.3
LOWER_SHARE = 0.2
#: The share of the best window of each text, beside that of the whole text; English has none. Measured: see docs/why/.
WINDOW_SHARE = 0.2
#: Half the characters of a window.
WINDOW_STEP = 100
#: The best candidates, whose texts are compared.
CANDIDATES = 50
#: The constants of BM25.
K1 = 1.5
B = 0.75
#: Characters of a text that are compared.
MAX_TEXT_LENGTH = 8_000
#: Sequences of a query that are looked for.
MAX_NGRAMS = 512

Scores = npt.NDArray[np.float32]
Codes = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]


def ngram_scores(query: Sequence[str], texts: Sequence[str], window_share: float = 0.0) -> Scores:
    """The score of each text for the words of a query; 0 if it shares no sequence with them.

    With a ``window_share``, that of the best window is added in this share, both mapped to 0 … 1.
    """
    wanted = _query_ngrams(query)
    if not len(wanted) or not texts:
        return np.zeros(len(texts), np.float32)
    folded = [_folded(text[:MAX_TEXT_LENGTH]) for text in texts]
    lengths = np.array([len(text) for text in folded], np.int64)
    steps = -(-lengths // WINDOW_STEP) if window_share else np.ones(len(texts), np.int64)
    first = np.cumsum(steps) - steps
    row_of = np.repeat(first, lengths)
    if window_share:
        row_of += (np.arange(len(row_of)) - np.repeat(np.cumsum(lengths) - lengths, lengths)) // WINDOW_STEP
    counts = _counts(wanted, folded, row_of)
    whole = np.add.reduceat(counts, first) if window_share else counts
    scores = _bm25(whole, lengths / max(1.0, float(lengths.mean())))
    if not window_share:
        return scores
    # A window is a step and the next one of the same text.
    last = first + steps - 1
    ends = counts[last]
    counts[:-1] += counts[1:].copy()
    counts[last] = ends
    windows = np.maximum.reduceat(_bm25(counts, np.ones(len(counts))), first)
    return ((1 - window_share) * _scaled(scores) + window_share * _scaled(windows)).astype(np.float32)


def _scaled(scores: Scores) -> Scores:
    highest = float(scores.max(initial=0.0))
    return (scores / highest).astype(np.float32) if highest else scores


def _counts(wanted: Codes, folded: Sequence[str], row_of: Integers) -> Integers:
    """How often each row has each of the wanted sequences; ``row_of`` is the row of each character."""
    # Two blanks at the end of each text: no sequence of a query has two.
    found = _ngrams(_codes("".join(folded)))
    at = np.searchsorted(wanted, found)
    at[at == len(wanted)] = 0
    matches = wanted[at] == found
    rows = int(row_of[-1]) + 1
    cells = row_of[: len(found)][matches] * len(wanted) + at[matches]
    return np.bincount(cells, minlength=rows * len(wanted)).reshape(rows, len(wanted))


def _bm25(counts: Integers, lengths: npt.NDArray[np.float64]) -> Scores:
    """The score of each row; ``lengths`` are relative to the mean."""
    frequency = np.count_nonzero(counts, axis=0)
    idf = np.log1p((len(counts) - frequency + 0.5) / (frequency + 0.5))
    norms = K1 * (1 - B + B * lengths)
    return ((counts * (K1 + 1) / (counts + norms[:, None])) @ idf).astype(np.float32)


def _query_ngrams(words: Sequence[str]) -> Codes:
    """The sequences of the words in order of their codes. A word begins with a blank, a single letter ends with one."""
    ngrams: set[str] = set()
    for word in words:
        text = " " + _folded(word).strip()
        text = text.ljust(LENGTH) if len(text) > 1 else ""
        ngrams.update(text[start : start + LENGTH] for start in range(len(text) - LENGTH + 1))
        if len(ngrams) >= MAX_NGRAMS:
            break
    return np.unique(_ngrams(_codes("".join(ngrams)))[::LENGTH]) if ngrams else np.zeros(0, np.uint64)


def _folded(text: str) -> str:
    """Lower case without accents, each word after one blank, two blanks at the end."""
    return " " + blank_separated(without_accents(text.lower())) + "  "


def _codes(text: str) -> Codes:
    """The characters as numbers of 16 bits: one outside the basic plane may have that of another."""
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), np.uint32)
    return codes.astype(np.uint64) & np.uint64(0xFFFF)


def _ngrams(codes: Codes) -> Codes:
    """Every sequence as one number."""
    if len(codes) < LENGTH:
        return np.zeros(0, np.uint64)
    found = codes[: len(codes) - LENGTH + 1].copy()
    for place in range(1, LENGTH):
        found <<= np.uint64(16)
        found |= codes[place : len(codes) - LENGTH + 1 + place]
    return found
