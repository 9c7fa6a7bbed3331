"""The command `towpath versions`: lists the versions of a document, or shows the diff of two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from towpath.cli.lookup import find_document
from towpath.cli.options import Target, json_option, server_options
from towpath.cli.output import call_api, print_answer
from towpath.cli.status_text import clock_time, counted
from towpath.cli.text_format import size_text, table_lines

if TYPE_CHECKING:
    from towpath.cli.client import Api


@click.command()
@server_options
@click.argument("document")
@click.option(
    "--diff",
    type=(click.IntRange(1), click.IntRange(1)),
    metavar="OLD NEW",
    help="Compare the texts of two versions.",
)
@json_option
def versions(target: Target, document: str, diff: tuple[int, int] | None, as_json: bool) -> None:
    """List the versions of a document, newest first, or compare the texts of two of them."""

    async def request(server: Api) -> Any:
        document_id = await find_document(server, document)
        if diff is not None:
            return await server.diff(document_id, *diff)
        return await server.versions(document_id)

    print_answer(call_api(target, request), as_json, _version_lines if diff is None else _diff_lines)


def _version_lines(answer: Any) -> list[str]:
    rows = [
        (
            f"{version['number']}{'*' if version['current'] else ''}",
            version["status"],
            f"{version['created_at'][:10]} {clock_time(version['created_at'])}",
            size_text(version["size"]),
            _changes(version),
            version["name"],
        )
        for version in answer
    ]
    return [*table_lines(("VERSION", "STATUS", "UPLOADED", "SIZE", "CHUNKS", "FILE"), rows), "* is shown now"]


def _changes(version: Any) -> str:
    if version["chunks_added"] is None:
        return "-"
    return f"+{version['chunks_added']} -{version['chunks_removed']} ={version['chunks_kept']}"


def _diff_lines(answer: Any) -> list[str]:
    lines: list[str] = answer["diff"].split("\n") if answer["diff"] else []
    counts = f"{counted(answer['added'], 'line')} added, {counted(answer['removed'], 'line')} removed"
    return [*lines, f"{counts}{'; the rest was not compared' if answer['truncated'] else ''}"]
