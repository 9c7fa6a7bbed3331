"""The command `towpath ask`: answers a question about the documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from towpath.cli.lookup import find_document
from towpath.cli.options import Target, json_option, server_options
from towpath.cli.output import call_api, print_answer
from towpath.cli.status_text import anchor_text
from towpath.cli.text_format import short_id

if TYPE_CHECKING:
    from towpath.cli.client import Api

#: The server has its own time limit, the setting `answer_timeout_seconds`.
TIMEOUT_SECONDS = 600.0


@click.command()
@server_options
@click.argument("question", nargs=-1, required=True)
@click.option("--document", help="Ask about one document: its id, the beginning of its id, or its name.")
@click.option("--kind", type=click.Choice(["document", "call"]), help="Only documents or only calls.")
@json_option
def ask(
    target: Target, question: tuple[str, ...], document: str | None, kind: str | None, as_json: bool
) -> None:
    """Answer a question from the documents, each sentence with the passages that support it."""

    async def request(server: Api) -> Any:
        document_id = None if document is None else await find_document(server, document)
        body = {"question": " ".join(question), "document_id": document_id, "kind": kind, "stream": False}
        return await server.post("/ask", json=body, timeout=TIMEOUT_SECONDS)

    print_answer(call_api(target, request), as_json, _format_lines)


def _format_lines(answer: Any) -> list[str]:
    """The sentences with the numbers of their citations, the citations, and what to know of the answer."""
    numbers: dict[tuple[str, int, int], int] = {}
    sentences: list[str] = []
    sources: list[str] = []
    for sentence in answer["sentences"]:
        marks: list[str] = []
        for citation in sentence["citations"]:
            place = citation["chunk_id"], citation["start"], citation["end"]
            if place not in numbers:
                numbers[place] = len(numbers) + 1
                sources.append(_source_line(numbers[place], citation))
            marks.append(f"[{numbers[place]}]")
        sentences.append(f"{sentence['text']} {''.join(marks)}")
    notes = [answer["message"]] if answer["message"] else []
    if answer["truncated"]:
        notes.append("The chat model reached its limit: the end of the answer may be missing.")
    return [*sentences, *([""] if sources else []), *sources, *([""] if notes and sources else []), *notes]


def _source_line(number: int, citation: Any) -> str:
    place = ", ".join(filter(None, [citation["document_name"], anchor_text(citation["anchor"])]))
    quote = " ".join(citation["quote"].split())
    return f'[{number}] {short_id(citation["document_id"])}  {place}: "{quote}"'
