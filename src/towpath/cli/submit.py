"""Executes `towpath submit`: uploads files and folders, with live progress."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import click

from towpath.cli.client import Api, api
from towpath.cli.options import Target
from towpath.cli.status_text import counted
from towpath.cli.submit_progress import SubmitProgress
from towpath.cli.text_format import short_id, table_lines
from towpath.config import Settings
from towpath.errors import UserError

FINAL_STATUSES = ("COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED")
FAILURE_STATUSES = FINAL_STATUSES[1:]
CONCURRENT_UPLOADS = 4
#: A folder with this file is the data folder of a library.
LIBRARY_FILE = Settings().sqlite_file.name


@dataclass(frozen=True, slots=True)
class SubmittedFile:
    path: Path
    #: The name of the collection that its folder stands for.
    collection: str | None = None
    #: Its path within the submitted folder, with the name of the folder.
    folder_path: str | None = None


@dataclass(frozen=True, slots=True)
class UploadLabels:
    """The labels, the pipeline and the keys of the files of one `submit`."""

    collection: str | None = None
    #: Whether sub-folders become collections; ``collection`` wins.
    by_folder: bool = True
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    #: None leaves the choice to the rules of the settings.
    pipeline: str | None = None
    #: The key of the only file.
    key: str | None = None
    #: Whether the key of a file in a folder is its path, with the name of the folder.
    keys: bool = False

    def of_file(self, file: SubmittedFile) -> dict[str, Any]:
        """The arguments of the upload of a file."""
        folder_collection = file.collection
        return {
            "key": file.folder_path if self.keys else self.key,
            "collection": self.collection or (folder_collection if self.by_folder else None),
            "tags": self.tags,
            "metadata": self.metadata,
            "pipeline": self.pipeline,
        }


def submit_files(
    target: Target, paths: Sequence[Path], labels: UploadLabels, *, wait: bool, as_json: bool
) -> tuple[int, int]:
    """Upload the files, wait for their runs if asked, print the outcome; return how many failed and how many go on."""
    files = list(_find_files(paths))
    if not files:
        raise UserError(f"No files found in {', '.join(map(str, paths))}.")
    if labels.key is not None and len(files) > 1:
        raise UserError(
            "--key is for one file. Use --keys for a folder: the path of each file is then its key."
        )
    if labels.keys and any(file.folder_path is None for file in files):
        raise UserError("--keys is for folders. Use --key KEY for a single file.")
    return asyncio.run(_submit(target, files, labels, wait, as_json))


def _find_files(paths: Sequence[Path]) -> Iterable[SubmittedFile]:
    several_folders = sum(path.is_dir() for path in paths) > 1
    for path in paths:
        if not path.is_dir():
            yield SubmittedFile(path)
            continue
        for file in sorted(_files_of_folder(path)):
            parts = file.relative_to(path).parts
            inner = parts[0] if len(parts) > 1 else None
            folder = path.resolve().name
            yield SubmittedFile(
                file, folder if several_folders else inner, "/".join(filter(None, (folder, *parts)))
            )


def _files_of_folder(folder: Path) -> Iterable[Path]:
    """All files below the folder, without hidden files and folders, and without libraries of Towpath.

    Folders that cannot be listed and links to nothing are among them: their upload fails with the reason.
    """
    unreadable: list[Path] = []
    for parent, folders, names in os.walk(
        folder, onerror=lambda error: unreadable.append(Path(str(error.filename)))
    ):
        if LIBRARY_FILE in names:
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            file = Path(parent, name)
            if not name.startswith(".") and (file.is_file() or not file.exists()):
                yield file
    yield from unreadable


async def _submit(
    target: Target, files: list[SubmittedFile], labels: UploadLabels, wait: bool, as_json: bool
) -> tuple[int, int]:
    with _progress_display(as_json, len(files)) as display:
        async with api(target, with_worker=wait) as server:
            uploads = await _send_all(server, files, labels, display)
            refused = [upload for upload in uploads if "upload_error" in upload]
            accepted = [upload for upload in uploads if "id" in upload]
            if wait:
                await _watch(server, accepted, display)
            else:
                await _read_failures(server, [u for u in accepted if u["status"] in FAILURE_STATUSES])
    _report(uploads, as_json)
    failed = len(refused) + sum(upload["status"] in FAILURE_STATUSES for upload in accepted)
    return failed, sum(upload["status"] not in FINAL_STATUSES for upload in accepted)


async def _send_all(
    server: Api, files: list[SubmittedFile], labels: UploadLabels, display: SubmitProgress
) -> list[dict[str, Any]]:
    slots = asyncio.Semaphore(CONCURRENT_UPLOADS)
    display.begin("uploaded", len(files))

    async def send(upload: SubmittedFile) -> dict[str, Any]:
        path = upload.path
        async with slots:
            try:
                document = await server.upload(path, **labels.of_file(upload))
            except OSError as error:
                reason = f"It cannot be read: {error.strerror or error}."
                return {"path": str(path), "upload_error": reason}
            except UserError as error:
                return {"path": str(path), "upload_error": str(error)}
            finally:
                display.advance()
            return {"path": str(path), **document}

    return await asyncio.gather(*(send(file) for file in files))


async def _watch(server: Api, uploads: list[dict[str, Any]], display: SubmitProgress) -> None:
    """Poll the statuses of active documents in batches, at the interval that the server asks for."""
    active = {upload["id"]: upload for upload in uploads}
    display.begin("processed", len(active))
    while active:
        statuses = cast("list[dict[str, Any]]", await server.statuses(list(active)))
        for status in statuses:
            upload = active[status["document_id"]]
            _store_status(upload, status)
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


async def _read_failures(server: Api, uploads: list[dict[str, Any]]) -> None:
    """Read why documents failed that were in the library already."""
    by_id = {upload["id"]: upload for upload in uploads}
    for status in await server.statuses(list(by_id)):
        _store_status(by_id[status["document_id"]], cast("dict[str, Any]", status))


def _store_status(upload: dict[str, Any], status: dict[str, Any]) -> None:
    upload["status"], upload["error"] = status["status"], status["error"]
    upload["failure_type"] = (status["run"] or {}).get("failure_type")


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
