"""Builds the row that `submit.sql` stores for a submission."""

from __future__ import annotations

from towpath.ledger.contract.ledger import Submission
from towpath.model.ids import new_id


def submission_row(submission: Submission, document_id: str) -> dict[str, object]:
    """The document, its run and its first job as one row."""
    document, plan = submission.document, submission.plan
    return {
        "document_id": document_id,
        "org_id": document.org_id,
        "kind": document.kind,
        "name": document.name,
        "media_type": document.media_type,
        "size": document.size,
        "sha256": document.sha256,
        "blob_key": document.blob_key,
        "key": document.key,
        "run_id": new_id(),
        "pipeline": plan.pipeline,
        "version": plan.version,
        "options": plan.options,
        "deadline_seconds": plan.deadline_seconds,
        "continue_after_timeout": plan.continue_after_timeout,
        "policy": plan.policy,
        "job_id": new_id(),
        "stage": plan.stages[0],
        "payload": plan.payload,
        "max_attempts": plan.max_attempts,
    }
