"""Commands for runs and jobs: runs, jobs, retry, cancel."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from towpath.cli.lookup import find_document, find_job, find_run
from towpath.cli.options import Target, json_option, server_options
from towpath.cli.output import call_api, note_waiting, print_answer
from towpath.cli.status_text import counted, waiting_sentence
from towpath.cli.text_format import age, shortened, table_lines
from towpath.pipelines.stage_labels import stage_label

if TYPE_CHECKING:
    from towpath.cli.client import Api


@click.command()
@server_options
@click.argument("document")
@json_option
def runs(target: Target, document: str, as_json: bool) -> None:
    """List a document's runs with their events."""

    async def request(server: Api) -> Any:
        return await server.get(f"/documents/{await find_document(server, document)}/runs")

    def format_lines(answer: Any) -> list[str]:
        lines: list[str] = []
        for run in answer:
            resumed = f" resumes {run['resumes_run_id']}" if run["resumes_run_id"] else ""
            lines.append(f"{run['id']} {run['state']} {run['failure_type'] or ''}{resumed}".rstrip())
            for event in run["events"]:
                lines.append(f"  {event['at']} {event['kind']} {event['stage'] or ''}".rstrip())
        return lines

    print_answer(call_api(target, request), as_json, format_lines)


@click.command()
@server_options
@click.argument("job_or_document", required=False)
@click.option("--stage", help="Retry all failed jobs of this stage.")
@click.option("--error", help="Retry all failed jobs whose error contains this text.")
@click.option("--all", "everything", is_flag=True, help="Retry all failed jobs.")
@json_option
def retry(
    target: Target,
    job_or_document: str | None,
    stage: str | None,
    error: str | None,
    everything: bool,
    as_json: bool,
) -> None:
    """Retry a job, the failed job of a document, or all failed jobs that match. Completed stages are reused."""
    if (job_or_document is None) == (not (stage or error or everything)):
        raise click.UsageError(
            "Give a job or a document, or select failed jobs with --stage, --error or --all."
        )
    if error is not None and not error.strip():
        raise click.UsageError("The text of --error is empty.")
    filters = {name: value for name, value in (("stage", stage), ("error", error)) if value}

    async def request(server: Api) -> Any:
        if job_or_document is None:
            return await server.post("/jobs/retry", params=filters)
        return await server.post(f"/jobs/{await find_job(server, job_or_document)}/retry")

    print_answer(
        call_api(target, request),
        as_json,
        lambda retried: [f"{counted(len(retried['run_ids']), 'run')} queued"],
    )
    if not as_json:
        note_waiting(target)


@click.command()
@server_options
@click.argument("run_or_document")
@json_option
def cancel(target: Target, run_or_document: str, as_json: bool) -> None:
    """Cancel a run, or the current run of a document."""

    async def request(server: Api) -> Any:
        return await server.post(f"/runs/{await find_run(server, run_or_document)}/cancel")

    print_answer(call_api(target, request), as_json, lambda run: [f"{run['id']} {run['state']}"])


@click.command()
@server_options
@click.option(
    "--status",
    type=click.Choice(["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]),
    help="Only jobs of this status.",
)
@click.option("--stage", help="Stage code, such as extract.")
@click.option("--limit", type=click.IntRange(1, 500), default=50, help="Number of jobs, newest first.")
@json_option
def jobs(target: Target, status: str | None, stage: str | None, limit: int, as_json: bool) -> None:
    """List jobs: document, stage, status, failed attempts, age, and the error or what the job waits for."""

    def format_lines(answer: Any) -> list[str]:
        rows = [
            (
                job["id"],
                shortened(job["document_name"] or "", 30),
                stage_label(job["stage"]),
                job["status"],
                f"{job['attempts']}/{job['max_attempts']}",
                age(job["created_at"]),
                _job_message(job),
            )
            for job in answer
        ]
        headers = ("ID", "DOCUMENT", "STAGE", "STATUS", "FAILED", "AGE", "MESSAGE")
        return table_lines(headers, rows) if rows else ["No jobs."]

    answer = call_api(target, lambda server: server.get("/jobs", status=status, stage=stage, limit=limit))
    print_answer(answer, as_json, format_lines)


def _job_message(job: Any) -> str:
    """The last error of a job that has not completed, or why it waits."""
    if job["status"] == "COMPLETED":
        return ""
    lines = (job["error_log"] or "").strip().splitlines()
    # Each line of the log begins with its time.
    error = re.sub(r"^\d{4}-\d\d-\d\dT\S+ ", "", lines[-1]) if lines else ""
    return shortened(waiting_sentence(job) or error, 100)
