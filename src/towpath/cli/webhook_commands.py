"""Commands for webhooks: create, list, delete, rotate, deliveries, replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from towpath.cli.lookup import find_webhook
from towpath.cli.options import Target, json_option, server_options
from towpath.cli.output import call_api, print_answer
from towpath.cli.status_text import counted
from towpath.cli.text_format import age, table_lines
from towpath.model.webhook import DeliveryStatus, WebhookEvent

if TYPE_CHECKING:
    from towpath.cli.client import Api


@click.group()
def webhooks() -> None:
    """Send signed messages about documents and calls to HTTP endpoints."""


@webhooks.command("create")
@server_options
@click.argument("url")
@click.option(
    "--event",
    "events",
    multiple=True,
    type=click.Choice([str(event.value) for event in WebhookEvent]),
    help="An event to send; may be repeated. Without it: all.",
)
@click.option("--description", default="", help="What the endpoint is for.")
@json_option
def create_webhook(
    target: Target, url: str, events: tuple[str, ...], description: str, as_json: bool
) -> None:
    """Create an endpoint and print its secret."""
    body = {"url": url, "events": list(events) or list(WebhookEvent), "description": description}
    answer = call_api(target, lambda server: server.post("/webhooks", json=body))
    print_answer(
        answer,
        as_json,
        lambda made: [made["secret"], f"Store it now: it is not shown again. (id {made['id']})"],
    )


@webhooks.command("list")
@server_options
@json_option
def list_webhooks(target: Target, as_json: bool) -> None:
    """List the endpoints."""

    def format_lines(answer: Any) -> list[str]:
        rows = [
            (item["id"], item["url"], " ".join(item["events"]), age(item["created_at"])) for item in answer
        ]
        return table_lines(("ID", "URL", "EVENTS", "AGE"), rows) if rows else ["No webhooks."]

    print_answer(call_api(target, lambda server: server.get("/webhooks")), as_json, format_lines)


@webhooks.command("delete")
@server_options
@click.argument("webhook")
def delete_webhook(target: Target, webhook: str) -> None:
    """Delete an endpoint with its deliveries."""

    async def request(server: Api) -> None:
        await server.remove(f"/webhooks/{await find_webhook(server, webhook)}")

    call_api(target, request)
    click.echo("Deleted.")


@webhooks.command("rotate")
@server_options
@click.argument("webhook")
@json_option
def rotate_secret(target: Target, webhook: str, as_json: bool) -> None:
    """Create a new secret and print it. For 24 hours messages are signed with both."""

    async def request(server: Api) -> Any:
        return await server.post(f"/webhooks/{await find_webhook(server, webhook)}/rotate")

    print_answer(call_api(target, request), as_json, lambda rotated: [rotated["secret"]])


@webhooks.command("deliveries")
@server_options
@click.argument("webhook")
@click.option(
    "--status",
    type=click.Choice([str(status.value) for status in DeliveryStatus]),
    help="Only deliveries of this status.",
)
@click.option("--limit", type=click.IntRange(1, 500), default=50, help="Number of deliveries, newest first.")
@json_option
def list_deliveries(target: Target, webhook: str, status: str | None, limit: int, as_json: bool) -> None:
    """List deliveries: id, event, document, status, attempts, age, and the last error."""

    def format_lines(answer: Any) -> list[str]:
        rows = [
            (
                item["id"],
                item["event"],
                item["document_id"],
                item["status"],
                str(item["attempts"]),
                age(item["created_at"]),
                (item["history"][-1]["error"] or "") if item["history"] else "",
            )
            for item in answer
        ]
        headers = ("ID", "EVENT", "DOCUMENT", "STATUS", "ATTEMPTS", "AGE", "ERROR")
        return table_lines(headers, rows) if rows else ["No deliveries."]

    async def request(server: Api) -> Any:
        path = f"/webhooks/{await find_webhook(server, webhook)}/deliveries"
        return await server.get(path, status=status, limit=limit)

    print_answer(call_api(target, request), as_json, format_lines)


@webhooks.command("replay")
@server_options
@click.argument("webhook")
@click.argument("delivery_id", nargs=-1)
@json_option
def replay(target: Target, webhook: str, delivery_id: tuple[str, ...], as_json: bool) -> None:
    """Send deliveries again, with the same message ids; without ids all whose attempts failed."""
    body = {"delivery_ids": list(delivery_id) or None}

    async def request(server: Api) -> Any:
        return await server.post(f"/webhooks/{await find_webhook(server, webhook)}/replay", json=body)

    print_answer(
        call_api(target, request),
        as_json,
        lambda replayed: [f"{counted(replayed['replayed'], 'delivery', 'deliveries')} queued"],
    )
