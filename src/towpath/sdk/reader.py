"""The decorator `reader`: makes a reader of a new type of file out of a function."""

from __future__ import annotations

import re
from collections.abc import Callable

from towpath.model.plugin_reader import OwnReader, ReadFunction

_MEDIA_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+-]*")


def reader(
    media_type: str, *, extensions: tuple[str, ...] = (), signature: bytes = b"", version: int = 1
) -> Callable[[ReadFunction], OwnReader]:
    """Declare a reader of files of ``media_type``.

    Such files begin with ``signature``, or their names end with one of ``extensions``; if both are given, both must
    hold. The function gets the path of the file and a callback ``progress(done, total)``, and returns markdown or an
    Extraction. It runs in a child process with limits on time and memory, without network and without secrets.
    """
    if not _MEDIA_TYPE.fullmatch(media_type):
        raise ValueError(f"{media_type!r} is not a media type such as application/x-acme")
    if not signature and not extensions:
        raise ValueError(f"the reader of {media_type} needs a signature or extensions")
    if any(not extension.startswith(".") or extension != extension.lower() for extension in extensions):
        raise ValueError(f"the extensions of {media_type} must look like .acme")

    def declare(function: ReadFunction) -> OwnReader:
        return OwnReader(function, media_type, extensions, signature, version)

    return declare
