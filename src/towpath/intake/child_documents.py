"""Turns attachments and archive members into child documents of the file that contains them.

Their bytes are stored first, at keys that depend on the parent and the content only. The rows are written in the
transaction that completes the parent's stage. So a killed worker leaves nothing twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import unicodedata
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, cast

from towpath.errors import Rejected
from towpath.intake.detect_media_type import detect_file
from towpath.intake.submit import DocumentInfo, clean_name
from towpath.ledger.contract.ledger import RunPlan
from towpath.model.document import ContainedFile, NewDocument
from towpath.model.ids import new_id
from towpath.model.job import ProgressUnit
from towpath.model.writes import AddChildren, ChildDocument, KeepArtifact, Write
from towpath.stages.contract import Context
from towpath.stages.support.progress_callback import progress_callback
from towpath.storage.contract import BlobStore, original_key

#: Files inside files inside files: so many levels are unpacked.
MAX_DEPTH = 5
#: All files inside one upload, on all levels together.
MAX_FILES = 1_000
_BLOCK_BYTES = 1 << 20
_MAX_PATH_LENGTH = 1_000


class MemberReader(Protocol):
    """Writes the files inside a file to one file, one after the other."""

    def has_members(self, media_type: str) -> bool: ...

    async def write_members(
        self,
        path: Path,
        media_type: str,
        target: Path,
        max_count: int,
        on_progress: Callable[[int, int], None],
    ) -> Sequence[ContainedFile]: ...


PlanFor = Callable[[DocumentInfo, str | None], RunPlan]


@dataclass(frozen=True, slots=True)
class ChildDocumentFinder:
    """Finds the files inside a document and prepares them as child documents."""

    reader: MemberReader
    blobs: BlobStore
    scratch_dir: Path
    plan_for: PlanFor

    async def find(self, context: Context, document: Mapping[str, str]) -> list[Write]:
        """The writes that create the children of the document; none if its type contains no files."""
        media_type = document["media_type"]
        if not self.reader.has_members(media_type):
            return []
        depth, max_files = _nesting(context.options)
        folder = self.scratch_dir / f"members-{new_id()}"
        await asyncio.to_thread(folder.mkdir)
        try:
            async with self.blobs.as_file(document["blob_key"]) as path:
                packed = folder / "members"
                members = await self.reader.write_members(
                    path, media_type, packed, max_files, progress_callback(context, ProgressUnit.DOCUMENT)
                )
            if members and depth >= MAX_DEPTH:
                raise Rejected(
                    "too_large",
                    f"This file is inside {depth} others and contains more files: files are unpacked down to level "
                    f"{MAX_DEPTH}. Upload it on its own to read what is inside.",
                )
            return await self._prepare(context, packed, members, depth, max_files)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _prepare(
        self,
        context: Context,
        packed: Path,
        members: Sequence[ContainedFile],
        depth: int,
        max_files: int,
    ) -> list[Write]:
        documents = [await self._store(context, packed, member) for member in members]
        containers = sum(self.reader.has_members(document.media_type) for document, _ in documents)
        nesting = {"depth": depth + 1, "max_files": (max_files - len(members)) // max(containers, 1)}
        children: list[ChildDocument] = []
        for member, (document, reason) in zip(members, documents, strict=True):
            plan = self.plan_for(document, reason)
            plan = replace(plan, options={**plan.options, "nesting": nesting})
            children.append(ChildDocument(document, _shown_path(member.name), plan))
        # As artifacts of the parent the blobs are known, also where the organization had the child already.
        blobs = {
            document.blob_key: KeepArtifact(
                "attachment", document.blob_key, document.media_type, document.size, document.sha256
            )
            for document, _ in documents
        }
        return [*blobs.values(), AddChildren(children, context.now())] if children else []

    async def _store(
        self, context: Context, packed: Path, member: ContainedFile
    ) -> tuple[NewDocument, str | None]:
        """Store the bytes of a member; the document and the reason if no reader supports it."""
        path, name = packed.with_name("member"), clean_name(member.name)
        await asyncio.to_thread(_copy_part, packed, member, path)
        detected = await asyncio.to_thread(detect_file, path, name)
        key = original_key(context.org_id, str(uuid.uuid5(uuid.UUID(context.document_id), member.sha256)))
        context.check_lease()
        await self.blobs.put_file(key, path)
        document = NewDocument(
            context.org_id, name, detected.kind, detected.media_type, member.size, member.sha256, key
        )
        return document, detected.unsupported_reason


def _copy_part(packed: Path, member: ContainedFile, target: Path) -> None:
    """Copy the bytes of a member. The child process that unpacked them may be taken over: its digest is checked."""
    digest = hashlib.sha256()
    with packed.open("rb") as source, target.open("wb") as file:
        source.seek(member.offset)
        left = member.size
        while left and (block := source.read(min(left, _BLOCK_BYTES))):
            file.write(block)
            digest.update(block)
            left -= len(block)
    if digest.hexdigest() != member.sha256:
        raise ValueError(f"the bytes of {clean_name(member.name)} are not those that were announced")


def _shown_path(name: str) -> str:
    """The path inside the container, for people only: without control characters, at most 1,000 long."""
    return "".join(c for c in name if unicodedata.category(c)[0] != "C")[:_MAX_PATH_LENGTH]


def _nesting(options: Mapping[str, object]) -> tuple[int, int]:
    """How deep inside other files this one is, and how many files it may contain on all levels together."""
    nesting = cast("Mapping[str, Any]", options.get("nesting") or {})
    return int(nesting.get("depth", 0)), int(nesting.get("max_files", MAX_FILES))
