"""extract_audio: extracts the audio of a call from the uploaded file and stores it as OGG Opus."""

from __future__ import annotations

from towpath.errors import Rejected
from towpath.model.job import ProgressUnit
from towpath.model.outcome import Done, Outcome
from towpath.stages.capabilities import document_of
from towpath.stages.contract import Context
from towpath.stages.support.call_audio import CallAudio


async def extract_audio(context: Context, *, call_audio: CallAudio) -> Outcome:
    if refusal := document_of(context).get("refusal"):
        raise Rejected("unsupported", refusal)
    recording, artifacts = await call_audio.ensure_described(context)
    result = {
        "audio": call_audio.audio_key(context),
        "sha256": recording.sha256,
        "seconds": recording.seconds,
        "codec": recording.codec,
        "channels": recording.channels,
        "speaker_per_channel": recording.speaker_per_channel,
        "windows": len(recording.windows),
        "warnings": list(recording.warnings),
    }
    await context.progress(int(recording.seconds), int(recording.seconds), ProgressUnit.SECOND)
    return Done(result, writes=artifacts)
