"""Commands for documents: submit, show, status, search, open, rerun, delete."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from towpath.cli.filter_options import filter_options, parse_metadata
from towpath.cli.lookup import find_document
from towpath.cli.options import Target, json_option, server_options
from towpath.cli.organize_commands import label_lines
from towpath.cli.output import call_api, note_waiting, print_answer
from towpath.cli.search_output import search_lines
from towpath.cli.status_text import clock_time, counted, stage_line, waiting_sentence
from towpath.cli.text_format import age, size_text

if TYPE_CHECKING:
    from towpath.cli.client import Api


@click.command()
@server_options
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--wait", is_flag=True, help="Wait until all runs have ended; show progress.")
@click.option("--create", is_flag=True, help="Create a library in the data folder if it has none.")
@click.option("--collection", help="The collection of all these files.")
@click.option(
    "--collections/--no-collections",
    "by_folder",
    default=True,
    help="Make a collection of each sub-folder of a folder; of each folder if several are given.",
)
@click.option("--tag", multiple=True, help="A tag of all these files. Repeatable.")
@click.option(
    "--metadata", multiple=True, metavar="KEY=VALUE", help="Metadata of all these files. Repeatable."
)
@click.option("--pipeline", help="Pipeline of the documents; without it, rules and the kind of file decide.")
@click.option("--key", help="Key of the file: new bytes under the same key are the document's next version.")
@click.option(
    "--keys",
    is_flag=True,
    help="The path of each file in its folder is its key; changed files are next versions.",
)
@json_option
def submit(
    target: Target,
    paths: tuple[Path, ...],
    wait: bool,
    collection: str | None,
    by_folder: bool,
    tag: tuple[str, ...],
    metadata: tuple[str, ...],
    pipeline: str | None,
    key: str | None,
    keys: bool,
    as_json: bool,
) -> None:
    """Submit files, or all files of folders, for processing. Prints the id of each document."""
    from towpath.cli.submit import UploadLabels, submit_files

    labels = UploadLabels(collection, by_folder, tag, parse_metadata(metadata), pipeline, key, keys)
    failed, unfinished = submit_files(target, paths, labels, wait=wait, as_json=as_json)
    if unfinished and not (wait or as_json):
        note_waiting(target)
    if failed:
        raise SystemExit(1)


@click.command()
@server_options
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

    print_answer(call_api(target, request), as_json, _show_lines)


def _length(answer: Any) -> str:
    """`3 pages, 292 words`, or slides, sheets and chapters."""
    counts = ((answer["pages"], answer.get("page_unit", "page")), (answer["words"], "word"))
    return ", ".join(counted(count, unit) for count, unit in counts if count)


def _show_lines(answer: Any) -> list[str]:
    costs, seconds = answer["costs"], answer["seconds"]
    paid = f"{costs['cost']:.4f} US dollars, " if costs["cost"] else ""
    rows = [
        ("id", answer["id"]),
        ("kind", f"{answer['kind']}, {answer['media_type']}, {size_text(answer['size'])}"),
        ("language", answer["language"]),
        ("length", _length(answer)),
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
    lines[2:2] = label_lines(answer)
    lines += [f"  warning: {warning}" for warning in answer["warnings"]]
    return lines + _status_lines(answer["processing"])


@click.command()
@server_options
@click.argument("document")
@json_option
def status(target: Target, document: str, as_json: bool) -> None:
    """Show a document's status and its stages."""

    async def request(server: Api) -> Any:
        return await server.get(f"/documents/{await find_document(server, document)}/status")

    print_answer(call_api(target, request), as_json, _status_lines)


def _status_lines(answer: Any) -> list[str]:
    run = answer["run"]
    failure = f" ({run['failure_type']})" if run and run["failure_type"] else ""
    lines = [answer["status"] + failure]
    if run and run["resumes_run_id"]:
        reused = ", ".join(stage["label"] for stage in answer["stages"] if stage["reused"])
        lines.append(f"resumes run {run['resumes_run_id']}; reused stages: {reused or 'none'}")
    lines += [stage_line(stage) for stage in answer["stages"]]
    if (waiting := waiting_sentence(answer)) is not None:
        lines.append(waiting)
    if answer["error"]:
        lines.append(f"error: {answer['error']}")
    return lines


