"""Takes privileges away from the current process before it reads untrusted files; child processes use it.

Each step is tried by itself: a kernel or a container that forbids one does not weaken the others. The result says
which hold, and `/ready` shows it.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from towpath import landlock, seccomp
from towpath.os_resources import HAS_LIMITS, set_limit

#: Variables that a child process inherits: where programs and libraries are, and the language. No secrets.
INHERITED_VARIABLES = frozenset(
    {
        *("PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TESSDATA_PREFIX"),
        *("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "VIRTUAL_ENV"),
        *("SYSTEMROOT", "TMPDIR", "TEMP", "TMP"),
    }
)
_INHERITED_PREFIXES = ("LC_", "TOWPATH_TEST_")
#: Largest file that a child process may write.
MAX_FILE_BYTES = 4 << 30
MAX_OPEN_FILES = 512
#: CPU seconds of one job, a backstop: the time limits of the readers are shorter.
MAX_CPU_SECONDS = 3600

_PR_SET_NO_NEW_PRIVS = 38
_PR_CAPBSET_DROP = 24
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_CLONE_NEWNET = 0x40000000
_CLONE_NEWUSER = 0x10000000


def clean_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that a child process needs."""
    return {
        name: value
        for name, value in environment.items()
        if name in INHERITED_VARIABLES or name.startswith(_INHERITED_PREFIXES)
    }


@dataclass(frozen=True, slots=True)
class SandboxPaths:
    """The files of a sandbox: two folders of its own, and other paths that it may read or write.

    ``scratch`` is on the disk of the files that are handed over, ``temporary`` is for the files of libraries.
    """

    scratch: Path
    temporary: Path
    readable: Sequence[Path] = ()
    writable: Sequence[Path] = ()

    def create(self) -> None:
        """Create the parts of the scratch folder."""
        self.scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.temporary.mkdir(mode=0o700, parents=True, exist_ok=True)
        for part in (landlock.INPUTS, landlock.OUTPUTS):
            (self.scratch / part).mkdir(mode=0o700, exist_ok=True)


def enter_sandbox(paths: SandboxPaths | None) -> dict[str, bool]:
    """Drop all privileges for the rest of the process. Returns which limits hold.

    With ``paths`` the process can open only programs, libraries and these paths. It must have one thread.
    """
    held = {"clean_environment": True, "resource_limits": HAS_LIMITS}
    for name, limit in (("CORE", 0), ("FSIZE", MAX_FILE_BYTES), ("NOFILE", MAX_OPEN_FILES)):
        set_limit(name, limit)
    on_linux = sys.platform == "linux"
    libc = ctypes.CDLL(None, use_errno=True) if on_linux else None
    held["no_new_privileges"] = libc is not None and libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    held["no_capabilities"] = False
    held["own_files_only"] = held["no_network"] = False
    if libc is None:
        return held
    if paths is not None:
        held["own_files_only"] = landlock.restrict_files(
            libc, paths.scratch, paths.readable, (paths.temporary, *paths.writable)
        )
    filtered = seccomp.is_supported()
    if not filtered:
        held["no_network"] = _leave_network(libc)
    held["no_capabilities"] = _drop_capabilities(libc)
    if filtered:
        held["no_network"] = seccomp.install_filter(libc)
    held["system_call_filter"] = filtered and held["no_network"]
    return held


def _drop_capabilities(libc: ctypes.CDLL) -> bool:
    """Give up all capabilities: a process of root then has only the rights of the owner of its files."""
    for capability in range(64):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    return libc.capset(ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)())) == 0


def _leave_network(libc: ctypes.CDLL) -> bool:
    """Move into a network namespace without devices; without privileges inside a user namespace of its own."""
    if libc.unshare(_CLONE_NEWNET) == 0:
        return True
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return False
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        try:
            Path(f"/proc/self/{name}").write_text(text, "ascii")
        except OSError:
            break
    return True


if __name__ == "__main__":
    print(json.dumps(enter_sandbox(SandboxPaths(Path(sys.argv[1]), Path(sys.argv[2])))))
