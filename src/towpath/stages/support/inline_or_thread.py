"""Runs a function on the event loop if its input is small, else in a thread.

A change of threads costs CPU time too, which small documents pay many times.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

#: Up to this size the event loop decodes JSON, or computes a hash, itself.
SHORT_BYTES = 32_768


async def run_inline_or_in_thread(function: Callable[..., T], *arguments: object, size: int) -> T:
    """The result of a pure function; ``size`` is the number of bytes that it works on."""
    if size <= SHORT_BYTES:
        return function(*arguments)
    return await asyncio.to_thread(function, *arguments)
