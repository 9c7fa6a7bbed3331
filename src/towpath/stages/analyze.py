"""analyze: asks the call analyzer for a summary and measures the call. A failed analysis becomes a warning.

The measures are always stored. If the analyzer fails, the call is finished without its summary and the report
has a warning; running this stage again calls only the analyzer again.
"""

from __future__ import annotations

from dataclasses import replace

from towpath.errors import LeaseLost, Refused, Rejected, WorkerStopping
from towpath.model.codec import decode, encode
from towpath.model.outcome import Done, Outcome, Suspend
from towpath.model.poll_state import PollLimits, PollState
from towpath.model.provider_answer import Answer
from towpath.model.transcript import CallAnalysis, CallReport, Transcript
from towpath.stages.capabilities import CallAnalyzer, result_of
from towpath.stages.contract import Context, ProviderCall, SuspendStage
from towpath.stages.support.artifact import store
from towpath.stages.support.call_metrics import call_metrics
from towpath.storage.contract import BlobStore


async def analyze(
    context: Context, *, blobs: BlobStore, analyzer: CallAnalyzer, poll_limits: PollLimits
) -> Outcome:
    transcript = decode(await blobs.get(str(result_of(context, "transcribe_poll")["transcript"])), Transcript)
    seconds = float(str(result_of(context, "extract_audio")["seconds"]))
    analysis = await _call_analyzer(context, analyzer, transcript, poll_limits)
    if isinstance(analysis, Suspend):
        return analysis
    overlaps = bool(result_of(context, "extract_audio").get("speaker_per_channel"))
    measures = call_metrics(transcript, seconds, overlaps_known=overlaps)
    if isinstance(analysis, CallAnalysis):
        report = CallReport(measures, analysis, f"{analyzer.provider}/{analyzer.model}")
    else:
        report = CallReport(measures, warning=analysis)
    artifact = await store(context, blobs, "analysis", "json", "application/json", encode(report))
    return Done({"analysis": artifact.key, "warning": report.warning}, writes=[artifact])


async def _call_analyzer(
    context: Context, analyzer: CallAnalyzer, transcript: Transcript, poll_limits: PollLimits
) -> CallAnalysis | Suspend | str:
    """The analysis; Suspend to try again later; or the warning if there is no analysis."""

    async def make() -> Answer:
        return await analyzer.analyze(transcript)

    state = PollState.read(context.payload, context.run_id, context.now()).increment()
    try:
        call = ProviderCall(
            analyzer.provider, analyzer.model, analyzer.parameters(), analyzer.input_hash(transcript)
        )
        return analyzer.read((await context.call_once(call, make)).body)
    except (LeaseLost, WorkerStopping):
        raise
    except (Rejected, Refused) as error:
        return _warning(str(error))
    except SuspendStage as suspended:
        suspend = suspended.suspend
    except Exception as error:
        if not context.last_attempt:
            raise
        return _warning(f"{type(error).__name__}: {error}")
    if waited := state.exhausted_after(context.now(), poll_limits):
        return _warning(f"{analyzer.provider} was busy for {waited}.")
    return replace(suspend, payload=state.write(context.payload))


def _warning(reason: str) -> str:
    return f"The call could not be analyzed; its transcript is complete. {reason}"
