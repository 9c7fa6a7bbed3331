"""Restricts the files that a process can open, by Landlock of the Linux kernel (5.13 and later)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE = 1 << 14
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_READ = _EXECUTE | _READ_FILE | _READ_DIR
#: Bits of the file system accesses that each version of the interface knows.
_KNOWN_BITS = (0, 13, 14, 15, 15, 16)
_NO_TCP = 0b11
_NO_SIGNALS_AND_SOCKETS = 0b11

#: Programs, libraries, time zones, fonts, and what the C library and the kernel offer about the process itself.
_SYSTEM = (
    *("/usr", "/lib", "/lib64", "/bin", "/opt", "/nix/store", "/proc", "/sys/devices", "/sys/bus"),
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/fonts"),
    *(
        "/etc/localtime",
        "/etc/timezone",
        "/etc/mime.types",
        "/etc/nsswitch.conf",
        "/etc/passwd",
        "/etc/group",
    ),
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
INPUTS, OUTPUTS = "inputs", "outputs"


def restrict_files(
    libc: ctypes.CDLL, scratch: Path, readable: Sequence[Path], writable: Sequence[Path]
) -> bool:
    """Allow programs and libraries, the given paths and the parts of ``scratch``; nothing else. False if refused.

    ``scratch/inputs`` and ``scratch/outputs`` hold files that other processes hand over; they cannot be listed.
    """
    version: int = libc.syscall(_CREATE, None, 0, _VERSION_FLAG)
    if version < 1:
        return False
    accesses: int = (1 << _KNOWN_BITS[min(version, len(_KNOWN_BITS) - 1)]) - 1
    attributes = (ctypes.c_uint64 * 3)(accesses, _NO_TCP, _NO_SIGNALS_AND_SOCKETS)
    size = 8 if version < 4 else 16 if version < 6 else 24
    ruleset: int = libc.syscall(_CREATE, ctypes.byref(attributes), size, 0)
    if ruleset < 0:
        return False
    try:
        for path in (*map(Path, _SYSTEM), *_python_paths(), *readable):
            _allow(libc, ruleset, path, _READ)
        for device in _DEVICES:
            _allow(libc, ruleset, Path(device), _READ_FILE | _WRITE_FILE)
        _allow(libc, ruleset, scratch / INPUTS, _READ_FILE)
        _allow(libc, ruleset, scratch / OUTPUTS, (_READ_FILE | _WRITE_FILE | _TRUNCATE) & accesses)
        for folder in writable:
            _allow(libc, ruleset, folder, accesses & ~_EXECUTE)
        return libc.syscall(_RESTRICT, ruleset, 0) == 0
    finally:
        os.close(ruleset)


def _python_paths() -> Iterable[Path]:
    # `python -m` puts the working folder first; it may be the one that holds the data folder.
    for name in {sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path} - {"", os.getcwd()}:
        if os.path.exists(name):
            yield Path(name)


def _allow(libc: ctypes.CDLL, ruleset: int, path: Path, accesses: int) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not path.is_dir():
                accesses &= _OF_FILES
            rule = accesses.to_bytes(8, sys.byteorder) + descriptor.to_bytes(4, sys.byteorder)
            libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
        finally:
            os.close(descriptor)
