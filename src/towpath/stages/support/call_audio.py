"""The stored audio of a call for all stages: extracted once as OGG Opus, and lent as a local file."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from towpath.errors import Rejected
from towpath.model.codec import decode_recording, encode
from towpath.model.document_version import version_of
from towpath.model.extracted_audio import Recording
from towpath.model.job import ProgressUnit
from towpath.model.writes import KeepArtifact
from towpath.stages.capabilities import OPUS, AudioExtractor, document_of
from towpath.stages.contract import Context
from towpath.stages.support.progress_callback import progress_callback
from towpath.storage.contract import BlobStore, document_key


@dataclass(frozen=True, slots=True)
class CallAudio:
    """The extracted audio of a call and its description, for every stage of the call pipeline."""

    blobs: BlobStore
    extractor: AudioExtractor
    #: Whether the two channels of a stereo file are kept apart.
    keep_stereo: bool
    #: The folder for files that are not stored yet.
    scratch: Path

    async def ensure_extracted(self, context: Context) -> tuple[Recording, list[KeepArtifact]]:
        """Extract the audio unless it is stored already; returns its description and the rows to write."""
        audio_key, description_key = self.audio_key(context), self._key(context, "json")
        if await self.blobs.size(audio_key) and await self.blobs.size(description_key):
            recording = decode_recording(await self.blobs.get(description_key))
        else:
            recording = await self._extract(context, audio_key)
            await self.blobs.put(description_key, encode(recording))
        return recording, _artifacts(recording, audio_key, description_key)

    async def ensure_described(self, context: Context) -> tuple[Recording, list[KeepArtifact]]:
        """The description and its rows. Extracts nothing if the audio, or the transcript that replaced it, is stored.

        With keep_original the audio is deleted when the transcript is stored; it is extracted again only if a stage
        needs to listen to it.
        """
        description_key = self._key(context, "json")
        if await self.blobs.size(self.audio_key(context)) or not await self.blobs.size(description_key):
            return await self.ensure_extracted(context)
        async for _ in self.blobs.keys(document_key(context.org_id, context.document_id, "transcript-")):
            recording = decode_recording(await self.blobs.get(description_key))
            return recording, _artifacts(recording, self.audio_key(context), description_key)[1:]
        return await self.ensure_extracted(context)

    def audio_key(self, context: Context) -> str:
        return self._key(context, "ogg")

    def draft_key(self, context: Context) -> str:
        """Key of the partial transcript that local transcription saves between two slices."""
        return self._key(context, "draft.json")

    async def recording(self, context: Context) -> Recording:
        """The stored description, which is kept when the audio itself has been deleted."""
        return decode_recording(await self.blobs.get(self._key(context, "json")))

    @asynccontextmanager
    async def local_file(self, context: Context) -> AsyncGenerator[LocalAudioFile]:
        """The extracted audio as a local file; nothing is extracted or downloaded before its first use."""
        async with AsyncExitStack() as stack:
            yield LocalAudioFile(self, context, stack)

    async def _extract(self, context: Context, key: str) -> Recording:
        original = document_of(context)["blob_key"]
        if not original or await self.blobs.size(original) is None:
            raise Rejected(
                "original_removed",
                "The original was deleted after transcription because keep_original is off. "
                "Upload the file again to transcribe it again.",
            )
        with tempfile.TemporaryDirectory(dir=self.scratch, prefix="sound-") as folder:
            target = Path(folder) / "sound.ogg"
            async with self.blobs.as_file(original) as source:
                recording = await self.extractor.extract(
                    source, target, self.keep_stereo, progress_callback(context, ProgressUnit.SECOND)
                )
            context.check_lease()
            await self.blobs.put_file(key, target)
        return recording

    def _key(self, context: Context, suffix: str) -> str:
        # Stored keys: "-sides" marks stereo audio and must not change.
        version = f"{self.extractor.cache_version}{'-sides' if self.keep_stereo else ''}"
        if version_of(context.options) > 1:
            # The key of the first version must not change either.
            version += f"-{document_of(context)['sha256'][:16]}"
        return document_key(context.org_id, context.document_id, f"audio-{version}.{suffix}")


class LocalAudioFile:
    """A local copy of the extracted audio, downloaded at most once."""

    def __init__(self, call_audio: CallAudio, context: Context, stack: AsyncExitStack) -> None:
        self._call_audio = call_audio
        self._context = context
        self._stack = stack
        self._path: Path | None = None

    async def path(self) -> Path:
        """The path, valid until the context of `CallAudio.local_file` ends."""
        if self._path is None:
            call_audio = self._call_audio
            await call_audio.ensure_extracted(self._context)
            copy = call_audio.blobs.as_file(call_audio.audio_key(self._context))
            self._path = await self._stack.enter_async_context(copy)
        return self._path


def _artifacts(recording: Recording, audio_key: str, description_key: str) -> list[KeepArtifact]:
    body = encode(recording)
    digest = hashlib.sha256(body).hexdigest()
    return [
        KeepArtifact("audio", audio_key, OPUS, recording.size, recording.sha256),
        KeepArtifact("recording", description_key, "application/json", len(body), digest),
    ]
