"""Vectors in memory, compared exactly. A shelf never changes for its holder; a newer one shares its rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from towpath.providers.contract import Vectors
from towpath.search.contract import Ranked

Numbers = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]

_GONE = -1
#: Vectors compared with the shelf in one go: more would take more memory (13 MB for 200,000 rows), not less time.
_TOGETHER = 16


@dataclass(frozen=True, slots=True)
class Row:
    number: int
    document_id: str
    vector: bytes


@dataclass(frozen=True, slots=True)
class Shelf:
    """The first ``used`` rows count. Rows beyond belong to later shelves, so appending disturbs nobody."""

    vectors: Vectors
    numbers: Numbers
    documents: Codes
    used: int
    gone: int
    #: Where each chunk stands and which code a document has. Only who makes the next shelf looks here first.
    places: dict[int, int]
    codes: dict[str, int]

    @classmethod
    def empty(cls, dimension: int, room: int) -> Shelf:
        return cls(
            np.empty((room, dimension), np.float32),
            np.empty(room, np.int64),
            np.empty(room, np.int32),
            0,
            0,
            {},
            {},
        )

    @property
    def size_bytes(self) -> int:
        return self.vectors.nbytes + self.numbers.nbytes + self.documents.nbytes

    def with_rows(self, rows: Sequence[Row]) -> Shelf:
        """The next shelf, with these at its end. What they replace must have been struck out before."""
        if not rows:
            return self
        shelf = self if self.used + len(rows) <= len(self.numbers) else self._with_room(len(rows))
        fresh = slice(shelf.used, shelf.used + len(rows))
        joined = np.frombuffer(b"".join(row.vector for row in rows), "<f4")
        shelf.vectors[fresh] = joined.reshape(len(rows), -1)
        shelf.numbers[fresh] = [row.number for row in rows]
        shelf.documents[fresh] = [shelf.codes.setdefault(row.document_id, len(shelf.codes)) for row in rows]
        shelf.places.update((row.number, fresh.start + at) for at, row in enumerate(rows))
        return replace(shelf, used=fresh.stop)

    def without(self, numbers: Collection[int]) -> Shelf:
        """The next shelf, with these struck out; swept when a quarter of it is gaps."""
        places = [place for number in numbers if (place := self.places.pop(number, None)) is not None]
        if not places:
            return self
        struck = self.numbers.copy()
        struck[places] = _GONE
        shelf = replace(self, numbers=struck, gone=self.gone + len(places))
        return shelf._with_room(0) if shelf.gone * 4 > shelf.used else shelf

    def _with_room(self, rows: int) -> Shelf:
        """A copy without gaps and with half as much room again."""
        kept = np.flatnonzero(self.numbers[: self.used] != _GONE)
        larger = Shelf.empty(self.vectors.shape[1], (len(kept) + rows) * 3 // 2 + 64)
        larger.vectors[: len(kept)] = self.vectors[kept]
        larger.numbers[: len(kept)] = self.numbers[kept]
        larger.documents[: len(kept)] = self.documents[kept]
        places = {int(number): place for place, number in enumerate(self.numbers[kept])}
        return replace(larger, used=len(kept), places=places, codes=dict(self.codes))

    def nearest(self, vector: Vectors, depth: int, documents: Collection[str] | None = None) -> list[Ranked]:
        """The ``depth`` best by cosine, all vectors being of unit length; among ``documents`` where given."""
        if documents is None:
            numbers = self.numbers[: self.used]
            scores = _dot(self.vectors[: self.used], vector)
        else:
            wanted = [code for document in documents if (code := self.codes.get(document)) is not None]
            rows = np.flatnonzero(np.isin(self.documents[: self.used], wanted))
            numbers = self.numbers[rows]
            # Picking rows copies them: for most of the shelf it is faster to compare all.
            few = len(rows) * 4 < self.used
            scores = (
                _dot(self.vectors[rows], vector) if few else _dot(self.vectors[: self.used], vector)[rows]
            )
        if self.gone:
            scores[numbers == _GONE] = -np.inf
        return best(numbers, scores, depth)

    def nearest_many(self, vectors: Vectors, depth: int, without: str | None = None) -> list[list[Ranked]]:
        """The same for each of these, one document left out. Together they cost a third of one by one."""
        numbers = self.numbers[: self.used]
        left_out = numbers == _GONE
        if without is not None and (code := self.codes.get(without)) is not None:
            left_out |= self.documents[: self.used] == code
        found: list[list[Ranked]] = []
        for start in range(0, len(vectors), _TOGETHER):
            scores = vectors[start : start + _TOGETHER] @ self.vectors[: self.used].T
            scores[:, left_out] = -np.inf
            found += [best(numbers, row, depth) for row in scores]
        return found


def best(numbers: Numbers, scores: Vectors, depth: int) -> list[Ranked]:
    """The highest scores, best first; equals by their numbers."""
    if depth < len(scores):
        # All that reach the last place's score, so that equals there are chosen by number and not by chance.
        reach = scores[np.argpartition(scores, -depth)[-depth:]].min()
        chosen = np.flatnonzero(scores >= reach)
    else:
        chosen = np.arange(len(scores))
    chosen = chosen[np.isfinite(scores[chosen])]
    order = chosen[np.lexsort((numbers[chosen], -scores[chosen]))][:depth]
    return [Ranked(int(numbers[at]), float(scores[at])) for at in order]


def _dot(vectors: Vectors, vector: Vectors) -> Vectors:
    # Not `@`: it spreads over all cores, whose threads then wait for each other in a busy loop; memory is the
    # bound, so one core is as fast (10 ms for 100,000 rows of 384) and the other can look through the words.
    return np.einsum("ij,j->i", vectors, vector)
