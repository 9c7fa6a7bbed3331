"""transcribe_poll: fetches the transcript from a remote transcriber, or makes it with a local one.

A remote operation that is still running suspends the job, so that it holds no worker slot.
"""

from __future__ import annotations

from towpath.errors import Rejected
from towpath.model.codec import encode
from towpath.model.outcome import Done, Outcome
from towpath.model.poll_state import PollLimits
from towpath.model.transcript import Transcript
from towpath.model.writes import DropArtifact, DropOriginal, Write
from towpath.stages.capabilities import (
    Diarizer,
    Transcriber,
    WindowTranscriber,
    document_of,
    is_remote,
)
from towpath.stages.contract import Context
from towpath.stages.support import remote_transcription, windowed_transcription
from towpath.stages.support.artifact import store
from towpath.stages.support.call_audio import CallAudio


async def transcribe_poll(
    context: Context,
    *,
    call_audio: CallAudio,
    transcriber: WindowTranscriber | Transcriber,
    speaker_separator: Diarizer | None,
    poll_limits: PollLimits,
    slice_seconds: float,
    keep_original: bool,
) -> Outcome:
    """Store the transcript as JSON and as markdown, then delete the file that is no longer needed."""
    recording = await call_audio.recording(context)
    if is_remote(transcriber):
        transcript = await remote_transcription.poll(context, call_audio, transcriber, recording, poll_limits)
    else:
        transcript = await windowed_transcription.transcribe_windows(
            context, call_audio, transcriber, speaker_separator, recording, slice_seconds
        )
    if not isinstance(transcript, Transcript):
        return transcript
    if not transcript.segments:
        raise Rejected(
            "no_speech",
            f"No speech was found in the {recording.seconds:.0f} seconds of this recording. "
            "Check that it is the file you meant to upload.",
        )
    encoded = await store(
        context, call_audio.blobs, "transcript", "json", "application/json", encode(transcript)
    )
    text = transcript.text.encode("utf-8", "replace")
    markdown = await store(context, call_audio.blobs, "content", "md", "text/markdown", text)
    result = {"transcript": encoded.key, "markdown": markdown.key, "segments": len(transcript.segments)}
    await _delete_unneeded_file(context, call_audio, keep_original, [encoded, markdown])
    return Done(result, writes=[encoded, markdown])


async def _delete_unneeded_file(
    context: Context, call_audio: CallAudio, keep_original: bool, artifacts: list[Write]
) -> None:
    """Keep either the original or the extracted audio for playback, and delete the other one.

    The rows of the new artifacts and of the deletion are written before the file is deleted: after a crash at
    any point no row refers to a missing file.
    """
    audio, original = call_audio.audio_key(context), document_of(context)["blob_key"]
    if keep_original:
        await context.write(*artifacts, DropArtifact(audio))
        await call_audio.blobs.delete(audio)
    elif original:
        await call_audio.ensure_extracted(context)
        await context.write(*artifacts, DropOriginal())
        await call_audio.blobs.delete(original)
