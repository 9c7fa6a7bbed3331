"""Generates docs/reference/payloads.md from the payload's argument table."""

from __future__ import annotations

from collections.abc import Iterable

from towpath.model.job_payload import ARGUMENTS, VERSION
from towpath.pipelines import call_pipeline, document_pipeline
from towpath.pipelines.stage_labels import STAGE_LABELS

_TYPES = {int: "number", str: "text", bool: "boolean", dict: "object"}
_QUEUE = [
    "## The same words in a job table elsewhere",
    "",
    "| elsewhere | here |",
    "|---|---|",
    "| `queued`, `processing`, `done`, `failed` | `PENDING`, `PROCESSING`, `COMPLETED`, `FAILED` (and `CANCELLED`) |",
    "| enqueue | submit, advance: the next stage's job is created in the transaction that completes the one before |",
    "| claim, complete | claim with a lease, settle with its epoch |",
    "| fail with backoff | fail: `attempts` rises, `available_at` is at most min(600, 30 * 2^attempts) s later |",
    "| re-enqueue with a delay (polling) | suspend: `available_at` and `arguments` change, `attempts` does not |",
]


def payloads_page() -> str:
    lines = [
        "# Payloads",
        "",
        f"The payload of a job: what a queue carries for one stage of one run. Version {VERSION}. `GET /jobs` shows",
        "the payload of every job. Fields are only added; a change of meaning raises the version. With",
        "`queue = bullmq` it is the `data` of the job in BullMQ, exactly as below: [the guide](../guides/bullmq.md).",
        "",
        "| field | type | meaning |",
        "|---|---|---|",
        f"| `version` | number | {VERSION} |",
        "| `organization` | uuid | the owner of the document; `org_id` in the tables |",
        "| `document` | uuid | the document or call; `document_id` in the tables |",
        "| `run` | uuid | the run that the job belongs to |",
        "| `stage` | text | the stage to execute: one of the codes below |",
        "| `arguments` | object | how far this stage came before it was suspended |",
        "",
        "Results of earlier stages (artifact keys, operation ids) are not arguments: the worker receives them with the",
        "job, from the completed jobs of the run, so the two can never disagree.",
        "",
        "## Stages",
        "",
        f"Documents: {_codes(document_pipeline.STAGES)}. Follow-ups such as `connect` have no arguments.",
        "",
        f"Calls: {_codes(call_pipeline.STAGES)}.",
        "",
        "| code | label |",
        "|---|---|",
        *(f"| `{code}` | {label} |" for code, label in STAGE_LABELS.items()),
        "",
        "| stage | argument | type | meaning |",
        "|---|---|---|---|",
    ]
    for stage, arguments in ARGUMENTS.items():
        for name, (kind, meaning) in arguments.items():
            shown = "any" if stage == "*" else f"`{stage}`"
            lines.append(f"| {shown} | `{name}` | {_TYPES[kind]} | {meaning} |")
    return "\n".join([*lines, "", *_QUEUE, ""])


def _codes(stages: Iterable[str]) -> str:
    return ", ".join(f"`{stage}`" for stage in stages)
