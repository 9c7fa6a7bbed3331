"""Provides the uploaded file of a document as a local file; a locked PDF is opened with the run's password."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from towpath import rejections
from towpath.errors import BlobMissing
from towpath.providers.contract import Source
from towpath.stages.capabilities import PdfUnlocker, size_of
from towpath.stages.contract import Context
from towpath.stages.support.blob_source import BlobSource, FileSource
from towpath.stages.support.inline_or_thread import SHORT_BYTES, run_inline_or_in_thread
from towpath.storage.contract import DAMAGED_MESSAGE, MISSING_MESSAGE, BlobStore

_PDF = "application/pdf"


@dataclass(frozen=True, slots=True)
class Original:
    """The file that is read: the uploaded one, or its copy without a password."""

    blobs: BlobStore
    document: Mapping[str, str]
    unlocked: Path | None = None

    def file(self) -> AbstractAsyncContextManager[Path]:
        return self._unlocked_file() or self.blobs.as_file(self.document["blob_key"])

    def checked_file(self) -> AbstractAsyncContextManager[Path]:
        """The file, checked against the hash that was taken at the upload."""
        return self._unlocked_file() or original_file(self.blobs, self.document)

    async def source(self) -> Source:
        """The file as the input of a provider."""
        media_type = self.document["media_type"]
        if self.unlocked is not None:
            return await asyncio.to_thread(FileSource.of, self.unlocked, media_type)
        return await BlobSource.of(self.blobs, self.document["blob_key"], media_type)

    def _unlocked_file(self) -> AbstractAsyncContextManager[Path] | None:
        return None if self.unlocked is None else nullcontext(self.unlocked)


@asynccontextmanager
async def open_original(
    context: Context, blobs: BlobStore, document: Mapping[str, str], unlocker: PdfUnlocker | None
) -> AsyncGenerator[Original]:
    """The document's file; a copy without a password is deleted on exit.

    Raises Rejected if the run has a password that does not open the file.
    """
    password = context.password()
    if password is None or unlocker is None or not _is_pdf(document):
        yield Original(blobs, document)
        return
    async with AsyncExitStack() as stack:
        path = await stack.enter_async_context(original_file(blobs, document))
        unlocked = await stack.enter_async_context(unlocker.unlocked_copy(path, password))
        yield Original(blobs, document, unlocked)


async def reject_locked(blobs: BlobStore, document: Mapping[str, str], unlocker: PdfUnlocker | None) -> None:
    """Raise Rejected if the file is a PDF that needs a password."""
    if unlocker is None or not _is_pdf(document):
        return
    async with blobs.as_file(document["blob_key"]) as path:
        if await unlocker.is_locked(path):
            raise rejections.locked_pdf()


def _is_pdf(document: Mapping[str, str]) -> bool:
    return document["media_type"].partition(";")[0] == _PDF


@asynccontextmanager
async def original_file(blobs: BlobStore, document: Mapping[str, str]) -> AsyncGenerator[Path]:
    """Raises BlobMissing if the blob is missing or has other bytes than were uploaded."""
    async with AsyncExitStack() as stack:
        try:
            path = await stack.enter_async_context(blobs.as_file(document["blob_key"]))
        except FileNotFoundError as error:
            raise BlobMissing(MISSING_MESSAGE) from error
        size = size_of(document)
        digest = await run_inline_or_in_thread(_sha256, path, size=SHORT_BYTES + 1 if size is None else size)
        if digest != document["sha256"]:
            raise BlobMissing(DAMAGED_MESSAGE)
        yield path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
