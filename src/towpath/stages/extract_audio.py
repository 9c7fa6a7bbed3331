"""extract_audio: the sound of a recording as OGG Opus at its deterministic key; made once."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

from towpath.errors import Rejected
from towpath.model.encode_call import dump_recording, load_recording
from towpath.model.recording import Recording
from towpath.model.work import Done, Outcome
from towpath.model.writes import KeepArtifact
from towpath.stages.call_capabilities import OPUS, Recorder
from towpath.stages.capabilities import document_of
from towpath.stages.contract import Context
from towpath.stages.reporting import reporter
from towpath.storage.contract import BlobStore, document_key


@dataclass(frozen=True, slots=True)
class Tape:
    """Takes recordings out of originals and keeps them where every stage of the call finds them."""

    blobs: BlobStore
    recorder: Recorder
    sides: bool
    #: Where files are written before they are stored.
    scratch: Path

    async def recorded(self, context: Context) -> tuple[Recording, list[KeepArtifact]]:
        """The recording, made now unless it is there already."""
        sound, about = self.sound_key(context), self._key(context, "json")
        if await self.blobs.size(sound) and await self.blobs.size(about):
            recording = load_recording(await self.blobs.get(about))
        else:
            recording = await self._make(context, sound)
            await self.blobs.put(about, dump_recording(recording))
        return recording, _notes(recording, sound, about)

    def sound_key(self, context: Context) -> str:
        return self._key(context, "ogg")

    def draft_key(self, context: Context) -> str:
        """What has been heard so far, while hearing goes on."""
        return self._key(context, "draft.json")

    async def recording(self, context: Context) -> Recording:
        """What was learnt about the recording, also when its sound has been removed since."""
        return load_recording(await self.blobs.get(self._key(context, "json")))

    async def _make(self, context: Context, key: str) -> Recording:
        original = document_of(context)["blob_key"]
        if not original or await self.blobs.size(original) is None:
            raise Rejected(
                "original_removed",
                "The original was removed once its transcript existed, as the setting keep_original wishes. "
                "Upload the file again to have it heard again.",
            )
        with tempfile.TemporaryDirectory(dir=self.scratch, prefix="sound-") as folder:
            target = Path(folder) / "sound.ogg"
            async with self.blobs.as_file(original) as source:
                recording = await self.recorder.take(source, target, self.sides, reporter(context))
            context.check()
            await self.blobs.put_file(key, target)
        return recording

    def _key(self, context: Context, suffix: str) -> str:
        recipe = f"{self.recorder.recipe}{'-sides' if self.sides else ''}"
        return document_key(context.org_id, context.document_id, f"audio-{recipe}.{suffix}")


async def extract_audio(context: Context, *, tape: Tape) -> Outcome:
    if refusal := document_of(context).get("refusal"):
        raise Rejected("unsupported", refusal)
    recording, notes = await tape.recorded(context)
    found = {
        "audio": tape.sound_key(context),
        "sha256": recording.sha256,
        "seconds": recording.seconds,
        "codec": recording.codec,
        "channels": recording.channels,
        "windows": len(recording.windows),
        "warnings": list(recording.warnings),
    }
    await context.progress(int(recording.seconds), int(recording.seconds))
    return Done(found, writes=notes)


def _notes(recording: Recording, sound: str, about: str) -> list[KeepArtifact]:
    body = dump_recording(recording)
    digest = hashlib.sha256(body).hexdigest()
    return [
        KeepArtifact("audio", sound, OPUS, recording.size, recording.sha256),
        KeepArtifact("recording", about, "application/json", len(body), digest),
    ]
