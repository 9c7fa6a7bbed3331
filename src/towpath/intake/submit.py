"""From a finished upload to Document + Run + Job: stored and synced first, committed next, answered last."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from towpath.clock import Clock
from towpath.errors import KeyConflict
from towpath.intake.detect import detect_file
from towpath.intake.upload import Spool
from towpath.ledger.contract import Ledger, NewDocument, Plan, Submission, Submitted
from towpath.model.ids import new_id
from towpath.queue.contract import Bell
from towpath.storage.contract import BlobStore, original_key


class About(Protocol):
    """A document, new or known, as far as its plan depends on it."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def media_type(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def blob_key(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Intake:
    """Takes files in for whatever pipeline serves their kind."""

    ledger: Ledger
    blobs: BlobStore
    bell: Bell
    clock: Clock
    plans: Mapping[str, Plan]
    incoming: Path
    max_bytes: int

    async def accept(
        self, org_id: str, name: str, upload: Spool, idempotency_key: str | None = None
    ) -> Submitted:
        await upload.close()
        shown = clean_name(name)
        found = await asyncio.to_thread(detect_file, upload.path, shown)
        key = original_key(org_id, new_id())
        await self.blobs.put_file(key, upload.path)
        document = NewDocument(org_id, shown, found.kind, found.media_type, upload.size, upload.sha256, key)
        plan = self.plan_for(document, found.reason)
        submission = Submission(document, plan, idempotency_key=idempotency_key)
        rides = self.bell.rides()
        try:
            submitted = await self.ledger.submit(submission, self.clock.now(), ring=rides)
        except KeyConflict:
            await self.blobs.delete(key)
            raise
        if submitted.duplicate and not submitted.adopted:
            await self.blobs.delete(key)
        if not rides:
            self.bell.ring()
        return submitted

    def plan_for(self, document: About, refusal: str | None = None) -> Plan:
        """The plan for this kind, with what the stages must know of the document frozen into it.

        ``refusal`` says why there is no reader for it: the run is made all the same, and tells so.
        """
        plan = self.plans.get(document.kind) or self.plans["document"]
        about = {
            "name": document.name,
            "media_type": document.media_type,
            "sha256": document.sha256,
            "blob_key": document.blob_key,
            "refusal": refusal,
        }
        return replace(plan, options={**plan.options, "document": about})

    def afresh(self, plan: Plan, salt: str) -> Plan:
        """The same plan with remembered answers left aside: everything is asked and paid for again."""
        return replace(plan, options={**plan.options, "salt": salt})


def clean_name(name: str) -> str:
    """A name to show: no folders, no control characters, not endless. It never reaches the file system."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    visible = "".join(c for c in unicodedata.normalize("NFC", last) if unicodedata.category(c)[0] != "C")
    return visible.strip()[:255] or "unnamed"
