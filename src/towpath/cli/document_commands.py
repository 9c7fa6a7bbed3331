"""Commands for documents: submit, list, show, status, search, open, rerun, delete."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from towpath.cli.find import find_document
from towpath.cli.options import Target, connected, json_option
from towpath.cli.output import call, print_answer
from towpath.cli.table import age, short_id, shortened, size_text, table_lines
from towpath.cli.wording import anchor_text, clock_time, counted, stage_line, waiting_sentence
from towpath.pipelines.labels import stage_label

if TYPE_CHECKING:
    from towpath.cli.client import Api

STATUSES = ("PROCESSING", "COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED")
#: Documents per request of a list.
PAGE = 200


@click.command()
@connected
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--wait", is_flag=True, help="Wait until all runs have ended; show progress.")
@click.option("--create", is_flag=True, help="Create a library in the data folder if it has none.")
@json_option
def submit(target: Target, paths: tuple[Path, ...], wait: bool, as_json: bool) -> None:
    """Submit files, or all files of folders, for processing. Prints the id of each document."""
    from towpath.cli.submit import submit_files

    if submit_files(target, paths, wait=wait, as_json=as_json):
        raise SystemExit(1)


@click.command("list")
@connected
@click.option("--status", type=click.Choice(STATUSES), help="Only documents of this status.")
@click.option("--kind", type=click.Choice(["document", "call"]), help="Only documents or only calls.")
@click.option("--name", help="Only documents whose name contains this text.")
@click.option("--limit", type=click.IntRange(min=1), default=50, help="Number of documents, newest first.")
@json_option
def list_documents(
    target: Target, status: str | None, kind: str | None, name: str | None, limit: int, as_json: bool
) -> None:
    """List documents: id, name, status, stage and age."""

    async def request(server: Api) -> Any:
        documents: list[Any] = []
        cursor, total = None, 0
        while len(documents) < limit:
            page = await server.get(
                "/documents",
                status=status,
                kind=kind,
                q=name,
                cursor=cursor,
                limit=min(PAGE, limit - len(documents)),
            )
            ids = ",".join(document["id"] for document in page["documents"])
            statuses = {item["document_id"]: item for item in await server.get("/documents/status", ids=ids)}
            for document in page["documents"]:
                item = statuses.get(document["id"])
                documents.append(document | {"stage": item["stage"] if item else None})
            cursor, total = page["next_cursor"], page["total"]
            if cursor is None:
                break
        return {"documents": documents, "total": total}

    def format_lines(answer: Any) -> list[str]:
        documents = answer["documents"]
        if not documents:
            return ["No documents."]
        rows = [
            (
                short_id(document["id"]),
                shortened(document["name"], 40),
                document["status"],
                stage_label(document["stage"])
                if document["stage"] and document["status"] != "COMPLETED"
                else "",
                age(document["created_at"]),
            )
            for document in documents
        ]
        lines = table_lines(("ID", "NAME", "STATUS", "STAGE", "AGE"), rows)
        if answer["total"] > len(documents):
            lines.append(f"{len(documents)} of {answer['total']} documents; more with --limit.")
        return lines

    print_answer(call(target, request), as_json, format_lines)


@click.command()
@connected
@click.argument("document")
@json_option
def show(target: Target, document: str, as_json: bool) -> None:
    """Show a document: what it is, its status, its stages and its costs."""

    async def request(server: Api) -> Any:
        document_id = await find_document(server, document)
        answer = await server.get(f"/documents/{document_id}")
        answer["processing"] = await server.get(f"/documents/{document_id}/status")
        answer["costs"] = await server.get(f"/documents/{document_id}/costs")
        return answer

    print_answer(call(target, request), as_json, _show_lines)


def _show_lines(answer: Any) -> list[str]:
    costs, seconds = answer["costs"], answer["seconds"]
    paid = f"{costs['cost']:.4f} US dollars, " if costs["cost"] else ""
    rows = [
        ("id", answer["id"]),
        ("kind", f"{answer['kind']}, {answer['media_type']}, {size_text(answer['size'])}"),
        ("title", answer["title"]),
        ("language", answer["language"]),
        (
            "length",
            ", ".join(counted(answer[f"{unit}s"], unit) for unit in ("page", "word") if answer[f"{unit}s"]),
        ),
        ("recording", seconds and f"{int(seconds) // 60}:{int(seconds) % 60:02}"),
        ("chunks", answer["chunks"]),
        (
            "added",
            f"{answer['created_at'][:10]} {clock_time(answer['created_at'])}, {age(answer['created_at'])} ago",
        ),
        ("searchable", "yes" if answer["searchable"] else "no"),
        ("calls", f"{paid}{counted(costs['calls'], 'provider call')}" if costs["calls"] else None),
    ]
    lines = [answer["name"], *(f"  {name:11} {value}" for name, value in rows if value)]
    lines += [f"  warning: {warning}" for warning in answer["warnings"]]
    return lines + _status_lines(answer["processing"])


@click.command()
@connected
@click.argument("document")
@json_option
def status(target: Target, document: str, as_json: bool) -> None:
    """Show a document's status and its stages."""

    async def request(server: Api) -> Any:
        return await server.get(f"/documents/{await find_document(server, document)}/status")

    print_answer(call(target, request), as_json, _status_lines)


