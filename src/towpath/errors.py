"""Every error Towpath speaks of. Vendors' exceptions are translated into these at the border.

TowpathError
├── UserError            somebody can mend this; the message says how
│   ├── ConfigError      a setting is wrong or missing
│   ├── NotFound         no such document, run or job in this organization
│   ├── KeyConflict      an Idempotency-Key was used before, for other bytes
│   ├── IllegalMove      the state machine does not allow this verb now
│   └── FolderInUse      another server holds this data folder
├── LeaseLost            somebody else owns this job now: stop quietly, write nothing
├── DatabaseUnavailable  the database does not answer; try again later
│   └── DatabaseBusy     it answers, but others were in the way for too long
├── Rejected             this input can never work: encrypted, corrupt, empty, unsupported
└── ProviderError        a paid or slow service did not do what was asked
    ├── Throttled        come back at a given time; costs no attempt
    ├── Refused          not as it is set up: a person must act
    │   └── AccountRefused   bad key, no credit, no permission: nobody's call can succeed before that
    ├── StorageUnavailable   the blob storage cannot serve now; wait, at no cost
    ├── Transient        a passing fault; try again
    │   └── OperationLost    the provider no longer knows the operation: it must be started anew
    └── Ambiguous        sent, but the answer was lost: it may have been paid for
"""

from __future__ import annotations


class TowpathError(Exception):
    """The root of all errors raised on purpose."""


class UserError(TowpathError):
    """Somebody can mend this; the message says how."""


class ConfigError(UserError):
    """A setting is wrong or missing."""


class NotFound(UserError):
    """There is no such thing in this organization."""


class KeyConflict(UserError):
    """An Idempotency-Key was used before, for other bytes."""


class IllegalMove(UserError):
    """The state machine does not allow this verb in the present state."""


class FolderInUse(UserError):
    """Another server holds this data folder."""


class LeaseLost(TowpathError):
    """Somebody else owns this job now: stop quietly, write nothing."""


class DatabaseUnavailable(TowpathError):
    """The database does not answer; try again later."""


class DatabaseBusy(DatabaseUnavailable):
    """The database answers, but others were in the way for too long."""


class Rejected(TowpathError):
    """This input can never work. ``code`` is stable, the message is for people."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason

    def __reduce__(self) -> tuple[type[Rejected], tuple[str, str]]:
        return type(self), (self.code, self.reason)


class ProviderError(TowpathError):
    """A paid or slow service did not do what was asked."""


class Throttled(ProviderError):
    """Come back later; costs no attempt. ``retry_after`` in seconds where the provider said so."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class StorageUnavailable(ProviderError):
    """The blob storage cannot serve now: nothing is lost, the work waits for it and pays no attempt."""


class Refused(ProviderError):
    """The provider does not do this the way it is set up: a person must act."""


class AccountRefused(Refused):
    """Bad key, no credit, no permission: nobody's call can succeed until a person acts."""


class Transient(ProviderError):
    """A passing fault; try again."""


class OperationLost(Transient):
    """The provider no longer knows the operation, or ended it: it must be started anew."""


class Ambiguous(ProviderError):
    """Sent, but the answer was lost: it may have been paid for."""
