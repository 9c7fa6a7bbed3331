"""Audit entries: who did what to which object. Written in the transaction of the action where there is one."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from towpath.model.json_types import Json


class AuditAction(StrEnum):
    """What was done. The values are stored."""

    DOCUMENT_UPLOADED = "document_uploaded"
    DOCUMENT_DELETED = "document_deleted"
    DOCUMENT_EDITED = "document_edited"
    DOCUMENT_REPROCESSED = "document_reprocessed"
    RUN_CANCELLED = "run_cancelled"
    JOB_RETRIED = "job_retried"
    CONNECTION_MARKED = "connection_marked"
    KEY_CREATED = "key_created"
    KEY_REVOKED = "key_revoked"
    SETTINGS_CHANGED = "settings_changed"
    MODEL_CHANGED = "model_changed"
    SCHEMA_STORED = "schema_stored"
    SCHEMA_DELETED = "schema_deleted"
    PAUSED = "paused"
    RESUMED = "resumed"
    WEBHOOK_CREATED = "webhook_created"
    WEBHOOK_ROTATED = "webhook_rotated"
    WEBHOOK_REPLAYED = "webhook_replayed"
    WEBHOOK_DELETED = "webhook_deleted"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: an API key, a person on this machine without a key (``local``), the command line or the server."""

    kind: str
    name: str = ""
    key_id: str | None = None
    address: str | None = None

    @property
    def label(self) -> str:
        """Who it was, for people: the name of the API key, else the kind."""
        return self.name or self.kind


#: A command that works on the data folder or the database itself.
COMMAND_LINE = Actor("cli")
SERVER = Actor("server")


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One action. ``subject``: the id of a document, run, job, connection, key or webhook, or a schema's name."""

    action: AuditAction
    actor: Actor
    subject: str | None = None
    detail: Json = field(default_factory=dict[str, object])
