"""Commands that print the content of a document: content, fields, chunks, transcript, analysis, connections, export."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from towpath.cli.lookup import find_document
from towpath.cli.options import Target, json_option, server_options
from towpath.cli.output import call_api, print_answer
from towpath.cli.status_text import anchor_text, counted
from towpath.cli.text_format import shortened, table_lines

if TYPE_CHECKING:
    from towpath.cli.client import Api

#: Chunks per request.
PAGE = 1000


def _get(target: Target, document: str, part: str, **parameters: object) -> Any:
    async def request(server: Api) -> Any:
        return await server.get(f"/documents/{await find_document(server, document)}/{part}", **parameters)

    return call_api(target, request)


def _text(target: Target, document: str, part: str, **parameters: object) -> str:
    async def request(server: Api) -> str:
        return await server.text(f"/documents/{await find_document(server, document)}/{part}", **parameters)

    return call_api(target, request)


@click.command()
@server_options
@click.argument("document")
@click.option(
    "--version", type=click.IntRange(1), help="An earlier version: its number in `towpath versions`."
)
def content(target: Target, document: str, version: int | None) -> None:
    """Print a document's text as markdown."""
    parameters = {} if version is None else {"version": version}
    click.echo(_text(target, document, "content", **parameters))


@click.command()
@server_options
@click.argument("document")
@json_option
def fields(target: Target, document: str, as_json: bool) -> None:
    """List the fields found in a document, such as dates and amounts, and the values of field schemas."""
    print_answer(_get(target, document, "fields"), as_json, _field_lines)


def _field_lines(answer: Any) -> list[str]:
    """A table of the fields that were found locally, and one for each schema."""
    lines: list[str] = []
    for schema in dict.fromkeys(field["schema"] for field in answer):
        rows = [
            (
                field["name"],
                shortened(field["value"], 60),
                field["kind"],
                f"{field['confidence']:.0%}"
                if schema is None
                else "yes"
                if field["verified"]
                else "unverified",
                anchor_text(field["anchor"]),
            )
            for field in answer
            if field["schema"] == schema
        ]
        if schema is not None:
            lines += [*([""] if lines else []), f"Schema {schema}:"]
        check = "CONFIDENCE" if schema is None else "VERIFIED"
        lines += table_lines(("NAME", "VALUE", "KIND", check, "PLACE"), rows)
    return lines or ["No fields."]


@click.command()
@server_options
@click.argument("document")
@json_option
def chunks(target: Target, document: str, as_json: bool) -> None:
    """Print a document's chunks in order."""

    async def request(server: Api) -> Any:
        document_id = await find_document(server, document)
        return [chunk async for chunk in all_chunks(server, document_id)]

    def format_lines(answer: Any) -> list[str]:
        lines: list[str] = []
        for chunk in answer:
            notes = [
                f"chunk {chunk['ordinal'] + 1}",
                anchor_text(chunk["anchor"]),
                counted(chunk["tokens"], "token"),
            ]
            lines += [", ".join(filter(None, notes)), chunk["text"].strip(), ""]
        return lines[:-1] or ["No chunks."]

    print_answer(call_api(target, request), as_json, format_lines)


async def all_chunks(server: Api, document_id: str) -> AsyncIterator[Any]:
    """The chunks of a document by ordinal, fetched in pages."""
    after = -1
    while page := await server.get(f"/documents/{document_id}/chunks", after=after, limit=PAGE):
        for chunk in page:
            yield chunk
        after = page[-1]["ordinal"]


@click.command()
@server_options
@click.argument("document")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "srt", "vtt", "json"]),
    default="text",
    help="Plain text, subtitles (srt, vtt) or JSON.",
)
@json_option
def transcript(target: Target, document: str, output_format: str, as_json: bool) -> None:
    """Print a call's transcript."""
    chosen = "json" if as_json else output_format
    click.echo(_text(target, document, "transcript", format=chosen), nl=chosen == "json")


