"""Commands for the embedding model of the library: model, model change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from towpath.cli.options import Target, json_option, server_options
from towpath.cli.output import call_api, print_answer
from towpath.cli.status_text import counted

if TYPE_CHECKING:
    from towpath.cli.client import Api


@click.group()
def model() -> None:
    """Show or change the embedding model of the library."""


@model.command("show")
@server_options
@json_option
def show_model(target: Target, as_json: bool) -> None:
    """Show the model that answers searches, and what a change to the model of the settings costs."""

    async def request(server: Api) -> Any:
        return await server.get("/model")

    print_answer(call_api(target, request), as_json, _lines)


@model.command("change")
@server_options
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def change_model(target: Target, yes: bool, as_json: bool) -> None:
    """Embed the library with the model of the settings, in the background.

    Searches use the present vectors until the last chunk is embedded. Local models start by themselves; a paid model
    starts with this command.
    """

    async def request(server: Api) -> Any:
        answer = await server.get("/model")
        if answer["change"] == "needs_confirmation" and answer["chunks_left"] and not yes:
            click.confirm(f"{_cost(answer)} Start?", abort=True, err=True)
        return await server.post("/model/change", params={"confirm": "true"})

    print_answer(call_api(target, request), as_json, _lines)


def _lines(answer: Any) -> list[str]:
    lines = [f"Model of the library: {answer['model'] or 'none yet'}"]
    match answer["change"]:
        case "none":
            pass
        case "running":
            lines.append(
                f"{answer['settings_model']} replaces it: {answer['chunks_left']} of "
                f"{counted(answer['chunks'], 'chunk')} left."
            )
        case "needs_start":
            lines.append(
                f"The settings name {answer['settings_model']}: the next worker that starts embeds the library."
            )
        case _:
            lines.append(f"{_cost(answer)} `towpath model change` starts it.")
    return lines


def _cost(answer: Any) -> str:
    price = answer["price"]
    cost = "an unknown amount" if price is None else f"about {price:.2f} US dollars"
    return (
        f"{answer['settings_model']} would embed {counted(answer['chunks_left'], 'chunk')} (about "
        f"{answer['tokens_left']} tokens) for {cost}."
    )
