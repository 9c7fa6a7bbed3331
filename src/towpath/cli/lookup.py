"""Finds what an argument of a command names by an id, the beginning of an id, or a name: a document, run or job."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from towpath.errors import NotFound, UserError

if TYPE_CHECKING:
    from towpath.cli.client import Api

_ID = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
#: The server does not take so few digits for the beginning of an id.
_SHORT = re.compile(r"[0-9a-f]{1,3}", re.IGNORECASE)
_MIN_DIGITS = 4


async def find_document(server: Api, text: str) -> str:
    """The id of the one document that the text names."""
    if _ID.fullmatch(text):
        return text
    return (await _find(server, text, "document"))["id"]


async def find_run(server: Api, text: str) -> str:
    """The id of the one run that the text names, or of the current run of the document that it names."""
    match = await _find(server, text, "run or document")
    if match["kind"] == "run":
        return match["id"]
    [status] = await server.get("/documents/status", ids=match["id"])
    if status["run"] is None:
        raise UserError(f"{match['document_name']} has no run.")
    return status["run"]["id"]


async def find_job(server: Api, text: str) -> str:
    """The id of the one job that the text names, or of the failed or waiting job of the document that it names."""
    match = await _find(server, text, "job or document")
    if match["kind"] == "job":
        return match["id"]
    [status] = await server.get("/documents/status", ids=match["id"])
    for wanted in ("FAILED", "PENDING"):
        for stage in status["stages"]:
            if stage["status"] == wanted and stage["job_id"]:
                return stage["job_id"]
    raise UserError(
        f"{match['document_name']} has no failed job; its status is {status['status']}. "
        "To process it again, use `towpath rerun`."
    )


async def find_webhook(server: Api, text: str) -> str:
    """The id of the one webhook that the text names: its id, the beginning of the id, or its URL."""
    if _ID.fullmatch(text):
        return text
    endpoints = await server.get("/webhooks")
    return unique_id(
        text, [(item["id"], item["url"]) for item in endpoints], "webhook", "towpath webhooks list"
    )


def unique_id(text: str, rows: Sequence[tuple[str, str]], what: str, command: str) -> str:
    """The id of the one row, an id and a name, whose id begins with the text or whose name it is."""
    exact = [row_id for row_id, name in rows if text.lower() == row_id or text == name]
    begun = [row_id for row_id, _ in rows if len(text) >= _MIN_DIGITS and row_id.startswith(text.lower())]
    matches = exact or begun
    if len(matches) == 1:
        return matches[0]
    if not matches:
        raise NotFound(f"No {what} has the id or name {text!r}. `{command}` shows all.")
    lines = "\n".join(f"  {row_id}  {name}" for row_id, name in rows if row_id in matches)
    raise UserError(f"{text!r} is not unique. Give more of one of these ids:\n{lines}")


async def _find(server: Api, text: str, kinds: str) -> Any:
    """The one match of these kinds: an exact id, else an exact name, else the beginning of an id, else a name."""
    answer = await server.get("/lookup", text=text)
    matches = [match for match in answer if match["kind"] in kinds.split()]
    exact = [match for match in matches if match["id"] == text.lower()]
    named = [match for match in matches if match["kind"] == "document" and match["document_name"] == text]
    for candidates in (exact, named, matches):
        if len(candidates) == 1:
            return candidates[0]
    if not matches:
        short = " The beginning of an id needs at least 4 digits." if _SHORT.fullmatch(text) else ""
        raise NotFound(f"No {kinds} has the id or name {text!r}.{short} `towpath list` shows all documents.")
    lines = "\n".join(f"  {match['kind']} {match['id']}  {match['document_name']}" for match in matches[:10])
    raise UserError(f"{text!r} is not unique. Give more of one of these ids:\n{lines}")