@click.command()
@server_options
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "text", "vector"]),
    default="hybrid",
    help="Search by words, by meaning (vector), or by both (hybrid).",
)
@filter_options
@click.option("--limit", type=click.IntRange(1, 100), default=10, help="Number of results, best first.")
@click.option(
    "--offset", type=click.IntRange(0, 10_000), default=0, help="Results to skip, for the next page."
)
@click.option(
    "--group/--all", "group", default=True, help="Only the best passage of each document, or all passages."
)
@json_option
def search(
    target: Target,
    words: tuple[str, ...],
    mode: str,
    filters: dict[str, Any],
    limit: int,
    offset: int,
    group: bool,
    as_json: bool,
) -> None:
    """Search documents and calls."""
    query = " ".join(words).strip()
    if not query:
        raise click.UsageError("Give the words to search for.")
    answer = call_api(
        target,
        lambda server: server.get(
            "/search",
            q=query,
            mode=mode,
            **filters,
            limit=limit,
            offset=offset,
            group=str(group).lower(),
        ),
    )
    print_answer(answer, as_json, lambda results: search_lines(results, query, group=group))


@click.command("open")
@server_options
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
        address += f"#/documents/{call_api(target, lambda server: find_document(server, document))}"
    click.echo(address)
    if not only_print:
        click.launch(address)


@click.command()
@server_options
@click.argument("document")
@click.option("--from-stage", help="First stage to execute, such as chunk; the stages before it are reused.")
@click.option(
    "--fresh", is_flag=True, help="Reuse no results and no cached answers; providers are paid again."
)
@click.option("--pipeline", help="Pipeline of the new run; without it, that of the last run.")
@click.option("--password", "ask_password", is_flag=True, help="Ask for the password of a locked PDF.")
@click.option(
    "--password-stdin", is_flag=True, help="Read the password from the first line of standard input."
)
@json_option
def rerun(
    target: Target,
    document: str,
    from_stage: str | None,
    fresh: bool,
    pipeline: str | None,
    ask_password: bool,
    password_stdin: bool,
    as_json: bool,
) -> None:
    """Process a document again. Its present content stays searchable until then."""
    password = _read_password(ask_password, password_stdin)

    async def request(server: Api) -> Any:
        document_id = await find_document(server, document)
        body = {"from_stage": from_stage, "fresh": fresh, "pipeline": pipeline, "password": password}
        return await server.post(f"/documents/{document_id}/runs", json=body)

    print_answer(call_api(target, request), as_json, lambda answer: [f"run {answer['run_id']} queued"])
    if not as_json:
        note_waiting(target)


def _read_password(ask: bool, from_stdin: bool) -> str | None:
    """The password; never an argument, which other users of the machine could see."""
    if ask and from_stdin:
        raise click.UsageError("Use either --password or --password-stdin.")
    if ask:
        return str(click.prompt("Password of the PDF", hide_input=True, err=True))
    if not from_stdin:
        return None
    password = sys.stdin.readline().rstrip("\r\n")
    if not password:
        raise click.UsageError("The first line of standard input is empty.")
    return password


@click.command()
@server_options
@click.argument("document")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def delete(target: Target, document: str, yes: bool) -> None:
    """Delete a document with its files and connections."""

    async def find(server: Api) -> Any:
        return await server.get(f"/documents/{await find_document(server, document)}")

    answer = call_api(target, find)
    if not yes:
        click.confirm(f"Delete {answer['name']} ({counted(answer['chunks'] or 0, 'chunk')})?", abort=True)
    call_api(target, lambda server: server.delete(answer["id"]))
    click.echo(f"Deleted {answer['name']}.")
