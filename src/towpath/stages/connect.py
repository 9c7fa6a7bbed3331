"""connect: finds passages of other documents that belong together with passages of this one, and its editions.

A follow-up job after the document is ready. The candidates of each chunk are its nearest chunks by vector and those
that share rare terms; the pairs that are stored already are scored again. All connections of two documents are
written in one transaction, for the versions that were compared. If another document was republished meanwhile, it
is compared again: its own connect job may not pick this document as a candidate. If this document was republished,
a newer connect job is queued.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from towpath.connections.comparison import (
    NEIGHBOURS,
    Scored,
    Work,
    best_overlap,
    score,
    score_marked,
)
from towpath.connections.editions import editions
from towpath.connections.features import TermCounts
from towpath.connections.store import ConnectionMark, ConnectionStore, DocumentChunks
from towpath.model.job import ProgressUnit
from towpath.model.outcome import Done, Outcome
from towpath.model.writes import Connect, Connection, ConnectionDiff, DocumentPublication, MovedMark
from towpath.process_runner import ProcessRunner
from towpath.stages.contract import Context

#: Chunks with shared rare terms that are looked up for each chunk, besides its nearest neighbours.
MATCHES_BY_TERMS = 8
#: Chunks that are looked up and scored together, and documents whose connections are written together.
CHUNKS_PER_BATCH = 64
DOCUMENTS_PER_WRITE = 16
#: Documents that are compared as a whole, to find editions; those with the most equal passages.
MAX_EDITION_CANDIDATES = 16
#: Equal passages that two documents need for that.
MIN_EQUAL_PASSAGES = 2
#: Maximum number of comparisons with documents that are republished each time.
MAX_RECHECKS = 5
#: Time limit of one computation: it runs at low priority and may be slow.
TIMEOUT_SECONDS = 3_600.0


@dataclass(slots=True)
class _Comparison:
    """What was found about one document."""

    scored: Scored = field(default_factory=Scored)
    versions: dict[str, DocumentPublication] = field(default_factory=dict[str, DocumentPublication])
    #: The documents with stored connections: these are written again, or removed.
    connected: set[str] = field(default_factory=set[str])
    counts: TermCounts = field(default_factory=lambda: TermCounts(0, {}))


async def connect(
    context: Context,
    *,
    connection_store: ConnectionStore,
    compute: ProcessRunner,
) -> Outcome:
    document = await connection_store.document(context.org_id, context.document_id)
    if document is None:
        return Done({"compared": 0, "connections": 0})
    # Only passages that were embedded by the same model are compared.
    job = _ConnectJob(context, connection_store, compute, document)
    compared: set[str] = set()
    connections: dict[str, int] = {}
    only: Collection[str] | None = None
    for _ in range(MAX_RECHECKS):
        comparison = await job.compare()
        diffs = await job.diffs(comparison, only)
        await job.write(comparison, diffs)
        compared |= comparison.versions.keys()
        connections |= {diff.other.document_id: len(diff.connections) for diff in diffs}
        only = await connection_store.republished(context.org_id, list(comparison.versions.values()))
        if not only:
            break
    return Done({"compared": len(compared), "connections": sum(connections.values())})


@dataclass(frozen=True, slots=True)
class _ConnectJob:
    context: Context
    store: ConnectionStore
    compute: ProcessRunner
    document: DocumentChunks

    async def compare(self) -> _Comparison:
        """Score the candidates of every chunk, and the pairs that are stored."""
        document, org_id = self.document, self.context.org_id
        comparison = _Comparison()
        stored: dict[str, set[str]] = {}
        for chunk_id, other_id, document_id in await self.store.connected_chunks(
            org_id, document.document_id
        ):
            stored.setdefault(chunk_id, set()).add(other_id)
            comparison.connected.add(document_id)
        for start in range(0, len(document.ids), CHUNKS_PER_BATCH):
            batch = document.part(range(start, start + CHUNKS_PER_BATCH))
            found = await self.store.candidates(org_id, batch, NEIGHBOURS, MATCHES_BY_TERMS)
            numbers = sorted(set[int]().union(*found.chunk_numbers))
            known = {chunk_id: stored.get(chunk_id, set()) for chunk_id in batch.ids}
            others, id_by_number = await self.store.chunks(
                org_id, document, numbers, sorted(set[str]().union(*known.values()))
            )
            pairs = {
                chunk_id: frozenset(
                    id_by_number[number] for number in found.chunk_numbers[row] if number in id_by_number
                ).union(known[chunk_id])
                for row, chunk_id in enumerate(batch.ids)
            }
            work = Work(batch, found.similarities, others, pairs, found.counts)
            comparison.scored.add(await self.compute.run(score, work, seconds=TIMEOUT_SECONDS))
            for other in others:
                comparison.versions.setdefault(other.document_id, other.version)
            comparison.counts = found.counts
            await self.context.progress(start + len(batch.ids), len(document.ids), ProgressUnit.CHUNK)
        return comparison

    async def diffs(self, comparison: _Comparison, only: Collection[str] | None) -> list[ConnectionDiff]:
        """The connections by other document that has or had some; with ``only`` those of some documents."""
        scored, versions = comparison.scored, comparison.versions
        shares = await self._editions(scored)
        marked = await self._marks()
        changed = scored.connections.keys() | comparison.connected | shares.keys() | marked.keys()
        result: list[ConnectionDiff] = []
        for document_id in sorted(changed if only is None else changed.intersection(only)):
            forced: list[Connection] = []
            moved: list[MovedMark] = []
            version = versions.get(document_id)
            if document_id in marked:
                other = await self.store.document(self.context.org_id, document_id)
                if other is None or other.model != self.document.model:
                    continue
                if version is not None and other.version != version:
                    continue
                version = other.version
                document = replace(self.document, profiles=scored.profiles)
                cells, moved = _marked_cells(document, other, marked[document_id])
                forced = await self.compute.run(
                    score_marked, document, other, cells, comparison.counts, seconds=TIMEOUT_SECONDS
                )
            if version is None:
                continue
            connections = {
                (found.a_chunk_id, found.b_chunk_id): found
                for found in (*forced, *scored.connections.get(document_id, ()))
            }
            if document_id in shares:
                connections = _edition(shares[document_id], scored.copied[document_id], forced)
            result.append(ConnectionDiff(version, list(connections.values()), moved))
        return result

    async def _marks(self) -> dict[str, list[ConnectionMark]]:
        """The pins and hides of the document, by other document."""
        own_id = self.document.document_id
        marked: dict[str, list[ConnectionMark]] = {}
        for mark in await self.store.marks(self.context.org_id, own_id):
            other_id = mark.b_document_id if mark.a_document_id == own_id else mark.a_document_id
            marked.setdefault(other_id, []).append(mark)
        return marked

    async def _editions(self, scored: Scored) -> dict[str, float]:
        """The documents that share much text with this one, and how much."""
        equal = {
            document_id: len({own for own, _, _ in copies}) for document_id, copies in scored.copied.items()
        }
        hinted = sorted(
            (document_id for document_id, count in equal.items() if count >= MIN_EQUAL_PASSAGES),
            key=lambda document_id: (-equal[document_id], document_id),
        )[:MAX_EDITION_CANDIDATES]
        if not hinted:
            return {}
        texts = await self.store.texts(self.context.org_id, hinted)
        return await self.compute.run(editions, self.document.texts, texts, seconds=TIMEOUT_SECONDS)

    async def write(self, comparison: _Comparison, diffs: Sequence[ConnectionDiff]) -> None:
        profiles = comparison.scored.profiles
        for start in range(0, max(1, len(diffs)), DOCUMENTS_PER_WRITE):
            batch = diffs[start : start + DOCUMENTS_PER_WRITE]
            await self.context.write(
                Connect(self.document.version, batch, self.context.now(), profiles if start == 0 else {})
            )


def _edition(
    share: float, copies: Sequence[tuple[str, str, float]], forced: Sequence[Connection]
) -> dict[tuple[str, str], Connection]:
    """One connection for two editions: at the pair that a person marked, or at the most equal passages."""
    score = round(share, 4)
    if forced:
        return {
            (mark.a_chunk_id, mark.b_chunk_id): Connection(
                mark.a_chunk_id, mark.b_chunk_id, score, "edition", score
            )
            for mark in forced[:1]
        } | {(mark.a_chunk_id, mark.b_chunk_id): mark for mark in forced[1:]}
    _, a, b = min((-quoted, *sorted((own, other))) for own, other, quoted in copies)
    return {(a, b): Connection(a, b, score, "edition", score)}


def _marked_cells(
    document: DocumentChunks, other: DocumentChunks, marks: Sequence[ConnectionMark]
) -> tuple[list[tuple[int, int]], list[MovedMark]]:
    """The rows of the pairs that a person pinned or hid, in the current chunks."""
    cells: list[tuple[int, int]] = []
    moved_marks: list[MovedMark] = []
    for mark in marks:
        seen = {mark.a_document_id: (mark.a_chunk_id, mark.a_text)}
        seen[mark.b_document_id] = (mark.b_chunk_id, mark.b_text)
        row = _current_row(document, *seen[document.document_id])
        other_row = _current_row(other, *seen[other.document_id])
        if row is None or other_row is None:
            continue
        cells.append((row, other_row))
        if {document.ids[row], other.ids[other_row]} != {mark.a_chunk_id, mark.b_chunk_id}:
            moved_marks.append(_move_mark(mark, (document, row), (other, other_row)))
    return cells, moved_marks


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
