"""connect: finds chunks of other documents about the same topic. A follow-up job after the document is ready.

The vector index finds candidate documents. Each candidate is compared with this document chunk by chunk, and all
connections of the two are written in one transaction, for the versions that were compared. If a candidate document
was republished while it was compared, it is compared again: its own connect job may not pick this document as a
candidate. If this document was republished, a newer connect job is queued.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from towpath.connections.pair_scoring import DocumentPair, best_overlap
from towpath.connections.similarity_baseline import BASELINES, SAMPLE_SIZE, ModelBaseline, estimate_baseline
from towpath.connections.store import ConnectionMark, ConnectionStore, DocumentChunks, WordVectors
from towpath.model.job import ProgressUnit
from towpath.model.outcome import Done, Outcome
from towpath.model.writes import Connect, Connection, ConnectionDiff, DocumentVersion, MovedMark
from towpath.process_runner import ProcessRunner
from towpath.stages.contract import Context

#: Nearest chunks of other documents that are looked up for each chunk.
NEIGHBOURS_PER_CHUNK = 16
#: A document is a candidate if one of its chunks is this many standard deviations above the baseline.
MIN_Z = 3.0
#: Chunks per lookup, and documents that are compared and written together.
CHUNKS_PER_LOOKUP = 64
DOCUMENTS_PER_BATCH = 8
#: A document is compared with at most this many candidates, plus one for each of its chunks.
BASE_CANDIDATES = 32
#: Connections stored per chunk; the best are shown, the others replace them when one is deleted.
MAX_PER_CHUNK = 20
#: Maximum number of comparisons with a candidate that is republished each time.
MAX_RECHECKS = 5
#: Time limit of one comparison: it runs at low priority and may be slow.
TIMEOUT_SECONDS = 3_600.0


async def connect(
    context: Context,
    *,
    connection_store: ConnectionStore,
    compute: ProcessRunner,
    model: str,
    word_vectors: WordVectors | None,
) -> Outcome:
    stored = await connection_store.document_chunks(context.org_id, [context.document_id], None)
    if not stored or not stored[0].ids:
        return Done({"compared": 0, "connections": 0})
    document = stored[0]
    if document.model != model:
        # Vectors of another model cannot be compared; the document is connected once it is reprocessed.
        return Done({"compared": 0, "connections": 0, "skipped": f"embedded by {document.model}"})
    baseline = await _baseline(context, connection_store, model)
    candidates, connected = await _find_candidates(context, connection_store, document, baseline)
    marks = await connection_store.marks(context.org_id, context.document_id)
    quota = _ConnectionQuota(document, candidates)
    others = [*candidates, *connected]
    connections: dict[str, int] = {}
    for start in range(0, len(others), DOCUMENTS_PER_BATCH):
        batch: Sequence[str] = others[start : start + DOCUMENTS_PER_BATCH]
        for _ in range(MAX_RECHECKS):
            chunks_by_document = {
                other.document_id: other
                for other in await connection_store.document_chunks(context.org_id, batch, document.model)
            }
            compared = [
                chunks_by_document[document_id] for document_id in batch if document_id in chunks_by_document
            ]
            matches = await compute.run(
                compare, document, compared, baseline, marks, word_vectors, seconds=TIMEOUT_SECONDS
            )
            diffs = [quota.between(match) for match in matches]
            await context.write(Connect(document.version, diffs, context.now()))
            connections |= {diff.other.document_id: len(diff.connections) for diff in diffs}
            batch = await connection_store.republished(context.org_id, [other.version for other in compared])
            if not batch:
                break
        await context.progress(
            min(start + DOCUMENTS_PER_BATCH, len(others)), len(others), ProgressUnit.DOCUMENT
        )
    return Done({"compared": len(others), "connections": sum(connections.values())})


async def _baseline(context: Context, connection_store: ConnectionStore, model: str) -> ModelBaseline:
    measured = BASELINES.get(model)
    return measured or estimate_baseline(
        await connection_store.sample_vectors(context.org_id, model, SAMPLE_SIZE)
    )


async def _find_candidates(
    context: Context, connection_store: ConnectionStore, document: DocumentChunks, baseline: ModelBaseline
) -> tuple[list[str], list[str]]:
    """The documents with the nearest chunks, best first; and the other documents that have connections to this one."""
    floor = baseline.mean + MIN_Z * baseline.spread
    best: dict[str, float] = {}
    for start in range(0, len(document.ids), CHUNKS_PER_LOOKUP):
        rows = range(start, min(start + CHUNKS_PER_LOOKUP, len(document.ids)))
        for document_id, cosine in (
            await connection_store.nearest_documents(context.org_id, document, rows, NEIGHBOURS_PER_CHUNK)
        ).items():
            if cosine >= floor:
                best[document_id] = max(cosine, best.get(document_id, cosine))
        context.check_lease()
    ranked = sorted(best, key=lambda document_id: (-best[document_id], document_id))
    candidates = ranked[: BASE_CANDIDATES + len(document.ids)]
    connected = await connection_store.connected_documents(context.org_id, document.document_id) - set(
        candidates
    )
    return candidates, sorted(connected)


@dataclass(frozen=True, slots=True)
class Match:
    """The connections of another document with this one: computed ones, and those that a person pinned or hid."""

    version: DocumentVersion
    pairs: Sequence[Connection]
    marked: Sequence[Connection]
    moved_marks: Sequence[MovedMark]


class _ConnectionQuota:
    """Counts the connections of each chunk of this document in this job, at most ``MAX_PER_CHUNK``.

    New connections are made with candidates only, so that the result does not depend on the order of jobs. For
    other connected documents the existing connections are updated.
    """

    def __init__(self, document: DocumentChunks, candidates: Sequence[str]) -> None:
        self._count_by_chunk = dict.fromkeys(document.ids, 0)
        self._candidates = set(candidates)
        self._by_document: dict[str, list[str]] = {}

    def between(self, match: Match) -> ConnectionDiff:
        document_id = match.version.document_id
        for chunk_id in self._by_document.pop(document_id, ()):
            self._count_by_chunk[chunk_id] -= 1
        admitted = [pair for pair in match.pairs if self._admit(pair, document_id)]
        chosen = {(pair.a_chunk_id, pair.b_chunk_id) for pair in admitted}
        forced = [pair for pair in match.marked if (pair.a_chunk_id, pair.b_chunk_id) not in chosen]
        chosen |= {(pair.a_chunk_id, pair.b_chunk_id) for pair in forced}
        left = [pair for pair in match.pairs if (pair.a_chunk_id, pair.b_chunk_id) not in chosen]
        valid = frozenset((pair.a_chunk_id, pair.b_chunk_id) for pair in (*match.pairs, *match.marked))
        return ConnectionDiff(match.version, [*admitted, *forced], valid, match.moved_marks, left)

    def _admit(self, connection: Connection, document_id: str) -> bool:
        chunk_id = (
            connection.a_chunk_id if connection.a_chunk_id in self._count_by_chunk else connection.b_chunk_id
        )
        if document_id not in self._candidates or self._count_by_chunk[chunk_id] >= MAX_PER_CHUNK:
            return False
        self._count_by_chunk[chunk_id] += 1
        self._by_document.setdefault(document_id, []).append(chunk_id)
        return True


def compare(
    document: DocumentChunks,
    others: Sequence[DocumentChunks],
    baseline: ModelBaseline,
    marks: Sequence[ConnectionMark],
    word_vectors: WordVectors | None,
) -> list[Match]:
    """Compare this document with each of the others. Slow: runs in a child process."""
    matches: list[Match] = []
    for other in others:
        pair = DocumentPair(document, other, baseline, word_vectors)
        about = [mark for mark in marks if other.document_id in (mark.a_document_id, mark.b_document_id)]
        marked, moved_marks = _pinned_and_hidden(pair, document, other, about)
        matches.append(Match(other.version, pair.connections(), marked, moved_marks))
    return matches


def _pinned_and_hidden(
    pair: DocumentPair, document: DocumentChunks, other: DocumentChunks, marks: Sequence[ConnectionMark]
) -> tuple[list[Connection], list[MovedMark]]:
    """The connections that a person pinned or hid, moved to the current chunks."""
    cells: list[tuple[int, int]] = []
    moved_marks: list[MovedMark] = []
    for mark in marks:
        seen = {mark.a_document_id: (mark.a_chunk_id, mark.a_text)}
        seen[mark.b_document_id] = (mark.b_chunk_id, mark.b_text)
        row = _current_row(document, *seen[document.document_id])
        other_row = _current_row(other, *seen[other.document_id])
        if row is None or other_row is None:
            continue
        cells.append((row, other_row) if pair.first is document else (other_row, row))
        if {document.ids[row], other.ids[other_row]} != {mark.a_chunk_id, mark.b_chunk_id}:
            moved_marks.append(_move_mark(mark, (document, row), (other, other_row)))
    return pair.score_pairs(cells), moved_marks


def _current_row(chunks: DocumentChunks, chunk_id: str, text: str) -> int | None:
    return chunks.ids.index(chunk_id) if chunk_id in chunks.ids else best_overlap(text, chunks)


def _move_mark(mark: ConnectionMark, *sides: tuple[DocumentChunks, int]) -> MovedMark:
    a, b = sorted(sides, key=lambda side: side[0].ids[side[1]])
    return MovedMark(
        mark.id,
        a[0].document_id,
        b[0].document_id,
        a[0].ids[a[1]],
        b[0].ids[b[1]],
        a[0].texts[a[1]],
        b[0].texts[b[1]],
    )
