"""Commands to find and organize documents: list with filters, edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from towpath.cli.filter_options import filter_options, parse_metadata
from towpath.cli.lookup import find_document
from towpath.cli.options import Target, json_option, server_options
from towpath.cli.output import call_api, print_answer
from towpath.cli.text_format import age, short_id, shortened, table_lines
from towpath.errors import UserError
from towpath.pipelines.stage_labels import stage_label

if TYPE_CHECKING:
    from towpath.cli.client import Api

SORTS = ("created", "-created", "name", "-name", "size", "-size", "status", "-status")
#: Documents per request of a list.
PAGE = 200


@click.command("list")
@server_options
@click.option("--name", help="Only documents whose name or edited title contains this text.")
@filter_options
@click.option(
    "--sort", type=click.Choice(SORTS), default="-created", help="The order; a - before it reverses it."
)
@click.option("--limit", type=click.IntRange(min=1), default=50, help="Number of documents.")
@json_option
def list_documents(
    target: Target, name: str | None, filters: dict[str, Any], sort: str, limit: int, as_json: bool
) -> None:
    """List documents: id, name, status, stage, age, collection and tags."""

    async def request(server: Api) -> Any:
        documents: list[Any] = []
        cursor, total = None, 0
        while len(documents) < limit:
            page = await server.get(
                "/documents",
                **filters,
                q=name,
                sort=sort,
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

    print_answer(call_api(target, request), as_json, _list_lines)


def _list_lines(answer: Any) -> list[str]:
    documents = answer["documents"]
    if not documents:
        return ["No documents."]
    titles: tuple[str, ...] = ("ID", "NAME", "STATUS", "STAGE", "AGE")
    rows = [_row(document) for document in documents]
    if any(document["collection"] or document["tags"] for document in documents):
        titles = (*titles, "COLLECTION", "TAGS")
        rows = [
            (*row, shortened(document["collection"] or "", 24), shortened(", ".join(document["tags"]), 30))
            for row, document in zip(rows, documents, strict=True)
        ]
    lines = table_lines(titles, rows)
    if answer["total"] > len(documents):
        lines.append(f"{len(documents)} of {answer['total']} documents; more with --limit.")
    return lines


def _row(document: Any) -> tuple[str, ...]:
    stage = document["stage"]
    return (
        short_id(document["id"]),
        shortened(document["name"], 40),
        document["status"],
        stage_label(stage) if stage and document["status"] != "COMPLETED" else "",
        age(document["created_at"]),
    )


@click.command()
@server_options
@click.argument("document")
@click.option("--title", help='Show this title; "" shows the extracted one again.')
@click.option("--collection", help='Move to this collection; "" removes it from its collection.')
@click.option("--tag", multiple=True, help="Add this tag. Repeatable.")
@click.option("--untag", multiple=True, help="Remove this tag. Repeatable.")
@click.option(
    "--metadata", multiple=True, metavar="KEY=VALUE", help="Set this key; KEY= removes it. Repeatable."
)
@click.option(
    "--field", multiple=True, metavar="NAME=VALUE", help="Set this field; NAME= shows the extracted value."
)
@json_option
def edit(
    target: Target,
    document: str,
    title: str | None,
    collection: str | None,
    tag: tuple[str, ...],
    untag: tuple[str, ...],
    metadata: tuple[str, ...],
    field: tuple[str, ...],
    as_json: bool,
) -> None:
    """Change the title, collection, tags, metadata and field values of a document. Reprocessing keeps the changes."""
    body: dict[str, Any] = {}
    if title is not None:
        body["title"] = title or None
    if collection is not None:
        body["collection"] = collection or None
    if tag:
        body["add_tags"] = list(tag)
    if untag:
        body["remove_tags"] = list(untag)
    if metadata:
        body["metadata"] = parse_metadata(metadata)
    field_edits = [_field_edit(pair) for pair in field]
    if not body and not field_edits:
        raise UserError(
            "Nothing to change. Give --title, --collection, --tag, --untag, --metadata or --field."
        )

    async def request(server: Api) -> Any:
        document_id = await find_document(server, document)
        if field_edits:
            await server.patch(f"/documents/{document_id}/fields", json={"edits": field_edits})
        return await server.patch(f"/documents/{document_id}", json=body)

    print_answer(call_api(target, request), as_json, _edited_lines)


def _field_edit(pair: str) -> dict[str, Any]:
    name, sign, value = pair.partition("=")
    if not sign or not name:
        raise UserError(f"A field is written name=value, not {pair!r}.")
    return {"name": name, "value": value or None}


def _edited_lines(answer: Any) -> list[str]:
    return [answer["name"], *label_lines(answer)]


def label_lines(answer: Any) -> list[str]:
    """What people said about a document, one line each."""
    title = answer["title"]
    if title and answer["title_edited_by"]:
        title += f" (edited by {answer['title_edited_by']}; extracted: {answer['extracted_title'] or 'none'})"
    rows = [
        ("title", title),
        ("key", answer["key"] and f"{answer['key']}, version {answer['version']}"),
        ("collection", answer["collection"]),
        ("tags", ", ".join(answer["tags"])),
        ("metadata", ", ".join(f"{key}={value}" for key, value in answer["metadata"].items())),
    ]
    return [f"  {name:11} {value}" for name, value in rows if value]
