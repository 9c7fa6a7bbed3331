"""Commands about documents and jobs: status, runs, retry, cancel, delete, search, connections, jobs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import click

from towpath.cli.client import Api, api
from towpath.cli.options import Loaded, common

_json = click.option("--json", "as_json", is_flag=True, help="The server's answer as JSON.")


def _ask(loaded: Loaded, question: Callable[[Api], Awaitable[Any]]) -> Any:
    async def asked() -> Any:
        async with api(loaded.settings) as server:
            return await question(server)

    return asyncio.run(asked())


def _show(answer: Any, as_json: bool, lines: Callable[[Any], list[str]]) -> None:
    click.echo(json.dumps(answer, ensure_ascii=False, indent=2) if as_json else "\n".join(lines(answer)))


@click.command()
@common
@click.argument("document_id")
@_json
def status(loaded: Loaded, document_id: str, as_json: bool) -> None:
    """Where a document stands, stage by stage."""
    _show(_ask(loaded, lambda server: server.get(f"/documents/{document_id}/status")), as_json, _status_lines)


def _status_lines(answer: Any) -> list[str]:
    lines = [answer["status"] + (f" ({answer['run']['failure_type']})" if _failure(answer) else "")]
    if answer["run"] and answer["run"]["resumes_run_id"]:
        kept = ", ".join(stage["name"] for stage in answer["stages"] if stage["reused"])
        lines.append(f"resumes run {answer['run']['resumes_run_id']}; reused: {kept or 'nothing'}")
    for stage in answer["stages"]:
        seconds = "" if stage["seconds"] is None else f"{stage['seconds']:8.2f} s"
        count = "" if stage["total"] is None else f"  {stage['done']} of {stage['total']}"
        notes = [
            f"done {_clock(stage['completed_at'])}" if stage["completed_at"] else "",
            f"last heard of {_clock(stage['last_heartbeat'])}" if stage["last_heartbeat"] else "",
            "reused" if stage["reused"] else "",
            f"{stage['calls_made']} calls made" if stage["calls_made"] else "",
            f"{stage['calls_reused']} answers reused" if stage["calls_reused"] else "",
            f"{stage['attempts']} attempts failed" if stage["attempts"] else "",
            f"{stage['crashes']} crashes" if stage["crashes"] else "",
        ]
        told = ", ".join(note for note in notes if note)
        lines.append(f"  {stage['name']:14} {stage['status']:11}{seconds}{count}  {told}".rstrip())
    if answer["waiting_for"]:
        until = f" until {answer['waiting_until']}" if answer["waiting_until"] else ""
        lines.append(f"{answer['waiting_for']}{until}")
    if answer["error"]:
        lines.append(f"error: {answer['error']}")
    return lines


def _clock(moment: str) -> str:
    return datetime.fromisoformat(moment).astimezone().strftime("%H:%M:%S")


def _place(anchor: Any) -> str:
    if "seconds_start" in anchor:
        minutes, seconds = divmod(int(anchor["seconds_start"]), 60)
        return f", at {minutes}:{seconds:02}"
    return f", page {anchor['page']}" if anchor.get("page") else ""


def _failure(answer: Any) -> bool:
    return bool(answer["run"] and answer["run"]["failure_type"])


@click.command()
@common
@click.argument("document_id")
@_json
def runs(loaded: Loaded, document_id: str, as_json: bool) -> None:
    """Every run of a document, with its events."""

    def lines(answer: Any) -> list[str]:
        told: list[str] = []
        for run in answer:
            resumed = f" resumes {run['resumes_run_id']}" if run["resumes_run_id"] else ""
            told.append(f"{run['id']} {run['state']} {run['failure_type'] or ''}{resumed}".rstrip())
            told += [f"  {e['at']} {e['kind']} {e['stage'] or ''}".rstrip() for e in run["events"]]
        return told

    _show(_ask(loaded, lambda server: server.get(f"/documents/{document_id}/runs")), as_json, lines)


@click.command()
@common
@click.argument("job_id", required=False)
@click.option("--stage", help="Retry all failed jobs of this stage.")
@click.option("--error", help="Retry all failed jobs whose error contains this text.")
@click.option("--all", "everything", is_flag=True, help="Retry all failed jobs.")
@_json
def retry(
    loaded: Loaded, job_id: str | None, stage: str | None, error: str | None, everything: bool, as_json: bool
) -> None:
    """Retry one job, or many failed ones. Finished stages are kept."""
    if (job_id is None) == (not (stage or error or everything)):
        raise click.UsageError("Name one job, or say which failed jobs with --stage, --error or --all.")
    wanted = {name: value for name, value in (("stage", stage), ("error", error)) if value}
    path = f"/jobs/{job_id}/retry" if job_id else "/jobs/retry"
    answer = _ask(loaded, lambda server: server.post(path, params=wanted))
    _show(answer, as_json, lambda told: [f"{len(told['run_ids'])} queued"])


@click.command()
@common
@click.argument("run_or_document_id")
@_json
def cancel(loaded: Loaded, run_or_document_id: str, as_json: bool) -> None:
    """Stop a run, or the run of a document that is going on."""

    async def question(server: Api) -> Any:
        found = await server.get("/documents/status", ids=run_or_document_id)
        run_id = found[0]["run"]["id"] if found and found[0]["run"] else run_or_document_id
        return await server.post(f"/runs/{run_id}/cancel")

    _show(_ask(loaded, question), as_json, lambda run: [f"{run['id']} {run['state']}"])


@click.command()
@common
@click.argument("document_id")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(loaded: Loaded, document_id: str, yes: bool) -> None:
    """Remove a document: its rows, its files and its connections."""
    document = _ask(loaded, lambda server: server.get(f"/documents/{document_id}"))
    if not yes:
        click.confirm(f"Remove {document['name']} with {document['chunks'] or 0} chunks?", abort=True)
    _ask(loaded, lambda server: server.delete(f"/documents/{document_id}"))
    click.echo(f"removed {document['name']}")


@click.command()
@common
@click.argument("document_id")
@click.option("--format", "form", type=click.Choice(["text", "srt", "vtt", "json"]), default="text")
def transcript(loaded: Loaded, document_id: str, form: str) -> None:
    """A call in writing."""
    path = f"/documents/{document_id}/transcript"
    click.echo(_ask(loaded, lambda server: server.text(path, format=form)), nl=form == "json")


@click.command()
@common
@click.argument("query")
@click.option("--mode", type=click.Choice(["hybrid", "text", "vector"]), default="hybrid")
@click.option("--kind", type=click.Choice(["document", "call"]))
@click.option("--limit", type=click.IntRange(1, 100), default=10)
@_json
def search(loaded: Loaded, query: str, mode: str, kind: str | None, limit: int, as_json: bool) -> None:
    """Find passages."""

    def lines(answer: Any) -> list[str]:
        told: list[str] = []
        for hit in answer["hits"]:
            told.append(f"{hit['document_name']}{_place(hit['anchor'])}")
            told.append(f"  {' '.join(hit['snippet'].split())}")
        return told or ["Nothing was found."]

    answer = _ask(loaded, lambda server: server.get("/search", q=query, mode=mode, kind=kind, limit=limit))
    _show(answer, as_json, lines)


@click.command()
@common
@click.argument("document_id")
@click.option("--limit", type=click.IntRange(1, 1000), default=20)
@_json
def connections(loaded: Loaded, document_id: str, limit: int, as_json: bool) -> None:
    """Passages of other documents that speak of the same thing."""

    def lines(answer: Any) -> list[str]:
        told: list[str] = []
        for one in answer:
            if one["hidden"]:
                continue
            pinned = ", pinned" if one["pinned"] else ""
            told.append(f"{one['score']:.0%} {one['there']['document_name']}{pinned}: {one['reason']}")
            for sign, side in (("<", one["here"]), (">", one["there"])):
                place = _place(side["anchor"]).removeprefix(", ")
                said = " ".join(side["text"].split())[:200]
                told.append(f"  {sign} {place}: {said}" if place else f"  {sign} {said}")
        return told or ["No connections were found."]

    answer = _ask(loaded, lambda server: server.get(f"/documents/{document_id}/connections", limit=limit))
    _show(answer, as_json, lines)


@click.command()
@common
@click.option("--status", type=click.Choice(["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]))
@click.option("--stage")
@click.option("--limit", type=click.IntRange(1, 500), default=50)
@_json
def jobs(loaded: Loaded, status: str | None, stage: str | None, limit: int, as_json: bool) -> None:
    """The queue."""

    def lines(answer: Any) -> list[str]:
        return [
            f"{j['id']} {j['stage']:14} {j['status']:11} {j['attempts']}/{j['max_attempts']}" for j in answer
        ]

    answer = _ask(loaded, lambda server: server.get("/jobs", status=status, stage=stage, limit=limit))
    _show(answer, as_json, lines)
