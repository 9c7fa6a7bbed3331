"""All exceptions that Towpath raises; providers translate the exceptions of vendors' SDKs into these.

TowpathError
├── UserError            a person can fix this; the message says how
│   ├── ConfigError      a setting is wrong or missing
│   ├── NotFound         no such document, run or job in this organization
│   │   └── PartMissing  the document has no such part: it is not a call, or it is not processed
│   ├── KeyConflict      an Idempotency-Key was used before for another file or key
│   ├── IllegalTransition      the state machine does not allow this verb now
│   ├── FolderInUse      another server uses this data folder
│   ├── QuestionRejected the chat model refuses to answer this question
│   └── SchemaRefused    a field schema cannot be used; the message says what to change
├── LeaseLost            another worker may own this job now: stop and write nothing
├── WorkerStopping       this worker shuts down: end the stage before the next provider call
├── DatabaseUnavailable  the database does not answer; try again later
│   ├── DatabaseBusy     a lock was not granted in time
│   ├── DatabaseFull     there is no disk space for a write
│   ├── DatabaseReadOnly     the database accepts no writes
│   └── DatabaseDamaged  the database file is damaged: restore a backup
├── AnswerTimeout        a question was not answered within the time limit; try again
├── BlobMissing          a stored file is missing or has other bytes: restore it or upload it again
├── Rejected             this input cannot be processed: encrypted, corrupt, empty, unsupported
└── ProviderError        a call to a provider or to the storage failed
    ├── Throttled        the provider limits the rate: retry later; uses up no attempt
    ├── Refused          the provider refuses the call as configured: a person must act
    │   └── AccountRefused   bad key, no credit or no permission: every call fails until a person acts
    ├── BatchTooLarge    the provider refuses the number or the size of the inputs in one request: send fewer
    ├── StorageUnavailable   the blob storage is unavailable: retry later; uses up no attempt
    │   └── StorageFull  there is no disk space for a file
    ├── Transient        a temporary error: retry
    │   └── OperationLost    the provider no longer knows the operation: start a new one
    └── Ambiguous        the call was sent, but its answer was lost: it may have been paid for
"""

from __future__ import annotations


class TowpathError(Exception):
    """The base class of all errors of Towpath."""


class UserError(TowpathError):
    """A person can fix this; the message says how."""


class ConfigError(UserError):
    """A setting is wrong or missing."""


class NotFound(UserError):
    """The document, run or job does not exist in this organization."""


class PartMissing(NotFound):
    """The document exists and has no such part: it is not a call, or it is not processed."""


class KeyConflict(UserError):
    """An Idempotency-Key was used before for another file."""


class IllegalTransition(UserError):
    """The state machine does not allow this verb in the current state."""


class FolderInUse(UserError):
    """Another server uses this data folder."""


class QuestionRejected(UserError):
    """The chat model or its content filter refuses to answer this question."""


class SchemaRefused(UserError):
    """A field schema cannot be used; the message says what to change."""


class AnswerTimeout(TowpathError):
    """A question was not answered within the time limit; try again."""


class LeaseLost(TowpathError):
    """Another worker may own this job now: stop and write nothing."""


class WorkerStopping(TowpathError):
    """This worker shuts down: no new provider call is started, and the job is released."""


class DatabaseUnavailable(TowpathError):
    """The database does not answer; try again later."""


class DatabaseBusy(DatabaseUnavailable):
    """The database answers, but a lock was not granted in time."""


class DatabaseFull(DatabaseUnavailable):
    """There is no disk space for a write."""


class DatabaseReadOnly(DatabaseUnavailable):
    """The database accepts no writes: a standby, or a file or folder without write permission."""


class DatabaseDamaged(DatabaseUnavailable):
    """The database file is damaged: restore a backup."""


class BlobMissing(TowpathError):
    """A stored file is missing or has other bytes: restore it from a backup or upload it again."""


class Rejected(TowpathError):
    """This input cannot be processed. ``code`` is stable, the message is for people.

    ``provider`` is the service that rejected it: with other settings it may accept the same input.
    """

    def __init__(self, code: str, reason: str, provider: str | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.provider = provider

    def __reduce__(self) -> tuple[type[Rejected], tuple[str, str, str | None]]:
        return type(self), (self.code, self.reason, self.provider)


class ProviderError(TowpathError):
    """A call to a provider or to the storage failed."""


class Throttled(ProviderError):
    """The provider limits the rate: retry later; uses up no attempt. ``retry_after`` is in seconds, if known."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class StorageUnavailable(ProviderError):
    """The blob storage is unavailable: retry later; uses up no attempt."""


class StorageFull(StorageUnavailable):
    """There is no disk space for a file."""


class Refused(ProviderError):
    """The provider refuses the call as configured: a person must act."""


class AccountRefused(Refused):
    """Bad key, no credit or no permission: every call fails until a person acts."""


class BatchTooLarge(ProviderError):
    """The provider refuses the number or the size of the inputs in one request: send fewer."""


class Transient(ProviderError):
    """A temporary error: retry."""


class OperationLost(Transient):
    """The provider no longer knows the operation, or ended it: start a new one."""


class Ambiguous(ProviderError):
    """The call was sent, but its answer was lost: it may have been paid for."""
