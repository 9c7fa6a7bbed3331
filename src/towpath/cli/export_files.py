"""Writes documents to a folder over the API: the original, the text, and JSON files of what was found in it."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from towpath.cli.client import Api
from towpath.cli.content_commands import all_chunks
from towpath.cli.lookup import find_document
from towpath.cli.text_format import short_id
from towpath.client.errors import check_response
from towpath.errors import NotFound, UserError

_UNSAFE = re.compile(r"[^\w.\- ]+")
PAGE = 200


async def export_documents(server: Api, folder: Path, names: Sequence[str]) -> list[dict[str, str]]:
    """Export the named documents, or all; one folder each. Returns the id, name and path of each."""
    require_empty(folder)
    if names:
        documents = [await server.get(f"/documents/{await find_document(server, name)}") for name in names]
    else:
        documents = await _all_documents(server)
    rows: list[dict[str, str]] = []
    for document in documents:
        path = folder / folder_name(document["name"], document["id"])
        await _export(server, document, path)
        rows.append({"id": document["id"], "name": document["name"], "path": str(path)})
    return rows


def require_empty(folder: Path) -> None:
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty. Name a new folder.")


async def _all_documents(server: Api) -> list[Any]:
    documents: list[Any] = []
    cursor = None
    while True:
        page = await server.get("/documents", cursor=cursor, limit=PAGE)
        documents += page["documents"]
        cursor = page["next_cursor"]
        if cursor is None:
            return documents


async def _export(server: Api, document: Any, folder: Path) -> None:
    url = f"/documents/{document['id']}"
    await asyncio.to_thread(folder.mkdir, parents=True)
    await _download(server, f"{url}/original", folder / f"original{Path(safe_name(document['name'])).suffix}")
    await _download(server, f"{url}/content", folder / "content.md")
    _write_json(folder / "document.json", document)
    _write_json(folder / "fields.json", await server.get(f"{url}/fields"))
    _write_json(folder / "connections.json", await server.get(f"{url}/connections", limit=1000))
    lines = [json.dumps(chunk, ensure_ascii=False) async for chunk in all_chunks(server, document["id"])]
    (folder / "chunks.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    if document["kind"] == "call":
        await _download(server, f"{url}/transcript?format=json", folder / "transcript.json")
        await _download(server, f"{url}/transcript?format=srt", folder / "transcript.srt")
        await _download(server, f"{url}/analysis", folder / "analysis.json")


async def _download(server: Api, path: str, target: Path) -> None:
    """Write a response to a file; nothing is written if there is no such content, as for a failed document."""
    async with server.http.stream("GET", path) as response:
        if not response.is_success:
            await response.aread()
            try:
                check_response(response)
            except NotFound:
                return
        with target.open("wb") as file:
            async for part in response.aiter_bytes():
                await asyncio.to_thread(file.write, part)


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", "utf-8")


def folder_name(name: str, document_id: str) -> str:
    """The folder of a document: its name without unusual characters, and the beginning of its id."""
    return f"{safe_name(name)[:80]}-{short_id(document_id)}"


def safe_name(name: str) -> str:
    """The name without characters that a file system may not accept."""
    return _UNSAFE.sub("_", name).strip(" .") or "document"
