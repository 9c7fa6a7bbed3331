"""Turns a finished upload into a document, a run and a job: store and sync, commit, then answer."""

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
from towpath.intake.upload import UploadFile
from towpath.ledger.contract.ledger import Ledger, RunPlan, Submission, Submitted
from towpath.model.document import NewDocument
from towpath.model.ids import new_id
from towpath.notify.contract import Notifier
from towpath.storage.contract import BlobStore, original_key


class DocumentInfo(Protocol):
    """The properties of a new or existing document that its run plan depends on."""

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
    """Accepts uploads and submits them to the pipeline for their kind."""

    ledger: Ledger
    blobs: BlobStore
    notifier: Notifier
    clock: Clock
    plans: Mapping[str, RunPlan]
    scratch_dir: Path
    max_bytes: int

    async def accept(
        self, org_id: str, name: str, upload: UploadFile, idempotency_key: str | None = None
    ) -> Submitted:
        await upload.close()
        display_name = clean_name(name)
        detected = await asyncio.to_thread(detect_file, upload.path, display_name)
        key = original_key(org_id, new_id())
        await self.blobs.put_file(key, upload.path)
        document = NewDocument(
            org_id, display_name, detected.kind, detected.media_type, upload.size, upload.sha256, key
        )
        plan = self.plan_for(document, detected.unsupported_reason)
        submission = Submission(document, plan, idempotency_key=idempotency_key)
        in_transaction = self.notifier.should_notify_in_transaction()
        try:
            submitted = await self.ledger.submit(submission, self.clock.now(), notify=in_transaction)
        except KeyConflict:
            await self.blobs.delete(key)
            raise
        if submitted.duplicate and not submitted.adopted:
            await self.blobs.delete(key)
        if not in_transaction:
            self.notifier.notify()
        return submitted

    def plan_for(self, document: DocumentInfo, unsupported_reason: str | None = None) -> RunPlan:
        """The run plan for this kind of document, with the properties that stages need.

        With an ``unsupported_reason`` the run is created all the same and ends as rejected with it.
        """
        plan = self.plans.get(document.kind) or self.plans["document"]
        properties = {
            "name": document.name,
            "media_type": document.media_type,
            "sha256": document.sha256,
            "blob_key": document.blob_key,
            "refusal": unsupported_reason,
        }
        return replace(plan, options={**plan.options, "document": properties})

    def without_cached_answers(self, plan: RunPlan, cache_salt: str) -> RunPlan:
        """The same plan without cached answers: every provider call is made and paid for again."""
        return replace(plan, options={**plan.options, "salt": cache_salt})


def clean_name(name: str) -> str:
    """A display name without folders and control characters, at most 255 long. Never used as a path."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    visible = "".join(c for c in unicodedata.normalize("NFC", last) if unicodedata.category(c)[0] != "C")
    return visible.strip()[:255] or "unnamed"
