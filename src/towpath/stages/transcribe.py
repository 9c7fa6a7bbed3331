"""transcribe_start and transcribe_poll: a recording put into writing, by a service or on this machine.

A service is sent the recording in the first stage, which ends as soon as the operation's id is saved, and is
asked in the second, which waits without holding a worker. On this machine the second stage does the hearing.
"""

from __future__ import annotations

from towpath.errors import Rejected
from towpath.model.encode_call import dump_transcript
from towpath.model.transcript import Transcript
from towpath.model.work import Done, Outcome
from towpath.model.writes import DropArtifact, DropOriginal, Write
from towpath.stages import asking, hearing
from towpath.stages.artifact import store
from towpath.stages.call_capabilities import Listener, Patience, Transcriber, is_service
from towpath.stages.capabilities import document_of
from towpath.stages.contract import Context
from towpath.stages.extract_audio import Tape


async def transcribe_start(context: Context, *, tape: Tape, ears: Listener | Transcriber) -> Outcome:
    """Send the recording, once; the id of the operation is saved before anything else."""
    recording, notes = await tape.recorded(context)
    found: dict[str, object] = {"provider": ears.provider, "model": ears.model}
    if is_service(ears):
        found["operation"] = await asking.start(context, tape, ears, recording)
    else:
        found["windows"] = len(recording.windows)
    return Done(found, writes=notes)


async def transcribe_poll(
    context: Context,
    *,
    tape: Tape,
    ears: Listener | Transcriber,
    patience: Patience,
    turn_seconds: float,
    keep_original: bool,
) -> Outcome:
    """Ask for the transcript or hear it here; keep it, and remove what was only needed to make it."""
    recording = await tape.recording(context)
    if is_service(ears):
        found = await asking.ask(context, tape, ears, recording, patience)
    else:
        found = await hearing.hear(context, tape, ears, recording, turn_seconds)
    if not isinstance(found, Transcript):
        return found
    if not found.segments:
        raise Rejected(
            "no_speech",
            f"No speech was found in the {recording.seconds:.0f} seconds of this recording. "
            "Check that it is the file you meant to upload.",
        )
    kept = await store(context, tape.blobs, "transcript", "json", "application/json", dump_transcript(found))
    text = found.text.encode("utf-8", "replace")
    shown = await store(context, tape.blobs, "content", "md", "text/markdown", text)
    result = {"transcript": kept.key, "markdown": shown.key, "segments": len(found.segments)}
    await _tidy(context, tape, keep_original, [kept, shown])
    return Done(result, writes=[kept, shown])


async def _tidy(context: Context, tape: Tape, keep_original: bool, made: list[Write]) -> None:
    """Of the original and the sound that was taken out of it, one stays to be listened to.

    What was made is noted before anything is removed, and so is the removal: whenever this is cut short, no
    row points to a file that is gone.
    """
    sound, original = tape.sound_key(context), document_of(context)["blob_key"]
    if keep_original:
        await context.write(*made, DropArtifact(sound))
        await tape.blobs.delete(sound)
    elif original:
        await tape.recorded(context)
        await context.write(*made, DropOriginal())
        await tape.blobs.delete(original)
