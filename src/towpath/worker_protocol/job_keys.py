"""Decides which blobs a worker that speaks HTTP may read with its job, and name in its result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from towpath.model.job import ClaimedJob
from towpath.storage.contract import document_key, is_key

#: Every blob of an organization has a key that begins with this.
_ALL_ORGANIZATIONS = "orgs/"


def may_read(job: ClaimedJob, key: str) -> bool:
    """The uploaded file, blobs of its document, and blobs of its organization that earlier results of the run name."""
    if key.startswith(document_key(job.org_id, job.document_id, "x")[:-1]):
        return True
    document = cast("dict[str, str]", job.options["document"])
    prefix = f"{_ALL_ORGANIZATIONS}{job.org_id}/"
    return key == document["blob_key"] or (key.startswith(prefix) and key in set(_texts(job.results)))


def find_forbidden_key(job: ClaimedJob, result: object) -> str | None:
    """The first blob in a result that the job may not read: later stages read what a result names."""
    for text in _texts(result):
        if text.startswith(_ALL_ORGANIZATIONS) and is_key(text) and not may_read(job, text):
            return text
    return None


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("Mapping[str, object]", value).values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _texts(item)