def _status_lines(answer: Any) -> list[str]:
    run = answer["run"]
    failure = f" ({run['failure_type']})" if run and run["failure_type"] else ""
    lines = [answer["status"] + failure]
    if run and run["resumes_run_id"]:
        reused = ", ".join(stage_label(stage["name"]) for stage in answer["stages"] if stage["reused"])
        lines.append(f"resumes run {run['resumes_run_id']}; reused stages: {reused or 'none'}")
    lines += [stage_line(stage) for stage in answer["stages"]]
    if (waiting := waiting_sentence(answer)) is not None:
        lines.append(waiting)
    if answer["error"]:
        lines.append(f"error: {answer['error']}")
    return lines


@click.command()
@connected
@click.argument("query")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "text", "vector"]),
    default="hybrid",
    help="Search by words, by meaning (vector), or by both (hybrid).",
)
@click.option("--kind", type=click.Choice(["document", "call"]), help="Only documents or only calls.")
@click.option("--limit", type=click.IntRange(1, 100), default=10, help="Number of results, best first.")
@json_option
def search(target: Target, query: str, mode: str, kind: str | None, limit: int, as_json: bool) -> None:
    """Search documents and calls."""

    def format_lines(answer: Any) -> list[str]:
        lines: list[str] = []
        for hit in answer["hits"]:
            place = ", ".join(filter(None, [hit["document_name"], anchor_text(hit["anchor"])]))
            lines.append(f"{short_id(hit['document_id'])}  {place}")
            lines.append(f"  {' '.join(hit['snippet'].split())}")
        return lines or [f'No results for "{query}".']

    answer = call(target, lambda server: server.get("/search", q=query, mode=mode, kind=kind, limit=limit))
    print_answer(answer, as_json, format_lines)


@click.command("open")
@connected
@click.argument("document", required=False)
@click.option("--print", "only_print", is_flag=True, help="Print the address and open no browser.")
def open_page(target: Target, document: str | None, only_print: bool) -> None:
    """Open the page, or a document on the page, in the browser. Needs a running server."""
    from towpath.cli.client import server_url
    from towpath.errors import UserError

    url = server_url(target)
    if url is None:
        raise UserError(
            "No server is running. Start one with `towpath serve`, or name one with --server URL."
        )
    address = f"{url}/"
    if document is not None:
        address += f"#/documents/{call(target, lambda server: find_document(server, document))}"
    click.echo(address)
    if not only_print:
        click.launch(address)


@click.command()
@connected
@click.argument("document")
@click.option("--from-stage", help="First stage to execute, such as chunk; the stages before it are reused.")
@click.option(
    "--fresh", is_flag=True, help="Reuse no results and no cached answers; providers are paid again."
)
@json_option
def rerun(target: Target, document: str, from_stage: str | None, fresh: bool, as_json: bool) -> None:
    """Process a document again. Its present content stays searchable until then."""

    async def request(server: Api) -> Any:
        document_id = await find_document(server, document)
        body = {"from_stage": from_stage, "fresh": fresh}
        return await server.post(f"/documents/{document_id}/runs", json=body)

    print_answer(call(target, request), as_json, lambda answer: [f"run {answer['run_id']} queued"])


@click.command()
@connected
@click.argument("document")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def delete(target: Target, document: str, yes: bool) -> None:
    """Delete a document with its files and connections."""

    async def find(server: Api) -> Any:
        return await server.get(f"/documents/{await find_document(server, document)}")

    answer = call(target, find)
    if not yes:
        click.confirm(f"Delete {answer['name']} ({counted(answer['chunks'] or 0, 'chunk')})?", abort=True)
    call(target, lambda server: server.delete(f"/documents/{answer['id']}"))
    click.echo(f"Deleted {answer['name']}.")
