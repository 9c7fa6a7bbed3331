"""Stores blobs in Azure Blob Storage. Retries of the SDK are off: the queue retries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    ResourceExistsError,
)
from azure.storage.blob import BlobBlock, BlobSasPermissions, StorageErrorCode, generate_blob_sas
from azure.storage.blob.aio import ContainerClient

from towpath.errors import ConfigError, StorageUnavailable, Transient
from towpath.model.ids import new_id
from towpath.storage.contract import require_key

#: Size of one request body in bytes; a large file needs a few times this much memory.
BLOCK = 4 << 20
#: Validity of a signed URL: a provider may queue an operation before it downloads the file.
SIGNED_FOR = timedelta(hours=6)

_OPTIONS: dict[str, Any] = {
    "retry_total": 0,
    "connection_timeout": 10,
    "read_timeout": 60,
    "max_single_get_size": BLOCK,
    "max_chunk_get_size": BLOCK,
}

ByteStream = AsyncGenerator[bytes]


class AzureStore:
    """A BlobStore in a container of an Azure storage account."""

    def __init__(
        self, account: str, container: str, incoming: Path, credential: AsyncTokenCredential | None = None
    ) -> None:
        """``account`` is a connection string or, with a credential, the address of the account."""
        self._incoming = incoming
        self._credential = credential
        try:
            if credential is None:
                self._container = ContainerClient.from_connection_string(account, container, **_OPTIONS)
            else:
                self._container = ContainerClient(account, container, credential=credential, **_OPTIONS)
        except ValueError:
            # Without the cause: its text may contain the connection string with the account key.
            raise ConfigError(
                "The setting `blob_storage` is not the connection string of a storage account. "
                "It looks like DefaultEndpointsProtocol=https;AccountName=…;AccountKey=…"
            ) from None

    async def close(self) -> None:
        await self._container.close()
        if self._credential is not None:
            await self._credential.close()

    async def put(self, key: str, body: bytes) -> None:
        await self._upload(require_key(key), lambda: _blocks_of(body))

    async def put_file(self, key: str, path: Path) -> None:
        await self._upload(require_key(key), lambda: _blocks_of_file(path))

    async def get(self, key: str) -> bytes:
        async with _translate_errors(key):
            download = await self._container.download_blob(require_key(key))
            return await download.readall()

    async def stream(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        if end is not None and end <= start:
            return
        length = None if end is None else end - start
        async with _translate_errors(key):
            try:
                download = await self._container.download_blob(require_key(key), offset=start, length=length)
            except HttpResponseError as error:
                if _code(error) == StorageErrorCode.INVALID_RANGE:
                    return
                raise
            async for data in download.chunks():
                yield data

    async def size(self, key: str) -> int | None:
        try:
            async with _translate_errors(key):
                properties = await self._container.get_blob_client(require_key(key)).get_blob_properties()
                return int(properties.size)
        except FileNotFoundError:
            return None

    async def delete(self, key: str) -> None:
        try:
            async with _translate_errors(key):
                await self._container.delete_blob(require_key(key), delete_snapshots="include")
        except FileNotFoundError:
            return

    async def keys(self, prefix: str = "") -> AsyncIterator[str]:
        try:
            async with _translate_errors(prefix):
                async for name in self._container.list_blob_names(name_starts_with=prefix):
                    yield name
        except FileNotFoundError:
            return

    @asynccontextmanager
    async def as_file(self, key: str) -> AsyncGenerator[Path]:
        path = self._incoming / new_id()
        try:
            file = await asyncio.to_thread(path.open, "wb")
            try:
                async for data in self.stream(key):
                    await asyncio.to_thread(file.write, data)
            finally:
                await asyncio.to_thread(file.close)
            yield path
        finally:
            path.unlink(missing_ok=True)

    async def signed_url(self, key: str) -> str | None:
        blob = self._container.get_blob_client(require_key(key))
        account_key = getattr(self._container.credential, "account_key", None)
        if account_key is None or blob.account_name is None:
            return None
        signature = generate_blob_sas(
            blob.account_name,
            self._container.container_name,
            key,
            account_key=account_key,
            permission=BlobSasPermissions(read=True),
            expiry=datetime.now(UTC) + SIGNED_FOR,
        )
        return f"{blob.url}?{signature}"

    async def _upload(self, key: str, body_factory: Callable[[], ByteStream]) -> None:
        """Upload atomically: the blob is visible after its last block. Creates a missing container."""
        tries = 0
        while True:
            tries += 1
            try:
                async with _translate_errors(key), aclosing(body_factory()) as body:
                    return await self._upload_once(key, body)
            except FileNotFoundError:
                if tries > 1:
                    raise StorageUnavailable(
                        "The container in Azure Blob Storage is being deleted."
                    ) from None
                await self._make_container()
            except _ConcurrentWrite:
                if tries > 5:
                    raise StorageUnavailable("Other writers keep replacing the same blob.") from None

    async def _upload_once(self, key: str, body: ByteStream) -> None:
        blob = self._container.get_blob_client(key)
        first = await anext(body, b"")
        if len(first) < BLOCK:
            await blob.upload_blob(first, overwrite=True)
            return
        # Not the SDK's upload for large blobs: it uses the same block ids in every upload, so that two concurrent
        # writers of one blob could commit a mixture.
        upload = new_id()
        blocks: list[BlobBlock] = []
        async for data in _chain(first, body):
            blocks.append(BlobBlock(f"{upload}-{len(blocks):06d}"))
            await blob.stage_block(blocks[-1].id, data)
        try:
            await blob.commit_block_list(blocks)
        except HttpResponseError as error:
            if _code(error) == StorageErrorCode.INVALID_BLOCK_LIST:
                raise _ConcurrentWrite from error
            raise

    async def _make_container(self) -> None:
        async with _translate_errors(self._container.container_name):
            try:
                await self._container.create_container()
            except ResourceExistsError as error:
                if _code(error) != StorageErrorCode.CONTAINER_ALREADY_EXISTS:
                    raise


class _ConcurrentWrite(Exception):
    """Another writer committed the same blob first, which discarded our blocks."""


async def _blocks_of(body: bytes) -> ByteStream:
    for start in range(0, len(body), BLOCK):
        yield body[start : start + BLOCK]


async def _blocks_of_file(path: Path) -> ByteStream:
    file = await asyncio.to_thread(path.open, "rb")
    try:
        while data := await asyncio.to_thread(file.read, BLOCK):
            yield data
    finally:
        file.close()


async def _chain(first: bytes, rest: ByteStream) -> ByteStream:
    yield first
    async for data in rest:
        yield data


@asynccontextmanager
async def _translate_errors(key: str) -> AsyncGenerator[None]:
    """Translate errors of the SDK. Temporary ones become StorageUnavailable, which uses up no attempt."""
    try:
        yield
    except HttpResponseError as error:
        status, code = error.status_code or 0, _code(error)
        if code in (StorageErrorCode.BLOB_NOT_FOUND, StorageErrorCode.CONTAINER_NOT_FOUND) or status == 404:
            raise FileNotFoundError(key) from error
        if isinstance(error, ClientAuthenticationError) and not status:
            raise StorageUnavailable(f"Azure gave no token for Blob Storage: {error.message}") from error
        if status in (401, 403):
            raise StorageUnavailable(
                f"Azure Blob Storage refuses the credentials ({code or status}): check `blob_storage`."
            ) from error
        if status in (0, 408, 409, 412, 429) or status >= 500:
            raise StorageUnavailable(f"Azure Blob Storage cannot serve now ({code or status}).") from error
        raise Transient(f"Azure Blob Storage did not accept a request ({code or status}).") from error
    except AzureError as error:
        raise StorageUnavailable(
            f"Azure Blob Storage does not answer ({type(error).__name__}): {error.message}"
        ) from error


def _code(error: HttpResponseError) -> str:
    """The error code of the service, such as BlobNotFound; empty if there is none."""
    code = getattr(error, "error_code", None)
    return str(getattr(code, "value", code) or "")
