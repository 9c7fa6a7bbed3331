"""resubmit: the same bytes again are the same document; a new run starts only if the last one failed and may work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Row, select

from towpath.ledger.columns import to_json
from towpath.ledger.contract.ledger import RunPlan, Submission, Submitted
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_versions, documents, processing_runs
from towpath.ledger.verbs import versions
from towpath.ledger.verbs.queue_run import queue_run
from towpath.lifecycle.transitions import RUN_ENDS
from towpath.model.document_version import with_version
from towpath.model.run import FailureType, RunReason, RunState


def resubmit(
    tx: Transaction, submission: Submission, document_id: str, number: int, now: datetime
) -> Submitted:
    """``number`` is the newest version, which has these bytes. The caller has locked the document."""
    org_id = submission.document.org_id
    run = processing_runs.c
    last = tx.connection.execute(
        select(
            run.id,
            run.state,
            run.failure_type,
            run.rejected_by,
            run.pipeline_version,
            run.options,
        )
        .where(run.document_id == document_id)
        .order_by(run.created_at.desc(), run.id.desc())
        .limit(1)
    ).one_or_none()
    known_key = _blob_key(tx, document_id, number)
    unsuccessful = RUN_ENDS - {RunState.COMPLETED}
    if last is not None and (
        RunState(last.state) not in unsuccessful or _would_be_rejected_again(last, submission.plan)
    ):
        return Submitted(document_id, str(last.id), duplicate=True, known_blob_key=known_key, version=number)
    # The blob of this upload replaces the stored one, which may be the reason of the failure.
    new_key = submission.document.blob_key
    versions.set_blob_key(tx, document_id, number, new_key)
    plan = submission.plan
    if number > 1:
        plan = replace(plan, options=with_version(plan.options, number, new_key))
    run_id = queue_run(tx, document_id, org_id, plan, now, RunReason.SUBMITTED)
    unused = "" if versions.keys_in_use(tx, org_id, [known_key]) else known_key
    return Submitted(document_id, run_id, duplicate=True, adopted=True, known_blob_key=unused, version=number)


def _blob_key(tx: Transaction, document_id: str, number: int) -> str:
    of_version = select(document_versions.c.blob_key).where(
        document_versions.c.document_id == document_id, document_versions.c.number == number
    )
    of_document = select(documents.c.blob_key).where(documents.c.id == document_id)
    key = tx.connection.execute(of_version).scalar()
    return str(tx.connection.execute(of_document).scalar_one() if key is None else key)


def _would_be_rejected_again(last: Row[Any, Any, Any, Any, Any, Any], plan: RunPlan) -> bool:
    """Whether the last run was rejected here, with the same pipeline version and options.

    A provider's rejection is no property of the bytes: it may depend on the model, the account or the settings.
    """
    if last.failure_type != FailureType.REJECTED or last.rejected_by is not None:
        return False
    if last.pipeline_version != plan.version:
        return False
    return _verdict_inputs(to_json(last.options)) == _verdict_inputs(plan.options)


def _verdict_inputs(options: Mapping[str, object]) -> dict[str, object]:
    """The options a rejection can depend on: all but the file's name, blob key and version."""
    document = options.get("document")
    if not isinstance(document, dict):
        return dict(options)
    properties = cast("dict[str, object]", document)
    relevant = {
        name: value for name, value in properties.items() if name not in ("name", "blob_key", "version")
    }
    return {**options, "document": relevant}