@click.command()
@server_options
@click.argument("document")
@json_option
def analysis(target: Target, document: str, as_json: bool) -> None:
    """Print the analysis of a call: summary, topics, action items, questions, names, numbers, dates, speakers."""
    print_answer(_get(target, document, "analysis"), as_json, _analysis_lines)


def _timed(quote: Any) -> str:
    """The words with the time at which they were said, if it is known."""
    if quote["start"] is None:
        return str(quote["text"])
    minutes, seconds = divmod(int(quote["start"]), 60)
    return f"{minutes}:{seconds:02} {quote['text']}"


def _analysis_lines(answer: Any) -> list[str]:
    lines: list[str] = []
    if answer["warning"]:
        lines.append(f"warning: {answer['warning']}")
    if answer["summary"]:
        lines.append(answer["summary"])
    if answer["topics"]:
        lines.append(f"Topics: {', '.join(answer['topics'])}")
    for item in answer["action_items"]:
        notes = ", ".join(filter(None, [item["owner"], item["due"]]))
        lines.append(f"Action item: {_timed(item)}{f' ({notes})' if notes else ''}")
    for label, part in (
        ("Question", "questions"),
        ("Name", "names"),
        ("Number", "numbers"),
        ("Date", "dates"),
    ):
        lines += [f"{label}: {_timed(quote)}" for quote in answer[part]]
    for speaker in answer["speakers"]:
        mood = f", {speaker['sentiment']}" if speaker["sentiment"] else ""
        lines.append(f"Speaker {speaker['speaker']}: {speaker['share']:.0%} of the speaking time{mood}")
    return lines


def _reason(connection: Any) -> str:
    """Why two passages are connected, in words."""
    parts = {
        "edition": ["version of this document"],
        "quotation": ["common text"],
    }.get(connection["kind"], [])
    if connection["shared_identifiers"]:
        parts.append(f"shared identifiers: {', '.join(connection['shared_identifiers'])}")
    if connection["shared_terms"]:
        parts.append(f"shared terms: {', '.join(connection['shared_terms'])}")
    return "; ".join(parts) or "similar meaning"


@click.command()
@server_options
@click.argument("document")
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, help="Number of connections, strongest first."
)
@click.option(
    "--kind",
    type=click.Choice(["edition", "quotation", "same_subject", "same_entity"]),
    help="Only connections of this kind.",
)
@json_option
def connections(target: Target, document: str, limit: int, kind: str | None, as_json: bool) -> None:
    """List similar passages of other documents."""

    def format_lines(answer: Any) -> list[str]:
        lines: list[str] = []
        for connection in answer:
            if connection["hidden"]:
                continue
            this, other = connection["this"], connection["other"]
            pinned = ", pinned" if connection["pinned"] else ""
            lines.append(f"{connection['score']:.0%} {other['document_name']}{pinned}: {_reason(connection)}")
            if connection["kind"] == "edition":
                continue
            for sign, side in (("<", this), (">", other)):
                place, text = anchor_text(side["anchor"]), " ".join(side["text"].split())[:200]
                lines.append(f"  {sign} {place}: {text}" if place else f"  {sign} {text}")
        return lines or ["No connections."]

    parameters = {"limit": limit} if kind is None else {"limit": limit, "kind": kind}
    print_answer(_get(target, document, "connections", **parameters), as_json, format_lines)


@click.command()
@server_options
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.argument("documents", nargs=-1)
@json_option
def export(target: Target, folder: Path, documents: tuple[str, ...], as_json: bool) -> None:
    """Write documents to a folder: originals, texts, and JSON of what was found in them.

    Without documents: the whole library of the data folder, which `towpath import` reads. The server may keep
    running.
    """
    if documents or target.server is not None or not target.settings.embedded:
        from towpath.cli.export_files import export_documents

        exported = call_api(target, lambda server: export_documents(server, folder, documents))
        print_answer(
            exported, as_json, lambda rows: [f"{counted(len(rows), 'document')} written to {folder}"]
        )
    else:
        from towpath.cli.library_export import export_library

        export_library(target.settings, folder, as_json)
