"""A reader that a package offers: the types of file that it reads, and its function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from towpath.model.content import Extraction

#: Called with the path of the file and a callback ``progress(done, total)``; returns markdown or an Extraction.
ReadFunction = Callable[[Path, Callable[[int, int], None]], "str | Extraction"]


@dataclass(frozen=True, slots=True)
class OwnReader:
    """A reader of one type of file. It runs in a child process without network."""

    function: ReadFunction
    media_type: str
    #: Ends of file names, such as `.acme`, in lower case.
    extensions: tuple[str, ...] = ()
    #: The first bytes of such a file; without them the name of the file decides.
    signature: bytes = b""
    #: Raise it when the same file is read differently, so that cached answers are not reused.
    version: int = 1
    package: str = ""

    def accepts(self, head: bytes, name: str) -> bool:
        """Whether a file with these first bytes and this name is of the type."""
        if self.signature and not head.startswith(self.signature):
            return False
        return not self.extensions or name.lower().endswith(self.extensions)
