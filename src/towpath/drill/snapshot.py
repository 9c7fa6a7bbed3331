"""Reads the content of an instance, and describes the differences between two instances."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sqlalchemy import func, select

from towpath.drill.instance import Instance
from towpath.ledger.columns import to_json
from towpath.ledger.tables import (
    artifacts,
    chunks,
    connections,
    document_fields,
    documents,
    provider_calls,
)

#: Largest difference between the components of two equal vectors: they are stored as 32-bit floats.
VECTOR_TOLERANCE = 1e-5
#: Differences of one kind that are listed in full.
MAX_LISTED = 5
#: The share of connections that two instances with approximate vector indexes must have in common.
MIN_SHARED_CONNECTIONS = 0.95


@dataclass(slots=True)
class DocumentSnapshot:
    """Everything that was made from one document."""

    name: str
    status: str
    chunks: dict[str, str] = field(default_factory=dict[str, str])
    vectors: dict[str, Any] = field(default_factory=dict[str, Any])
    fields: list[str] = field(default_factory=list[str])
    artifacts: dict[str, str] = field(default_factory=dict[str, str])
    connections: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Snapshot:
    documents: Mapping[str, DocumentSnapshot]
    calls: int

    def count(self, part: str) -> int:
        return sum(len(getattr(document, part)) for document in self.documents.values())


async def take_snapshot(instance: Instance) -> Snapshot:
    snapshots = {
        str(row.id): DocumentSnapshot(instance.document_names.get(str(row.id), str(row.id)), row.status)
        for row in await instance.rows(select(documents.c.id, documents.c.status))
    }
    for row in await instance.rows(select(chunks)):
        document = snapshots[str(row.document_id)]
        document.chunks[str(row.id)] = json.dumps(
            [row.ordinal, row.text, to_json(row.anchor)], sort_keys=True
        )
        document.vectors[str(row.id)] = np.asarray(row.vector, np.float32)
    for row in await instance.rows(select(document_fields).order_by(document_fields.c.id)):
        description = json.dumps(
            [row.name, row.value, row.kind, row.confidence, to_json(row.anchor)], sort_keys=True
        )
        snapshots[str(row.document_id)].fields.append(description)
    for row in await instance.rows(select(artifacts.c.document_id, artifacts.c.kind, artifacts.c.sha256)):
        snapshots[str(row.document_id)].artifacts[row.kind] = row.sha256
    for row in await instance.rows(select(connections)):
        description = f"{row.a_chunk_id} and {row.b_chunk_id}: {row.kind} {row.score:.3f}"
        snapshots[str(row.a_document_id)].connections.append(description)
    call = provider_calls.c
    [counts] = await instance.rows(select(func.count().filter(call.status == "ANSWERED")))
    return Snapshot(snapshots, int(counts[0]))


def differences(expected: Snapshot, actual: Snapshot, *, exact: bool = True) -> list[str]:
    """All differences, the most important first; empty if the instances are equal.

    Without ``exact``, the vector index is approximate, and a few connections may differ by chance.
    """
    findings: list[str] = []
    findings += _shortened(
        f"{expected.documents[key].name} is lost" for key in expected.documents if key not in actual.documents
    )
    findings += _shortened(
        f"{actual.documents[key].name} exists twice"
        for key in actual.documents
        if key not in expected.documents
    )
    both = [
        (expected.documents[key], actual.documents[key])
        for key in expected.documents
        if key in actual.documents
    ]
    compare_all = exact or _connections_shared(both) < MIN_SHARED_CONNECTIONS
    compared: list[Compare] = [_status, _chunks, _vectors, _fields, _artifacts]
    for compare in [*compared, _connections] if compare_all else compared:
        findings += _shortened(description for pair in both if (description := compare(*pair)))
    if expected.calls != actual.calls:
        findings.append(f"stored provider calls: {actual.calls} instead of {expected.calls}")
    return findings


def _connections_shared(both: list[tuple[DocumentSnapshot, DocumentSnapshot]]) -> float:
    """The share of all connections that both instances have."""
    expected = {key for pair in both for key in pair[0].connections}
    actual = {key for pair in both for key in pair[1].connections}
    return len(expected & actual) / max(1, len(expected | actual))


def _shortened(findings: Iterator[str]) -> list[str]:
    everything = list(findings)
    more = len(everything) - MAX_LISTED
    return [*everything[:MAX_LISTED], f"... and {more} more like it"] if more > 0 else everything


Compare = Callable[[DocumentSnapshot, DocumentSnapshot], str | None]


def _status(expected: DocumentSnapshot, actual: DocumentSnapshot) -> str | None:
    if expected.status == actual.status:
        return None
    return f"{expected.name} is {actual.status} instead of {expected.status}"


def _chunks(expected: DocumentSnapshot, actual: DocumentSnapshot) -> str | None:
    if expected.chunks == actual.chunks:
        return None
    missing, unexpected = (
        expected.chunks.keys() - actual.chunks.keys(),
        actual.chunks.keys() - expected.chunks.keys(),
    )
    changed = sum(
        expected.chunks[key] != actual.chunks[key] for key in expected.chunks.keys() & actual.chunks.keys()
    )
    return (
        f"{expected.name} has {len(actual.chunks)} chunks instead of {len(expected.chunks)}: "
        f"{len(missing)} missing, {len(unexpected)} unexpected, {changed} with another text or anchor"
    )


def _vectors(expected: DocumentSnapshot, actual: DocumentSnapshot) -> str | None:
    shared = expected.vectors.keys() & actual.vectors.keys()
    off = [key for key in shared if not _vectors_equal(expected.vectors[key], actual.vectors[key])]
    return f"{expected.name} has {len(off)} chunks with another vector" if off else None


def _vectors_equal(expected: Any, actual: Any) -> bool:
    return expected.shape == actual.shape and bool(np.allclose(expected, actual, atol=VECTOR_TOLERANCE))


def _fields(expected: DocumentSnapshot, actual: DocumentSnapshot) -> str | None:
    if expected.fields == actual.fields:
        return None
    return (
        f"{expected.name} has {len(actual.fields)} fields instead of {len(expected.fields)}, or other values"
    )


def _artifacts(expected: DocumentSnapshot, actual: DocumentSnapshot) -> str | None:
    if expected.artifacts == actual.artifacts:
        return None
    missing = sorted(expected.artifacts.keys() - actual.artifacts.keys())
    what = f"no {', '.join(missing)}" if missing else "other artifacts"
    return f"{expected.name} has {what}"


def _connections(expected: DocumentSnapshot, actual: DocumentSnapshot) -> str | None:
    if sorted(expected.connections) == sorted(actual.connections):
        return None
    missing = len(set(expected.connections) - set(actual.connections))
    unexpected = len(set(actual.connections) - set(expected.connections))
    return f"{expected.name} has {missing} connections missing and {unexpected} unexpected"
