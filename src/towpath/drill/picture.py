"""What a copy holds when it is at rest, and how two copies differ, in words."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sqlalchemy import func, select

from towpath.drill.copies import Copy
from towpath.ledger.columns import to_json
from towpath.ledger.tables import (
    artifacts,
    chunks,
    connections,
    document_fields,
    documents,
    provider_calls,
)

#: How far the same vector may differ between two copies: they are stored as 32-bit floats.
CLOSE = 1e-5
#: Differences of one kind that are told in full.
TOLD = 5
#: The share of connections that two approximate indexes must agree about.
LUCK = 0.95


@dataclass(slots=True)
class Paper:
    """Everything that was made of one document."""

    name: str
    status: str
    chunks: dict[str, str] = field(default_factory=dict[str, str])
    vectors: dict[str, Any] = field(default_factory=dict[str, Any])
    fields: list[str] = field(default_factory=list[str])
    artifacts: dict[str, str] = field(default_factory=dict[str, str])
    connections: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Picture:
    papers: Mapping[str, Paper]
    calls: int

    def count(self, part: str) -> int:
        return sum(len(getattr(paper, part)) for paper in self.papers.values())


async def picture(copy: Copy) -> Picture:
    papers = {
        str(row.id): Paper(copy.names.get(str(row.id), str(row.id)), row.status)
        for row in await copy.ask(select(documents.c.id, documents.c.status))
    }
    for row in await copy.ask(select(chunks)):
        paper = papers[str(row.document_id)]
        paper.chunks[str(row.id)] = json.dumps([row.ordinal, row.text, to_json(row.anchor)], sort_keys=True)
        paper.vectors[str(row.id)] = np.asarray(row.vector, np.float32)
    for row in await copy.ask(select(document_fields).order_by(document_fields.c.id)):
        told = json.dumps(
            [row.name, row.value, row.kind, row.confidence, to_json(row.anchor)], sort_keys=True
        )
        papers[str(row.document_id)].fields.append(told)
    for row in await copy.ask(select(artifacts.c.document_id, artifacts.c.kind, artifacts.c.sha256)):
        papers[str(row.document_id)].artifacts[row.kind] = row.sha256
    for row in await copy.ask(select(connections)):
        told = f"{row.a_chunk_id} and {row.b_chunk_id}: {row.kind} {row.score:.3f}"
        papers[str(row.a_document_id)].connections.append(told)
    call = provider_calls.c
    [counts] = await copy.ask(select(func.count().filter(call.status == "ANSWERED")))
    return Picture(papers, int(counts[0]))


def differences(calm: Picture, storm: Picture, *, exact: bool = True) -> list[str]:
    """What is not the same, most telling first; empty when nobody could tell the copies apart.

    Without ``exact``, neighbours come from an approximate index, and a few connections may differ by its luck.
    """
    found: list[str] = []
    found += _listed(f"{calm.papers[one].name} is lost" for one in calm.papers if one not in storm.papers)
    found += _listed(
        f"{storm.papers[one].name} is there twice" for one in storm.papers if one not in calm.papers
    )
    both = [(calm.papers[one], storm.papers[one]) for one in calm.papers if one in storm.papers]
    compare_all = exact or _connections_shared(both) < LUCK
    compared: list[Compare] = [_status, _chunks, _vectors, _fields, _artifacts]
    for compare in [*compared, _connections] if compare_all else compared:
        found += _listed(told for pair in both if (told := compare(*pair)))
    if calm.calls != storm.calls:
        found.append(f"provider calls remembered: {storm.calls} instead of {calm.calls}")
    return found


def _connections_shared(both: list[tuple[Paper, Paper]]) -> float:
    """The share of all connections that both copies have."""
    calm = {one for pair in both for one in pair[0].connections}
    storm = {one for pair in both for one in pair[1].connections}
    return len(calm & storm) / max(1, len(calm | storm))


def _listed(found: Iterator[str]) -> list[str]:
    everything = list(found)
    more = len(everything) - TOLD
    return [*everything[:TOLD], f"... and {more} more like it"] if more > 0 else everything


Compare = Callable[[Paper, Paper], str | None]


def _status(calm: Paper, storm: Paper) -> str | None:
    if calm.status == storm.status:
        return None
    return f"{calm.name} is {storm.status} instead of {calm.status}"


def _chunks(calm: Paper, storm: Paper) -> str | None:
    if calm.chunks == storm.chunks:
        return None
    missing, strange = calm.chunks.keys() - storm.chunks.keys(), storm.chunks.keys() - calm.chunks.keys()
    changed = sum(calm.chunks[one] != storm.chunks[one] for one in calm.chunks.keys() & storm.chunks.keys())
    return (
        f"{calm.name} has {len(storm.chunks)} chunks instead of {len(calm.chunks)}: "
        f"{len(missing)} missing, {len(strange)} strange, {changed} with another text or place"
    )


def _vectors(calm: Paper, storm: Paper) -> str | None:
    shared = calm.vectors.keys() & storm.vectors.keys()
    off = [one for one in shared if not _alike(calm.vectors[one], storm.vectors[one])]
    return f"{calm.name} has {len(off)} chunks with another vector" if off else None


def _alike(calm: Any, storm: Any) -> bool:
    return calm.shape == storm.shape and bool(np.allclose(calm, storm, atol=CLOSE))


def _fields(calm: Paper, storm: Paper) -> str | None:
    if calm.fields == storm.fields:
        return None
    return f"{calm.name} has {len(storm.fields)} fields instead of {len(calm.fields)}, or other values"


def _artifacts(calm: Paper, storm: Paper) -> str | None:
    if calm.artifacts == storm.artifacts:
        return None
    missing = sorted(calm.artifacts.keys() - storm.artifacts.keys())
    what = f"no {', '.join(missing)}" if missing else "other artifacts"
    return f"{calm.name} has {what}"


def _connections(calm: Paper, storm: Paper) -> str | None:
    if sorted(calm.connections) == sorted(storm.connections):
        return None
    missing = len(set(calm.connections) - set(storm.connections))
    strange = len(set(storm.connections) - set(calm.connections))
    return f"{calm.name} has {missing} connections missing and {strange} strange ones"
