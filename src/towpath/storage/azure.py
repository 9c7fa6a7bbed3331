"""Blobs in Azure Blob Storage. The SDK retries nothing: the queue does, and knows what it costs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from azure.core.exceptions import AzureError, HttpResponseError, ResourceExistsError
from azure.storage.blob import BlobBlock, BlobSasPermissions, StorageErrorCode, generate_blob_sas
from azure.storage.blob.aio import ContainerClient

from towpath.errors import ConfigError, StorageUnavailable, Transient
from towpath.model.ids import new_id
from towpath.storage.contract import checked

#: The size of one request's body: what a large file costs in memory, a few times over.
BLOCK = 4 << 20
#: How long a signed address works: a provider may let an operation wait before it fetches the file.
SIGNED_FOR = timedelta(hours=6)

Pieces = AsyncGenerator[bytes]


class AzureStore:
    def __init__(self, connection: str, container: str, incoming: Path) -> None:
        self._incoming = incoming
        try:
            self._container = ContainerClient.from_connection_string(
                connection,
                container,
                retry_total=0,
                connection_timeout=10,
                read_timeout=60,
                max_single_get_size=BLOCK,
                max_chunk_get_size=BLOCK,
            )
        except ValueError:
            # Without the cause: it may quote the connection string, and that holds a key.
            raise ConfigError(
                "The setting `blob_storage` is not the connection string of a storage account. "
                "It looks like DefaultEndpointsProtocol=https;AccountName=…;AccountKey=…"
            ) from None

    async def close(self) -> None:
        await self._container.close()

    async def put(self, key: str, body: bytes) -> None:
        await self._upload(checked(key), lambda: _cut(body))

    async def put_file(self, key: str, path: Path) -> None:
        await self._upload(checked(key), lambda: _read(path))

    async def get(self, key: str) -> bytes:
        async with _translated(key):
            download = await self._container.download_blob(checked(key))
            return await download.readall()

    async def stream(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        if end is not None and end <= start:
            return
        length = None if end is None else end - start
        async with _translated(key):
            try:
                download = await self._container.download_blob(checked(key), offset=start, length=length)
            except HttpResponseError as error:
                if _code(error) == StorageErrorCode.INVALID_RANGE:
                    return
                raise
            async for piece in download.chunks():
                yield piece

    async def size(self, key: str) -> int | None:
        try:
            async with _translated(key):
                found = await self._container.get_blob_client(checked(key)).get_blob_properties()
                return int(found.size)
        except FileNotFoundError:
            return None

    async def delete(self, key: str) -> None:
        try:
            async with _translated(key):
                await self._container.delete_blob(checked(key), delete_snapshots="include")
        except FileNotFoundError:
            return

    async def keys(self, prefix: str = "") -> AsyncIterator[str]:
        try:
            async with _translated(prefix):
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
                async for piece in self.stream(key):
                    await asyncio.to_thread(file.write, piece)
            finally:
                await asyncio.to_thread(file.close)
            yield path
        finally:
            path.unlink(missing_ok=True)

    async def signed_url(self, key: str) -> str | None:
        blob = self._container.get_blob_client(checked(key))
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

    async def _upload(self, key: str, pieces: Callable[[], Pieces]) -> None:
        """The blob appears with its last block, whole. A container that is not there yet is made."""
        tries = 0
        while True:
            tries += 1
            try:
                async with _translated(key), aclosing(pieces()) as body:
                    return await self._upload_once(key, body)
            except FileNotFoundError:
                if tries > 1:
                    raise StorageUnavailable(
                        "The container in Azure Blob Storage is being removed."
                    ) from None
                await self._make_container()
            except _Overtaken:
                if tries > 5:
                    raise StorageUnavailable("Others keep writing the same blob.") from None

    async def _upload_once(self, key: str, body: Pieces) -> None:
        blob = self._container.get_blob_client(key)
        first = await anext(body, b"")
        if len(first) < BLOCK:
            await blob.upload_blob(first, overwrite=True)
            return
        # Not the SDK's own way for large blobs: it numbers the blocks alike in every upload, so that two
        # writers of one blob could commit a mixture.
        upload = new_id()
        blocks: list[BlobBlock] = []
        async for piece in _after(first, body):
            blocks.append(BlobBlock(f"{upload}-{len(blocks):06d}"))
            await blob.stage_block(blocks[-1].id, piece)
        try:
            await blob.commit_block_list(blocks)
        except HttpResponseError as error:
            if _code(error) == StorageErrorCode.INVALID_BLOCK_LIST:
                raise _Overtaken from error
            raise

    async def _make_container(self) -> None:
        async with _translated(self._container.container_name):
            try:
                await self._container.create_container()
            except ResourceExistsError as error:
                if _code(error) != StorageErrorCode.CONTAINER_ALREADY_EXISTS:
                    raise


class _Overtaken(Exception):
    """Another writer of the same blob was done first, and our blocks were dropped with that."""


async def _cut(body: bytes) -> Pieces:
    for start in range(0, len(body), BLOCK):
        yield body[start : start + BLOCK]


async def _read(path: Path) -> Pieces:
    file = await asyncio.to_thread(path.open, "rb")
    try:
        while piece := await asyncio.to_thread(file.read, BLOCK):
            yield piece
    finally:
        file.close()


async def _after(first: bytes, rest: Pieces) -> Pieces:
    yield first
    async for piece in rest:
        yield piece


@asynccontextmanager
async def _translated(key: str) -> AsyncGenerator[None]:
    """The SDK's errors as ours. Whatever may pass costs a document nothing but time."""
    try:
        yield
    except HttpResponseError as error:
        status, code = error.status_code or 0, _code(error)
        if code in (StorageErrorCode.BLOB_NOT_FOUND, StorageErrorCode.CONTAINER_NOT_FOUND) or status == 404:
            raise FileNotFoundError(key) from error
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
    """What the service calls the fault, such as BlobNotFound; empty where it did not say."""
    code = getattr(error, "error_code", None)
    return str(getattr(code, "value", code) or "")
