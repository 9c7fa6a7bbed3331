"""Generates docs/reference/states.md from the table of legal transitions."""

from __future__ import annotations

from towpath.lifecycle.transitions import JOB_TRANSITIONS, RUN_TRANSITIONS, Verb
from towpath.model.run import FailureType

_VERBS = {
    Verb.SUBMIT: "Stores a document with its first run (`QUEUED`) and that run's first job (`PENDING`).",
    Verb.CLAIM: "A worker takes a due job under a lease. The first claim starts the run.",
    Verb.HEARTBEAT: "A worker renews the leases of its jobs.",
    Verb.PROGRESS: "A worker records how far a stage has come.",
    Verb.ADVANCE: "Completes a job and creates the job of the next stage.",
    Verb.FINISH: "Completes the last job, publishes the content and completes the run.",
    Verb.FAIL: "An attempt failed: the job is retried after a backoff, or fails when its attempts are used up.",
    Verb.REJECT: "The input can never be processed: job and run fail without another attempt.",
    Verb.SUSPEND: "The job waits for something until a given time. Uses no attempt.",
    Verb.RELEASE: "A worker gives a job back when it shuts down. Uses no attempt.",
    Verb.RESCUE: "A sweep takes a job whose lease expired or whose worker died: it is due again, and runs alone.",
    Verb.RECOVER: "Start of the embedded server: runs that were `RUNNING` fail as `PROCESS_TERMINATED`.",
    Verb.TIME_OUT: "A sweep ends a run that is past its deadline.",
    Verb.CANCEL: "A person stops a run.",
    Verb.RETRY: "A person makes a waiting job due now. A failed job stays as it is; a new run resumes after it.",
}
_FAILURES = {
    FailureType.PROCESS_TERMINATED: "The embedded server stopped while the run was `RUNNING`.",
    FailureType.STAGE_FAILED: "A stage used up its attempts.",
    FailureType.REJECTED: "This input can never be processed: encrypted, damaged, empty or unsupported.",
    FailureType.QUARANTINED: "The stage crashed its process `max_crashes` times while it ran alone.",
    FailureType.PROVIDER_REFUSED: "The provider refuses the key, the account or the setting.",
    FailureType.PROVIDER_UNAVAILABLE: "The provider did not answer in the time that the settings allow.",
}


def states_page() -> str:
    lines = [
        "# States",
        "",
        "![State diagram of runs and jobs](../images/states.svg)",
        "",
        "Diagram and tables are generated from `src/towpath/lifecycle/transitions.py`. A transition that is not listed",
        "is refused and changes nothing. A verb that leads from a state to the same state changes other columns only.",
        "",
    ]
    for title, transitions in (("Run", RUN_TRANSITIONS), ("Job", JOB_TRANSITIONS)):
        lines += [f"## {title}", "", "| verb | from | to |", "|---|---|---|"]
        for verb, steps in transitions.items():
            for before, after in steps.items():
                states = " or ".join(f"`{state}`" for state in sorted(after))
                lines.append(f"| {verb} | `{before}` | {states} |")
        lines.append("")
    lines += ["## Verbs", "", "| verb | effect |", "|---|---|"]
    lines += [f"| {verb} | {_VERBS[verb]} |" for verb in Verb]
    lines += ["", "## Failure types of a run", "", "| `failure_type` | meaning |", "|---|---|"]
    lines += [f"| `{failure}` | {_FAILURES[failure]} |" for failure in FailureType]
    return "\n".join(lines) + "\n"
