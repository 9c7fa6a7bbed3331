"""Commands for field schemas: schemas list, show, put, delete."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from towpath.cli.options import Target, json_option, server_options
from towpath.cli.output import call_api, print_answer
from towpath.cli.text_format import shortened, table_lines
from towpath.errors import UserError

if TYPE_CHECKING:
    from towpath.cli.client import Api


@click.group()
def schemas() -> None:
    """List, show, store and delete field schemas."""


@schemas.command("list")
@server_options
@json_option
def list_schemas(target: Target, as_json: bool) -> None:
    """List all field schemas: those of the organization, of the settings folder, and the shipped ones."""

    async def request(server: Api) -> Any:
        return await server.get("/schemas")

    def format_lines(answer: Any) -> list[str]:
        rows = [
            (entry["name"], entry["source"], str(len(entry["values"])), shortened(entry["description"], 60))
            for entry in answer
        ]
        return table_lines(("NAME", "SOURCE", "VALUES", "DESCRIPTION"), rows)

    print_answer(call_api(target, request), as_json, format_lines)


@schemas.command("show")
@server_options
@click.argument("name")
def show_schema(target: Target, name: str) -> None:
    """Print a field schema as JSON."""

    async def request(server: Api) -> Any:
        return await server.get(f"/schemas/{name}")

    click.echo(json.dumps(call_api(target, request)["document"], indent=2, ensure_ascii=False))


@schemas.command("put")
@server_options
@click.argument("name")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def put_schema(target: Target, name: str, file: Path) -> None:
    """Store a field schema from a JSON file, or replace it."""
    try:
        document = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise UserError(f"{file} is not JSON: {error}.") from error

    async def request(server: Api) -> Any:
        return await server.put(f"/schemas/{name}", json=document)

    values = call_api(target, request)["values"]
    click.echo(f"Schema {name} is stored: {', '.join(values)}")


@schemas.command("delete")
@server_options
@click.argument("name")
def delete_schema(target: Target, name: str) -> None:
    """Delete a field schema of the organization. Values that were extracted by it stay."""

    async def request(server: Api) -> None:
        await server.remove(f"/schemas/{name}")

    call_api(target, request)
    click.echo(f"Schema {name} is deleted.")
