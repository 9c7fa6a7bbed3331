"""Webhooks: the endpoints of an organization, the events that they receive, and the deliveries."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from towpath.model.json_types import Json


class WebhookEvent(StrEnum):
    """What a receiver is told. The values are stored and sent as `type`."""

    DOCUMENT_COMPLETED = "document.completed"
    """A run of the document completed; its content can be read."""
    DOCUMENT_FAILED = "document.failed"
    """A run of the document failed or timed out, and no other run is queued."""
    CALL_ANALYZED = "call.analyzed"
    """Transcript and analysis of a call can be read."""


class DeliveryStatus(StrEnum):
    """The state of a delivery. The values are stored."""

    PENDING = "PENDING"
    DELIVERED = "DELIVERED"
    FAILED = "FAILED"
    """The attempts are used up, or the receiver answered 410 Gone."""


@dataclass(frozen=True, slots=True)
class WebhookEndpoint:
    """An address that receives events; without its secret."""

    id: str
    org_id: str
    url: str
    events: tuple[WebhookEvent, ...]
    description: str
    created_at: datetime
    #: Until then messages are also signed with the secret before the last rotation.
    previous_secret_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class WebhookDelivery:
    """One message to one endpoint, with the outcome of each attempt."""

    id: str
    endpoint_id: str
    document_id: str
    run_id: str
    message_id: str
    event: WebhookEvent
    body: str
    status: DeliveryStatus
    attempts: int
    next_attempt_at: datetime | None
    created_at: datetime
    completed_at: datetime | None
    history: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """A delivery that this worker makes now. A settlement with an older epoch changes nothing."""

    id: str
    epoch: int
    endpoint_id: str
    message_id: str
    url: str
    body: str
    #: The current secret, and the one before while it is valid.
    secrets: tuple[str, ...]
    attempts: int


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """The outcome of one attempt. ``error`` is None if the receiver answered with a status of 200 to 299."""

    http_status: int | None
    error: str | None
    duration_ms: int
    retry_after: float | None = None


def message_id(run_id: str, event: WebhookEvent) -> str:
    """The id of a message: the same in every attempt and replay, and for every endpoint."""
    return f"msg_{uuid.uuid5(uuid.UUID(run_id), event).hex}"
