"""Request and response models for webhooks."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from towpath.model.webhook import DeliveryStatus, WebhookDelivery, WebhookEndpoint, WebhookEvent
from towpath.server.schemas.base import View


class WebhookView(View):
    id: str
    url: str
    events: list[WebhookEvent]
    description: str
    created_at: datetime
    previous_secret_until: datetime | None = Field(
        description="Until then messages are also signed with the secret before the last rotation"
    )


class CreatedWebhookView(WebhookView):
    secret: str = Field(description="Shown once: the key of the signatures, `whsec_` and base64")


class WebhookRequest(View):
    url: str = Field(
        min_length=1,
        max_length=2000,
        description="An https:// address. Addresses that are not public need the setting `webhook_networks`",
    )
    events: list[WebhookEvent] = Field(default=list(WebhookEvent), min_length=1, max_length=20)
    description: str = Field(default="", max_length=200)


class RotatedSecretView(View):
    secret: str = Field(description="Shown once. The secret before signs as well for 24 hours")


class AttemptView(View):
    at: datetime
    http_status: int | None = Field(description="Null if there was no answer")
    error: str | None = Field(description="Null if the receiver accepted the message")
    duration_ms: int


class DeliveryView(View):
    id: str
    message_id: str = Field(description="The header `webhook-id`, the same in every attempt and replay")
    event: WebhookEvent
    document_id: str
    run_id: str
    status: DeliveryStatus
    attempts: int = Field(description="Since the creation or the last replay")
    next_attempt_at: datetime | None
    created_at: datetime
    completed_at: datetime | None
    history: list[AttemptView] = Field(description="The last 50 attempts, oldest first")
    body: str = Field(description="The JSON that is sent")


class ReplayRequest(View):
    delivery_ids: list[str] | None = Field(
        default=None, max_length=1000, description="Ids of deliveries; null replays all that failed so far"
    )


class ReplayedView(View):
    replayed: int = Field(
        description="Number of deliveries that are sent again; those without an attempt are not counted"
    )


def webhook_view(endpoint: WebhookEndpoint) -> WebhookView:
    return WebhookView(
        id=endpoint.id,
        url=endpoint.url,
        events=list(endpoint.events),
        description=endpoint.description,
        created_at=endpoint.created_at,
        previous_secret_until=endpoint.previous_secret_until,
    )


def delivery_view(delivery: WebhookDelivery) -> DeliveryView:
    return DeliveryView(
        id=delivery.id,
        message_id=delivery.message_id,
        event=delivery.event,
        document_id=delivery.document_id,
        run_id=delivery.run_id,
        status=delivery.status,
        attempts=delivery.attempts,
        next_attempt_at=delivery.next_attempt_at,
        created_at=delivery.created_at,
        completed_at=delivery.completed_at,
        history=[AttemptView.model_validate(attempt) for attempt in delivery.history],
        body=delivery.body,
    )
