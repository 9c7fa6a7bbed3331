"""The contract of a notifier, which tells workers that jobs were queued, so that they claim before the next poll."""

from __future__ import annotations

from typing import Protocol


class Notifier(Protocol):
    """Wakes waiting workers. A notification may be lost: workers poll as well."""

    def notify(self) -> None:
        """Wake the workers. Cheap, never blocks, may be called from any thread."""
        ...

    def should_notify_in_transaction(self) -> bool:
        """Whether the submitting transaction should send the notification; ``notify`` is then not needed."""
        ...

    async def wait(self, seconds: float) -> bool:
        """Wait for a notification for at most ``seconds``; return whether there was one."""
        ...

    @property
    def is_listening(self) -> bool:
        """Whether notifications of other processes arrive, so that workers may poll less often."""
        ...

    async def open(self) -> None: ...
    async def close(self) -> None: ...
