"""Turns a finished upload into a document, a run and a job: store and sync, commit, then answer."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast

from towpath.clock import Clock
from towpath.config.pipelines import PipelineRule
from towpath.errors import UserError
from towpath.intake.detect_media_type import detect_file
from towpath.intake.upload import UploadFile
from towpath.ledger.contract.ledger import Ledger, RunPlan, Submission, Submitted
from towpath.model.audit import Actor
from towpath.model.document import Document, NewDocument
from towpath.model.document_version import with_version
from towpath.model.ids import new_id
from towpath.model.labels import NO_LABELS, Labels
from towpath.model.media_type_parameters import with_full_text
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
    def size(self) -> int: ...
    @property
    def sha256(self) -> str: ...
    @property
    def blob_key(self) -> str: ...
    @property
    def version(self) -> int: ...


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
    rules: Sequence[PipelineRule] = ()

    async def accept(
        self,
        org_id: str,
        name: str,
        upload: UploadFile,
        idempotency_key: str | None = None,
        actor: Actor | None = None,
        labels: Labels = NO_LABELS,
        pipeline: str | None = None,
        document_key: str | None = None,
        replaces: str | None = None,
    ) -> Submitted:
        """Store the upload and queue its run. Without ``pipeline`` the rules choose one, else the kind of file.

        It is the next version of the document with ``document_key``, or of the one whose id is ``replaces``.
        """
        self.require_pipeline(pipeline)
        display_name = clean_name(name)
        detected = await upload.read_by(lambda path: detect_file(path, display_name))
        key = original_key(org_id, new_id())
        await self.blobs.put_file(key, upload.path)
        document = NewDocument(
            org_id,
            display_name,
            detected.kind,
            detected.media_type,
            upload.size,
            upload.sha256,
            key,
            document_key,
        )
        plan = self.plan_for(document, detected.unsupported_reason, pipeline, labels.metadata)
        submission = Submission(document, plan, idempotency_key, actor, labels, replaces)
        in_transaction = self.notifier.should_notify_in_transaction()
        now = self.clock.now()
        try:
            submitted = await self.ledger.submit(submission, now, notify=in_transaction)
        except UserError:
            await self.blobs.delete(key)
            raise
        if submitted.duplicate or submitted.known_blob_key:
            await self._keep_one_blob(key, submitted)
        if submitted.duplicate and pipeline is not None:
            submitted = await self._run_by(pipeline, org_id, submitted, plan)
        if not in_transaction:
            self.notifier.notify()
        is_new = not submitted.duplicate and document_key is None and replaces is None
        if is_new and labels == NO_LABELS:
            return replace(submitted, document=_stored(submitted.document_id, document, now))
        return submitted

    async def _keep_one_blob(self, key: str, submitted: Submitted) -> None:
        """Delete the blob that known bytes do not need; a stored blob that is missing gets these bytes."""
        known_key = submitted.known_blob_key
        if submitted.adopted:
            if known_key:
                await self.blobs.delete(known_key)
            return
        if known_key and await self.blobs.size(known_key) is None:
            await self.blobs.put(known_key, await self.blobs.get(key))
        await self.blobs.delete(key)

    async def _run_by(self, pipeline: str, org_id: str, submitted: Submitted, plan: RunPlan) -> Submitted:
        """Queue a run of a known document by the pipeline that this upload asks for, unless it had one."""
        runs = await self.ledger.runs(submitted.document_id, org_id=org_id)
        if any(run.pipeline == pipeline for run in runs) or not submitted.known_blob_key:
            return submitted
        plan = replace(plan, options=with_version(plan.options, submitted.version, submitted.known_blob_key))
        run_id = await self.ledger.reprocess(submitted.document_id, plan, self.clock.now(), org_id=org_id)
        return replace(submitted, run_id=run_id)

    def require_pipeline(self, pipeline: str | None) -> None:
        if pipeline is not None and pipeline not in self.plans:
            raise UserError(f"There is no pipeline `{pipeline}`. Pipelines: {', '.join(sorted(self.plans))}.")

    def plan_for(
        self,
        document: DocumentInfo,
        unsupported_reason: str | None = None,
        pipeline: str | None = None,
        metadata: Mapping[str, object] = MappingProxyType({}),
    ) -> RunPlan:
        """The run plan of the given pipeline, else of the first rule that holds, else for this kind of document.

        With an ``unsupported_reason`` the run is created all the same and ends as rejected with it.
        """
        self.require_pipeline(pipeline)
        if pipeline is None:
            matching = (
                rule.pipeline
                for rule in self.rules
                if rule.matches(document.media_type, document.name, metadata)
            )
            pipeline = next(matching, document.kind)
        plan = self.plans.get(pipeline) or self.plans["document"]
        properties: dict[str, object] = {
            "name": document.name,
            "media_type": document.media_type,
            "size": document.size,
            "sha256": document.sha256,
            "blob_key": document.blob_key,
            "refusal": unsupported_reason,
        }
        if document.version > 1:
            properties["version"] = document.version
        return replace(plan, options={**plan.options, "document": properties})

    def with_full_text(self, plan: RunPlan) -> RunPlan:
        """The same plan, but a web page is read as a whole, with its navigation."""
        document = cast("dict[str, object]", plan.options["document"])
        media_type = with_full_text(str(document["media_type"]))
        return replace(plan, options={**plan.options, "document": {**document, "media_type": media_type}})

    def without_cached_answers(self, plan: RunPlan, cache_salt: str) -> RunPlan:
        """The same plan without cached answers: every provider call is made and paid for again."""
        return replace(plan, options={**plan.options, "salt": cache_salt})


def _stored(document_id: str, new: NewDocument, now: datetime) -> Document:
    """A document without labels as its submission stored it."""
    return Document(
        document_id,
        new.org_id,
        new.kind,
        new.name,
        new.media_type,
        new.size,
        new.sha256,
        new.blob_key,
        "PROCESSING",
        searchable=False,
        summary={},
        created_at=now,
        updated_at=now,
    )


def clean_name(name: str) -> str:
    """A display name without folders and control characters, at most 255 long. Never used as a path."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    visible = "".join(c for c in unicodedata.normalize("NFC", last) if unicodedata.category(c)[0] != "C")
    return visible.strip()[:255] or "unnamed"
