"""Hands files over to a child process as open descriptors, because a sandboxed child can open no path of the data.

A file is first linked into a folder of the sandbox and unlinked again at once: the child can open its descriptor anew,
as libraries do that want a path, and nothing is left behind when a process dies.
"""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from towpath.landlock import INPUTS, OUTPUTS
from towpath.model.ids import new_id
from towpath.process_runner import InputFile, OutputFile

_MAX_FILES = 16


@dataclass(frozen=True, slots=True)
class HandedFile:
    """The place of a file in the descriptors that follow the request."""

    index: int


@contextmanager
def open_files(
    arguments: Iterable[object], scratch: Path | None
) -> Generator[tuple[tuple[object, ...], list[int]]]:
    """The arguments with files replaced, and the descriptors. Outputs move to their paths if the context ends well."""
    descriptors: list[int] = []
    replaced: list[object] = []
    outputs: list[tuple[Path, Path]] = []
    try:
        for argument in arguments:
            if isinstance(argument, InputFile):
                descriptor = _open_input(argument.path, scratch)
            elif isinstance(argument, OutputFile):
                draft = argument.path if scratch is None else scratch / OUTPUTS / new_id()
                outputs.append((draft, argument.path))
                descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            else:
                replaced.append(argument)
                continue
            replaced.append(HandedFile(len(descriptors)))
            descriptors.append(descriptor)
        yield tuple(replaced), descriptors
        for draft, path in outputs:
            draft.replace(path)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
        for draft, path in outputs:
            if draft != path:
                draft.unlink(missing_ok=True)


def send_descriptors(connection: socket.socket, descriptors: list[int]) -> None:
    """Send the descriptors after the request that mentions them."""
    if descriptors:
        socket.send_fds(connection, [b"F"], descriptors)


@contextmanager
def received_files(connection: socket.socket, arguments: tuple[object, ...]) -> Generator[tuple[object, ...]]:
    """In the child: the arguments with the path of each handed file, as text. The files are closed afterwards."""
    descriptors: list[int] = []
    if any(isinstance(argument, HandedFile) for argument in arguments):
        _, descriptors, _, _ = socket.recv_fds(connection, 1, _MAX_FILES)
    try:
        yield tuple(
            f"/proc/self/fd/{descriptors[argument.index]}" if isinstance(argument, HandedFile) else argument
            for argument in arguments
        )
    finally:
        for descriptor in descriptors:
            with suppress(OSError):
                os.close(descriptor)


def _open_input(path: Path, scratch: Path | None) -> int:
    if scratch is None:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    link = scratch / INPUTS / new_id()
    try:
        os.link(path, link)
    except OSError:
        # Another file system, or one without links.
        shutil.copyfile(path, link)
    try:
        return os.open(link, os.O_RDONLY | os.O_CLOEXEC)
    finally:
        link.unlink()
