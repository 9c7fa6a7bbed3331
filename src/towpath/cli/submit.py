"""Executes `towpath submit`: uploads files and folders, with live progress."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from towpath.cli.client import Api, api
from towpath.cli.options import Target
from towpath.cli.submit_progress import SubmitProgress
from towpath.cli.table import short_id, table_lines
from towpath.cli.wording import counted
from towpath.errors import UserError

FINAL_STATUSES = ("COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED")
FAILURE_STATUSES = FINAL_STATUSES[1:]
CONCURRENT_UPLOADS = 4
#: Ids per status request.
STATUS_BATCH = 200


def submit_files(target: Target, paths: Iterable[Path], *, wait: bool, as_json: bool) -> int:
    """Upload the files, wait for their runs if asked, print the outcome; return how many failed."""
    files = list(_find_files(paths))
    if not files:
        raise UserError(f"No files found in {', '.join(map(str, paths))}.")
    return asyncio.run(_submit(target, files, wait, as_json))


def _find_files(paths: Iterable[Path]) -> Iterable[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))
        else:
            yield path


async def _submit(target: Target, files: list[Path], wait: bool, as_json: bool) -> int:
    with _progress_display(as_json, len(files)) as display:
        async with api(target, with_worker=wait) as server:
            uploads = await _send_all(server, files, display)
            refused = [upload for upload in uploads if "upload_error" in upload]
            if wait:
                await _watch(server, [upload for upload in uploads if "id" in upload], display)
    _report(uploads, as_json)
    return len(refused) + sum(upload.get("status") in FAILURE_STATUSES for upload in uploads)


async def _send_all(server: Api, files: list[Path], display: SubmitProgress) -> list[dict[str, Any]]:
    slots = asyncio.Semaphore(CONCURRENT_UPLOADS)
    display.begin("uploaded", len(files))

    async def send(path: Path) -> dict[str, Any]:
        async with slots:
            try:
                with path.open("rb") as file:
                    document = await server.post("/documents", files={"file": (path.name, file)})
            except (UserError, OSError) as error:
                return {"path": str(path), "upload_error": str(error)}
            finally:
                display.advance()
            return {"path": str(path), **document}

    return await asyncio.gather(*(send(path) for path in files))


async def _watch(server: Api, uploads: list[dict[str, Any]], display: SubmitProgress) -> None:
    """Poll the statuses of active documents in batches, at the interval that the server asks for."""
    active = {upload["id"]: upload for upload in uploads}
    display.begin("processed", len(active))
    while active:
        ids = list(active)
        statuses: list[dict[str, Any]] = []
        for start in range(0, len(ids), STATUS_BATCH):
            statuses += await server.get("/documents/status", ids=",".join(ids[start : start + STATUS_BATCH]))
        for status in statuses:
            upload = active[status["document_id"]]
            upload["status"], upload["error"] = status["status"], status["error"]
            upload["failure_type"] = (status["run"] or {}).get("failure_type")
            display.show_stage(upload["id"], Path(upload["path"]).name, status)
            if _is_finished(status, server):
                del active[status["document_id"]]
                display.advance()
        for document_id in active.keys() - {status["document_id"] for status in statuses}:
            # Deleted by another person meanwhile.
            active.pop(document_id).update(status="CANCELLED", error="The document was deleted.")
            display.advance()
        if active:
            delays_ms = [s["poll_after_ms"] for s in statuses if s["poll_after_ms"] is not None]
            await asyncio.sleep(min(delays_ms, default=500) / 2000)


def _is_finished(status: dict[str, Any], server: Api) -> bool:
    """True when the run has ended and, if this process is the worker, its follow-up jobs have too."""
    pending = [stage for stage in status["stages"] if stage["status"] in ("PENDING", "PROCESSING")]
    ended = status["poll_after_ms"] is None and status["status"] in FINAL_STATUSES
    return ended and not (server.has_worker and pending)


def _progress_display(quiet: bool, files: int) -> SubmitProgress:
    display = SubmitProgress(quiet=quiet)
    display.announce(f"Submitting {counted(files, 'file')} …")
    return display


def _report(uploads: list[dict[str, Any]], as_json: bool) -> None:
    """Print one line per document, the failures as a table, and the counts."""
    if as_json:
        for upload in uploads:
            click.echo(json.dumps(upload, ensure_ascii=False))
        return
    accepted = [upload for upload in uploads if "id" in upload]
    rows = [(short_id(upload["id"]), upload["status"], upload["path"]) for upload in accepted]
    if rows:
        click.echo("\n".join(table_lines(("ID", "STATUS", "FILE"), rows)))
    if failures := [_failure_row(upload) for upload in uploads if _has_failed(upload)]:
        click.echo("\nFailed:")
        click.echo("\n".join(table_lines(("ID", "FILE", "CODE", "REASON"), failures)))
    click.echo(summary_line(uploads))


def _has_failed(upload: dict[str, Any]) -> bool:
    return "upload_error" in upload or upload["status"] in FAILURE_STATUSES


def _failure_row(upload: dict[str, Any]) -> tuple[str, str, str, str]:
    if "upload_error" in upload:
        return "-", upload["path"], "REFUSED", upload["upload_error"]
    code = upload.get("failure_type") or upload["status"]
    reason = upload.get("error") or "see `towpath status`"
    return short_id(upload["id"]), upload["path"], code, " ".join(reason.split())


def summary_line(uploads: list[dict[str, Any]]) -> str:
    """`1 file: completed (already in the library)`, or `3 files: 2 completed, 1 failed`."""
    statuses = ["refused" if "upload_error" in upload else upload["status"].lower() for upload in uploads]
    duplicates = sum(bool(upload.get("duplicate")) for upload in uploads)
    if len(uploads) == 1:
        return f"1 file: {statuses[0]}{' (already in the library)' if duplicates else ''}"
    summary = ", ".join(f"{count} {status}" for status, count in Counter(statuses).most_common())
    note = f" ({duplicates} already in the library)" if duplicates else ""
    return f"{len(uploads)} files: {summary}{note}"
