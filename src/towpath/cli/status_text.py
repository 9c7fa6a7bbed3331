"""Turns the codes of the API into the sentences and labels that commands print."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from towpath.cli.text_format import exact_duration, shortened, size_text

_WAITING: Mapping[str, str] = {
    "free_worker": "Waiting for a free worker",
    "earlier_run": "Waiting for run {run_id} of the same document",
    "retry": "Retrying after an error",
    "provider_throttled": "{provider} is rate-limited",
    "provider_refused": "{provider} refuses the account: check its key, credit and permissions",
    "provider_limit": "Waiting for {provider}: the limit of concurrent or per-minute calls is reached",
    "provider_operation": "{provider} is processing the file",
    "same_call_elsewhere": "Another job is making the same call to {provider}",
    "storage": "The blob storage does not answer",
    "unknown_stage": "No running worker knows this stage",
    "paused": "Paused by an operator",
    "worker_stopped": "The worker was stopped; waiting for a free worker",
}


def waiting_sentence(answer: Mapping[str, Any]) -> str | None:
    """Why a document or a job waits and until when; None if it does not wait."""
    reason = answer["waiting_reason"]
    if reason is None:
        return None
    template = _WAITING.get(reason, f"Waiting ({reason})")
    provider = answer["waiting_provider"] or "the provider"
    text = template.format(provider=provider, run_id=answer["waiting_run_id"])
    text = text[0].upper() + text[1:]
    if answer["waiting_until"]:
        text += f", next try at {clock_time(answer['waiting_until'])}"
    return f"{text}: {answer['waiting_detail']}" if answer["waiting_detail"] else f"{text}."


def progress_text(progress: Mapping[str, Any] | None) -> str:
    """`page 3 of 12`, `2 min of 5 min`, `2.0 MB of 8.0 MB`; empty while the total is unknown."""
    if progress is None or progress["total"] <= 0:
        return ""
    total, unit = progress["total"], progress["unit"]
    done = min(progress["done"], total)
    if unit == "second":
        return f"{exact_duration(done)} of {exact_duration(total)}"
    if unit == "byte":
        return f"{size_text(done)} of {size_text(total)}"
    return f"{unit} {done:,} of {total:,}"


def stage_line(stage: Mapping[str, Any]) -> str:
    """One line about a stage: label, status, seconds, progress, notes."""
    seconds = "" if stage["seconds"] is None else f"{stage['seconds']:8.2f} s"
    notes = [
        progress_text(stage["progress"]),
        f"completed at {clock_time(stage['completed_at'])}" if stage["completed_at"] else "",
        f"last heartbeat at {clock_time(stage['last_heartbeat'])}" if stage["last_heartbeat"] else "",
        "reused" if stage["reused"] else "",
        counted(stage["calls_made"], "provider call") if stage["calls_made"] else "",
        counted(stage["calls_reused"], "cached answer") if stage["calls_reused"] else "",
        counted(stage["attempts"], "failed attempt") if stage["attempts"] else "",
        counted(stage["crashes"], "crash", "crashes") if stage["crashes"] else "",
    ]
    text = ", ".join(note for note in notes if note)
    return f"  {stage['label']:19} {stage['status']:11}{seconds}  {text}".rstrip()


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """`1 file`, `2 files`."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def clock_time(timestamp: str) -> str:
    """The local time of day of an ISO 8601 timestamp."""
    return datetime.fromisoformat(timestamp).astimezone().strftime("%H:%M:%S")


def anchor_text(anchor: Mapping[str, Any]) -> str:
    """`page 3`, the heading of a chapter, or `at 1:02`; empty if the anchor has none of them."""
    if "seconds_start" in anchor:
        minutes, seconds = divmod(int(anchor["seconds_start"]), 60)
        return f"at {minutes}:{seconds:02}"
    headings = anchor.get("heading_path")
    if anchor.get("unit") == "chapter" and headings:
        # The number of a chapter's file is no number that a reader knows.
        return shortened(str(headings[-1]), 60)
    return f"{anchor.get('unit', 'page')} {anchor['page']}" if anchor.get("page") else ""
