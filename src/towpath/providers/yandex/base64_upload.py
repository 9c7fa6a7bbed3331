"""Streams a recording as base64 inside a JSON request of known length."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from towpath.errors import Transient
from towpath.providers.contract import Source


class InlineUpload:
    """The body of a recognition request; records whether it was sent completely."""

    def __init__(self, source: Source, settings: Mapping[str, Any]) -> None:
        self._source = source
        self._head = json.dumps(settings).encode()[:-1] + b', "content": "'
        self._tail = b'"}'
        self.size = len(self._head) + 4 * -(-source.size // 3) + len(self._tail)
        self.complete = False
        self.failure: Exception | None = None

    async def stream(self) -> AsyncIterator[bytes]:
        try:
            yield self._head
            async for part in self._encoded():
                yield part
        except Exception as error:
            self.failure = error
            raise
        self.complete = True
        yield self._tail

    async def _encoded(self) -> AsyncIterator[bytes]:
        """Base64 encodes 3 bytes as 4 characters, so only multiples of 3 bytes are encoded before the end."""
        rest, read = b"", 0
        async for chunk in self._source.stream():
            read += len(chunk)
            rest += chunk
            whole = len(rest) - len(rest) % 3
            yield base64.b64encode(rest[:whole])
            rest = rest[whole:]
        if read != self._source.size:
            raise Transient(
                f"The stored recording has {read} bytes; {self._source.size} bytes were expected."
            )
        yield base64.b64encode(rest)
