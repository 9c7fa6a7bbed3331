"""Compares passages of one document with similar passages of others. Pure functions, run in a child process."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from towpath.connections.boilerplate import MAX_DOCUMENTS, recurring, without_recurring
from towpath.connections.features import PairFeatures, TermCounts
from towpath.connections.passage_text import analyze, contained_share
from towpath.connections.scoring import MAX_COPIES, is_eligible, kind_of, load_model, spelled_terms
from towpath.connections.store import DocumentChunks
from towpath.model.writes import ChunkProfile, Connection

#: The nearest neighbours of a chunk that may be its connections: they do not count for its neighbour similarity.
POSSIBLE_CONNECTIONS = 4
#: The neighbours that are looked up for each chunk.
NEIGHBOURS = 16
#: A passage with this share of the text is a copy.
MIN_COPIED_SHARE = 0.8
#: A pair with this share of common text hints that the documents are editions.
MIN_EDITION_HINT = 0.5
#: A pin or hide moves to a chunk that has at least this share of the marked text.
MIN_MOVED_SHARE = 0.3


@dataclass(frozen=True, slots=True)
class Work:
    """Some chunks of a document, the similar chunks of other documents, and the pairs to score, by own chunk id."""

    document: DocumentChunks
    #: For each chunk the cosines of its nearest chunks, best first.
    similarities: Sequence[Sequence[float]]
    others: Sequence[DocumentChunks]
    pairs: Mapping[str, frozenset[str]]
    counts: TermCounts


@dataclass(slots=True)
class Scored:
    """The result: connections by other document, copied text, and the profiles of the chunks."""

    connections: dict[str, list[Connection]] = field(default_factory=dict[str, list[Connection]])
    #: Pairs of nearly the same text, by other document: own chunk, other chunk, share.
    copied: dict[str, list[tuple[str, str, float]]] = field(
        default_factory=dict[str, list[tuple[str, str, float]]]
    )
    profiles: dict[str, ChunkProfile] = field(default_factory=dict[str, ChunkProfile])

    def add(self, other: Scored) -> None:
        for document_id, connections in other.connections.items():
            self.connections.setdefault(document_id, []).extend(connections)
        for document_id, copies in other.copied.items():
            self.copied.setdefault(document_id, []).extend(copies)
        self.profiles |= other.profiles


def score(work: Work) -> Scored:
    """Score the pairs; the connections are those with enough evidence."""
    document = work.document
    located = {chunk_id: (other, row) for other in work.others for row, chunk_id in enumerate(other.ids)}
    result = Scored()
    for row, chunk_id in enumerate(document.ids):
        partners = sorted(located.keys() & work.pairs.get(chunk_id, frozenset()))
        profile = _profile(work, row)
        pairs = [_Pair.of(document, row, profile, *located[partner], work.counts) for partner in partners]
        copies = {pair.other_document for pair in pairs if pair.features.quoted_share >= MIN_COPIED_SHARE}
        result.profiles[chunk_id] = replace(profile, copies=len(copies))
        for pair in pairs:
            quoted = pair.features.quoted_share
            if quoted >= MIN_EDITION_HINT:
                result.copied.setdefault(pair.other_document, []).append((*pair.ids, quoted))
        if len(copies) <= MAX_COPIES:
            together = [pair for pair in pairs if pair.belongs_together()]
            for pair in _with_own_evidence(together, pairs) if together else ():
                result.connections.setdefault(pair.other_document, []).append(pair.connection())
    return result


def _with_own_evidence(together: Sequence[_Pair], candidates: Sequence[_Pair]) -> list[_Pair]:
    """The pairs that belong together also without the sentences that many of the candidates have."""
    texts: dict[str, list[str]] = {}
    for pair in candidates:
        texts.setdefault(pair.other_document, []).append(pair.features.texts[1])
    keys = recurring(texts) if len(texts) > MAX_DOCUMENTS else frozenset[int]()
    if not keys:
        return list(together)
    reduced = (pair.without(keys) for pair in together)
    return [pair for pair in reduced if pair.belongs_together()]


def score_marked(
    document: DocumentChunks, other: DocumentChunks, cells: Sequence[tuple[int, int]], counts: TermCounts
) -> list[Connection]:
    """Connections for the given pairs of rows, whatever their probability: a person pinned or hid them."""
    return [
        _Pair.of(document, row, document.profiles[document.ids[row]], other, other_row, counts).connection()
        for row, other_row in cells
    ]


@dataclass(frozen=True, slots=True)
class _Pair:
    """A chunk of the document, a chunk of another one, and their features."""

    ids: tuple[str, str]
    other_document: str
    model: str
    cosine: float
    features: PairFeatures

    @classmethod
    def of(
        cls,
        document: DocumentChunks,
        row: int,
        profile: ChunkProfile,
        other: DocumentChunks,
        other_row: int,
        counts: TermCounts,
    ) -> _Pair:
        ids = document.ids[row], other.ids[other_row]
        texts = document.texts[row], other.texts[other_row]
        other_profile = other.profiles.get(ids[1]) or _estimated_profile(profile, *texts)
        cosine = min(1.0, float(document.vectors[row] @ other.vectors[other_row]))
        features = PairFeatures(texts, (profile, other_profile), cosine, counts)
        return cls(ids, other.document_id, document.model, cosine, features)

    def without(self, keys: frozenset[int]) -> _Pair:
        """The pair without recurring sentences; a copy stays as it is."""
        if self.features.quoted_share >= MIN_COPIED_SHARE:
            return self
        one, other = (without_recurring(text, keys) for text in self.features.texts)
        return replace(self, features=self.features.of_texts(one, other))

    def belongs_together(self) -> bool:
        model = load_model(self.model)
        return is_eligible(self.features) and model.probability(self.features) >= model.min_probability

    def connection(self) -> Connection:
        a, b = sorted(self.ids)
        identifiers = self.features.passages[0].identifiers
        return Connection(
            a,
            b,
            round(load_model(self.model).probability(self.features), 4),
            kind_of(self.features),
            round(self.cosine, 4),
            spelled_terms(self.features),
            [identifiers[key] for key in self.features.shared_identifiers],
        )


def _profile(work: Work, row: int) -> ChunkProfile:
    neighbours = work.similarities[row][POSSIBLE_CONNECTIONS:NEIGHBOURS]
    missing = NEIGHBOURS - POSSIBLE_CONNECTIONS - len(neighbours)
    unrelated = load_model(work.document.model).unrelated_similarity
    similarity = (sum(neighbours) + missing * unrelated) / (NEIGHBOURS - POSSIBLE_CONNECTIONS)
    return ChunkProfile(similarity, work.counts.norm(work.document.texts[row]), 0)


def _estimated_profile(profile: ChunkProfile, text: str, other_text: str) -> ChunkProfile:
    """For a chunk whose document has no `connect` job behind it: its neighbours and terms are taken to be alike.

    That job will score the pair again, with the true profile.
    """
    terms, other_terms = len(analyze(text).terms), len(analyze(other_text).terms)
    norm = profile.term_norm * math.sqrt(other_terms / max(1, terms))
    return ChunkProfile(profile.neighbour_similarity, norm, 0)


def best_overlap(text: str, document: DocumentChunks) -> int | None:
    """The row of the chunk that has most of this text; None if none has a good part of it."""
    shares = [contained_share(text, other) for other in document.texts]
    if not shares or max(shares) < MIN_MOVED_SHARE:
        return None
    return max(range(len(shares)), key=shares.__getitem__)
