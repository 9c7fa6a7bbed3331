"""A seccomp filter that refuses system calls for networks, other processes and the kernel's configuration."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Mapping

_PR_SET_SECCOMP = 22
_MODE_FILTER = 2
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_OFFSET_NUMBER, _OFFSET_ARCH, _OFFSET_FIRST_ARGUMENT = 0, 4, 16
#: Numbers from here on are calls of the x32 ABI.
_X32 = 0x40000000

#: For each machine: its audit number and the numbers of the refused calls.
_REFUSED: Mapping[str, tuple[int, tuple[int, ...]]] = {
    "x86_64": (
        0xC000003E,
        (
            *(41, 42, 43, 49, 50, 288),  # socket, connect, accept, bind, listen, accept4
            *(62, 200, 129, 297, 424, 438),  # kill, tkill, rt_sigqueueinfo…, pidfd_send_signal, pidfd_getfd
            *(256, 440, 448),  # migrate_pages, process_madvise, process_mrelease
            *(59, 322),  # execve, execveat
            *(101, 310, 311),  # ptrace, process_vm_readv, process_vm_writev
            *(165, 166, 155, 161, 272, 308),  # mount, umount2, pivot_root, chroot, unshare, setns
            *(175, 176, 313, 246, 320, 169),  # init_module, delete_module, finit_module, kexec…, reboot
            *(
                248,
                249,
                250,
                298,
                321,
                323,
            ),  # add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd
            *(425, 426, 427, 428, 429, 430, 431, 432),  # io_uring…, open_tree, move_mount, fsopen…
        ),
    ),
    "aarch64": (
        0xC00000B7,
        (
            *(198, 203, 202, 200, 201, 242),
            *(129, 130, 138, 240, 424, 438),
            *(238, 440, 448),
            *(221, 281),
            *(117, 270, 271),
            *(40, 39, 41, 51, 97, 268),
            *(105, 106, 273, 104, 294, 142),
            *(217, 218, 219, 241, 280, 282),
            *(425, 426, 427, 428, 429, 430, 431, 432),
        ),
    ),
}

#: Calls that are allowed for the process itself only, which their first argument names: tgkill, prlimit64.
_OWN_PROCESS_ONLY: Mapping[str, tuple[int, ...]] = {"x86_64": (234, 302), "aarch64": (131, 261)}


def is_supported() -> bool:
    """Whether there is a filter for this machine."""
    return sys.platform == "linux" and platform.machine() in _REFUSED


def install_filter(libc: ctypes.CDLL) -> bool:
    """Install the filter for this process and its children. It needs `no_new_privs`."""
    machine = platform.machine()
    code = _program(*_REFUSED[machine], _OWN_PROCESS_ONLY[machine], os.getpid())
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    program = Program(len(code) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    return libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0) == 0


def _program(audit_number: int, refused: tuple[int, ...], own_only: tuple[int, ...], pid: int) -> bytes:
    """The filter: refuse other ABIs, the listed calls, and calls about other processes with EACCES; allow the rest."""
    # A jump skips so many instructions. Refusal and permission are the last two.
    rest = len(refused) + len(own_only)
    instructions = [
        (_LOAD, 0, 0, _OFFSET_ARCH),
        (_EQUAL, 0, rest + 6, audit_number),
        (_LOAD, 0, 0, _OFFSET_NUMBER),
        (_AT_LEAST, rest + 4, 0, _X32),
        *((_EQUAL, rest - index + 3, 0, number) for index, number in enumerate(refused)),
        *((_EQUAL, len(own_only) - index, 0, number) for index, number in enumerate(own_only)),
        (_RETURN, 0, 0, _ALLOW),
        (_LOAD, 0, 0, _OFFSET_FIRST_ARGUMENT),
        (_EQUAL, 2, 0, 0),
        (_EQUAL, 1, 0, pid),
        (_RETURN, 0, 0, _ERRNO | errno.EACCES),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)
