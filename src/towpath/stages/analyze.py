"""analyze: what a call was about. The transcript is never lost for it: a failure becomes a warning.

The measures are always there. Where the analyst cannot be had, the call is finished without the rest and
says so; running this stage again asks the analyst once more, and nobody else.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta

from towpath.errors import LeaseLost, Refused, Rejected, Throttled
from towpath.model.encode_call import dump_report, load_transcript
from towpath.model.transcript import CallAnalysis, CallReport, Transcript
from towpath.model.work import Done, Outcome, Suspend
from towpath.providers.contract import Answer
from towpath.stages.artifact import store
from towpath.stages.call_capabilities import Analyst, Patience
from towpath.stages.capabilities import result_of
from towpath.stages.contract import Context, PaidCall, Postpone
from towpath.stages.measuring import measure
from towpath.stages.waiting import Waiting
from towpath.storage.contract import BlobStore

#: How long to leave a busy analyst alone that does not say how long.
THROTTLED = 15.0


async def analyze(context: Context, *, blobs: BlobStore, analyst: Analyst, patience: Patience) -> Outcome:
    transcript = load_transcript(await blobs.get(str(result_of(context, "transcribe_poll")["transcript"])))
    seconds = float(str(result_of(context, "extract_audio")["seconds"]))
    told = await _told(context, analyst, transcript, patience)
    if isinstance(told, Suspend):
        return told
    measures = measure(transcript, seconds)
    if isinstance(told, CallAnalysis):
        report = CallReport(measures, told, f"{analyst.provider}/{analyst.model}")
    else:
        report = CallReport(measures, warning=told)
    kept = await store(context, blobs, "analysis", "json", "application/json", dump_report(report))
    return Done({"analysis": kept.key, "warning": report.warning}, writes=[kept])


async def _told(
    context: Context, analyst: Analyst, transcript: Transcript, patience: Patience
) -> CallAnalysis | Suspend | str:
    """The analysis; or when to ask again; or why there is none, as a sentence."""

    async def make() -> Answer:
        return await analyst.analyze(transcript.text)

    content = hashlib.sha256(transcript.text.encode("utf-8", "replace")).hexdigest()
    waiting = Waiting.of(context).once_more()
    try:
        call = PaidCall(analyst.provider, analyst.model, analyst.parameters(), content)
        return analyst.read((await context.once(call, make)).body)
    except LeaseLost:
        raise
    except (Rejected, Refused) as refusal:
        return _warning(str(refusal))
    except Postpone as postpone:
        later = postpone.suspend
    except Throttled as throttled:
        wait = THROTTLED if throttled.retry_after is None else throttled.retry_after
        later = Suspend(context.now() + timedelta(seconds=wait), str(throttled))
    except Exception as error:
        if not context.last_attempt:
            raise
        return _warning(f"{type(error).__name__}: {error}")
    if waited := waiting.exhausted(context.now(), patience):
        return _warning(f"{analyst.provider} was busy for {waited}.")
    return Suspend(later.until, later.waiting_for, waiting.payload())


def _warning(reason: str) -> str:
    return f"The call could not be analyzed; its transcript is complete. {reason}"
