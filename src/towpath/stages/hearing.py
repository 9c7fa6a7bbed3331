"""The transcript made on this machine: window by window, each one its own remembered call.

After some seconds of work the job goes back to the queue and takes its place behind the others, so that a
recording of two hours holds up nobody.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace

from towpath.model.encode_call import dump_transcript, load_transcript
from towpath.model.recording import Recording, Window
from towpath.model.transcript import Segment, Transcript
from towpath.model.work import Suspend
from towpath.model.writes import DropArtifact, KeepArtifact
from towpath.providers.contract import Answer
from towpath.stages.call_capabilities import Listener
from towpath.stages.contract import Context, PaidCall
from towpath.stages.extract_audio import Tape


async def hear(
    context: Context, tape: Tape, listener: Listener, recording: Recording, turn: float
) -> Transcript | Suspend:
    """Everything that is said; or Suspend, when this turn is over and there is more to hear."""
    segments, first = await _heard_before(context, tape)
    clock = asyncio.get_running_loop().time
    end = clock() + turn
    for number in range(first, len(recording.windows)):
        segments += await _window(context, tape, listener, recording, recording.windows[number])
        await context.progress(number + 1, len(recording.windows))
        if clock() > end and number + 1 < len(recording.windows):
            await _write_down(context, tape, segments)
            return Suspend(context.now(), "its next turn", {"heard": number + 1})
    # First the note that there is none, or a crash in between would leave a note of a file that is missing.
    await context.write(DropArtifact(tape.draft_key(context)))
    await tape.blobs.delete(tape.draft_key(context))
    return Transcript(tuple(segments))


async def _write_down(context: Context, tape: Tape, segments: Sequence[Segment]) -> None:
    draft, key = dump_transcript(Transcript(tuple(segments))), tape.draft_key(context)
    digest = hashlib.sha256(draft).hexdigest()
    await tape.blobs.put(key, draft)
    await context.write(KeepArtifact("draft", key, "application/json", len(draft), digest))


async def _heard_before(context: Context, tape: Tape) -> tuple[list[Segment], int]:
    """What earlier turns have written down, and the window to go on with."""
    heard = context.payload.get("heard")
    if not isinstance(heard, int) or await tape.blobs.size(tape.draft_key(context)) is None:
        return [], 0
    ends = (await tape.recording(context)).windows[heard - 1][1]
    draft = load_transcript(await tape.blobs.get(tape.draft_key(context)))
    # A draft may be of a later turn than the payload, whose save was cut off by a crash.
    return [segment for segment in draft.segments if segment.end <= ends], heard


async def _window(
    context: Context, tape: Tape, listener: Listener, recording: Recording, window: Window
) -> Sequence[Segment]:
    sides: tuple[int | None, ...] = (0, 1) if recording.apart else (None,)
    found: list[Segment] = []
    for side in sides:
        place = {"window": f"{window[0]:g}-{window[1]:g}", "side": str(side)}
        call = PaidCall(
            listener.provider, listener.model, {**listener.parameters(), **place}, recording.sha256
        )
        answer = await context.once(call, lambda side=side: _listen(context, tape, listener, window, side))
        name = None if side is None else f"Speaker {side + 1}"
        found += [replace(segment, speaker=name) for segment in listener.read(answer.body)]
    return sorted(found, key=lambda segment: (segment.start, segment.end))


async def _listen(
    context: Context, tape: Tape, listener: Listener, window: Window, side: int | None
) -> Answer:
    await tape.recorded(context)
    async with tape.blobs.as_file(tape.sound_key(context)) as sound:
        return await listener.hear(sound, window, side)
