"""transcribe_start: sends the recording of a call to a remote transcriber, once.

With a local transcriber there is nothing to send; transcribe_poll does the whole work.
"""

from __future__ import annotations

from towpath.model.outcome import Done, Outcome
from towpath.stages.capabilities import Transcriber, WindowTranscriber, is_remote
from towpath.stages.contract import Context
from towpath.stages.support import remote_transcription
from towpath.stages.support.call_audio import CallAudio


async def transcribe_start(
    context: Context, *, call_audio: CallAudio, transcriber: WindowTranscriber | Transcriber
) -> Outcome:
    """Start the operation and save its id before anything else is done with it."""
    recording, artifacts = await call_audio.ensure_described(context)
    result: dict[str, object] = {"provider": transcriber.provider, "model": transcriber.model}
    if is_remote(transcriber):
        result["operation"] = await remote_transcription.start(context, call_audio, transcriber, recording)
    else:
        result["windows"] = len(recording.windows)
    return Done(result, writes=artifacts)
