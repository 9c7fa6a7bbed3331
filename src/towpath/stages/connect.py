"""connect: passages of other documents that speak of the same thing. A job of its own after the document is ready.

The index only names the documents worth comparing; each is then compared with this one passage by passage, and
all that connects the two is written at once, for the versions that were compared. One that was published anew
meanwhile is compared again, for its own `connect` may have so many nearer ones that it does not come to this; and if
this document was, its own next `connect` comes after. So the last word is always about what is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from towpath.model.work import Done, Outcome
from towpath.model.writes import Between, Carry, Connect, Connection, Version
from towpath.stages.background import MEASURED, SAMPLE, Background, guess
from towpath.stages.capabilities import Compute, Library, Mark, Passages
from towpath.stages.contract import Context
from towpath.stages.matching import Comparison, successor

#: Nearest passages of other documents looked up for each passage.
DEPTH = 16
#: Above chance by so many standard deviations, a passage makes its document worth comparing.
WORTH = 3.0
#: Passages looked up at once, and documents compared and written at once.
AT_ONCE = 64
DOCUMENTS_AT_ONCE = 8
#: A document is compared with at most this many others, and with one more for each of its passages.
FEW = 32
#: Connections stored for one passage; the best of them are shown, the others step in when one of those goes.
KEPT = 20
#: How often a document is compared again that is published anew each time; then its own `connect` has to do.
ROUNDS = 5
#: Comparing gives way to all other work, so it may take its time.
PATIENCE = 3_600.0


async def connect(context: Context, *, library: Library, compute: Compute, model: str) -> Outcome:
    found = await library.passages(context.org_id, [context.document_id], None)
    if not found or not found[0].ids:
        return Done({"compared": 0, "connections": 0})
    mine = found[0]
    if mine.model != model:
        # Its vectors compare with nothing that this installation makes; processed anew, it is connected.
        return Done({"compared": 0, "connections": 0, "skipped": f"embedded by {mine.model}"})
    background = await _background(context, library, model)
    named, known = await _worth_comparing(context, library, mine, background)
    marks = await library.marks(context.org_id, context.document_id)
    limits = _Limits(mine, named)
    others = [*named, *known]
    connections: dict[str, int] = {}
    for start in range(0, len(others), DOCUMENTS_AT_ONCE):
        some: Sequence[str] = others[start : start + DOCUMENTS_AT_ONCE]
        for _ in range(ROUNDS):
            theirs = {
                one.document_id: one for one in await library.passages(context.org_id, some, mine.model)
            }
            compared = [theirs[document_id] for document_id in some if document_id in theirs]
            matches = await compute.run(compare, mine, compared, background, marks, seconds=PATIENCE)
            between = [limits.between(one) for one in matches]
            await context.write(Connect(mine.version, between, context.now()))
            connections |= {one.other.document_id: len(one.found) for one in between}
            some = await library.changed(context.org_id, [one.version for one in compared])
            if not some:
                break
        await context.progress(min(start + DOCUMENTS_AT_ONCE, len(others)), len(others))
    return Done({"compared": len(others), "connections": sum(connections.values())})


async def _background(context: Context, library: Library, model: str) -> Background:
    known = MEASURED.get(model)
    return known or guess(await library.sample(context.org_id, model, SAMPLE))


async def _worth_comparing(
    context: Context, library: Library, mine: Passages, background: Background
) -> tuple[list[str], list[str]]:
    """The documents with the nearest passages, best first; and the others that this one is connected with so far."""
    floor = background.mean + WORTH * background.spread
    best: dict[str, float] = {}
    for start in range(0, len(mine.ids), AT_ONCE):
        rows = range(start, min(start + AT_ONCE, len(mine.ids)))
        for document_id, cosine in (await library.nearest(context.org_id, mine, rows, DEPTH)).items():
            if cosine >= floor:
                best[document_id] = max(cosine, best.get(document_id, cosine))
        context.check()
    ranked = sorted(best, key=lambda document_id: (-best[document_id], document_id))
    named = ranked[: FEW + len(mine.ids)]
    known = await library.connected(context.org_id, mine.document_id) - set(named)
    return named, sorted(known)


@dataclass(frozen=True, slots=True)
class Match:
    """What connects a document with this one: by itself, and because a person decided so."""

    version: Version
    pairs: Sequence[Connection]
    kept: Sequence[Connection]
    carried: Sequence[Carry]


class _Limits:
    """How many connections each passage of this document is given in this job.

    New ones are made with the documents that the index named, which are the same whatever came first. With the
    others that this one happens to be connected with, what stands is brought up to date.
    """

    def __init__(self, mine: Passages, named: Sequence[str]) -> None:
        self._given = dict.fromkeys(mine.ids, 0)
        self._named = set(named)
        self._by_document: dict[str, list[str]] = {}

    def between(self, match: Match) -> Between:
        document_id = match.version.document_id
        for passage in self._by_document.pop(document_id, ()):
            self._given[passage] -= 1
        admitted = [one for one in match.pairs if self._admit(one, document_id)]
        chosen = {(one.a_chunk_id, one.b_chunk_id) for one in admitted}
        forced = [one for one in match.kept if (one.a_chunk_id, one.b_chunk_id) not in chosen]
        chosen |= {(one.a_chunk_id, one.b_chunk_id) for one in forced}
        left = [one for one in match.pairs if (one.a_chunk_id, one.b_chunk_id) not in chosen]
        valid = frozenset((one.a_chunk_id, one.b_chunk_id) for one in (*match.pairs, *match.kept))
        return Between(match.version, [*admitted, *forced], valid, match.carried, left)

    def _admit(self, one: Connection, document_id: str) -> bool:
        mine = one.a_chunk_id if one.a_chunk_id in self._given else one.b_chunk_id
        if document_id not in self._named or self._given[mine] >= KEPT:
            return False
        self._given[mine] += 1
        self._by_document.setdefault(document_id, []).append(mine)
        return True


def compare(
    mine: Passages, others: Sequence[Passages], background: Background, marks: Sequence[Mark]
) -> list[Match]:
    """This document with each of the others. Slow: runs in a process of its own."""
    matches: list[Match] = []
    for other in others:
        comparison = Comparison(mine, other, background)
        about = [one for one in marks if other.document_id in (one.a_document_id, one.b_document_id)]
        kept, carried = _kept(comparison, mine, other, about)
        matches.append(Match(other.version, comparison.pairs(), kept, carried))
    return matches


def _kept(
    comparison: Comparison, mine: Passages, other: Passages, marks: Sequence[Mark]
) -> tuple[list[Connection], list[Carry]]:
    """Connections that a person decided about, on the passages that are there now."""
    cells: list[tuple[int, int]] = []
    carried: list[Carry] = []
    for mark in marks:
        seen = {mark.a_document_id: (mark.a_chunk_id, mark.a_text)}
        seen[mark.b_document_id] = (mark.b_chunk_id, mark.b_text)
        here = _now(mine, *seen[mine.document_id])
        there = _now(other, *seen[other.document_id])
        if here is None or there is None:
            continue
        cells.append((here, there) if comparison.first is mine else (there, here))
        if {mine.ids[here], other.ids[there]} != {mark.a_chunk_id, mark.b_chunk_id}:
            carried.append(_carry(mark, (mine, here), (other, there)))
    return comparison.chosen(cells), carried


def _now(passages: Passages, chunk_id: str, text: str) -> int | None:
    return passages.ids.index(chunk_id) if chunk_id in passages.ids else successor(text, passages)


def _carry(mark: Mark, *sides: tuple[Passages, int]) -> Carry:
    a, b = sorted(sides, key=lambda side: side[0].ids[side[1]])
    return Carry(
        mark.id,
        a[0].document_id,
        b[0].document_id,
        a[0].ids[a[1]],
        b[0].ids[b[1]],
        a[0].texts[a[1]],
        b[0].texts[b[1]],
    )
