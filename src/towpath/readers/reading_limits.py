"""The limits for reading one file, and the rejections of files that exceed them.

CPU time is counted, not time: a busy machine rejects no file that an idle one reads.
"""

from __future__ import annotations

import errno
import functools
import logging
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from towpath.errors import ConfigError, Rejected, TowpathError
from towpath.process_runner import ChildAborted, ChildOutOfMemory, ChildOverBudget, CpuBudget

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)

#: CPU seconds that one page may take more for each megabyte of the file.
STEP_SECONDS_PER_MB = 1.0
#: OCR of one page takes seconds: the factor for files that may be scans.
OCR_FACTOR = 4.0
#: CPU seconds of one call of a reader, as a multiple of those of one page.
TOTAL_FACTOR = 20.0
TOTAL_SECONDS_PER_MB = 20.0
#: Errors of the machine, which are no property of the file.
_MACHINE_ERRORS = frozenset({errno.ENOSPC, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM})


def budget_of(path: Path, page_seconds: float, *, ocr_pages: bool = False) -> CpuBudget:
    """The CPU budget for this file, by its size. ``page_seconds`` are for one page or, without pages, the file."""
    megabytes = path.stat().st_size / (1 << 20)
    step = page_seconds * (OCR_FACTOR if ocr_pages else 1.0) + STEP_SECONDS_PER_MB * megabytes
    return CpuBudget(step, page_seconds * TOTAL_FACTOR + TOTAL_SECONDS_PER_MB * megabytes)


def rejection_of(error: TowpathError) -> Rejected | None:
    """The rejection of a file whose reading exceeded a limit; None for errors that another attempt may avoid."""
    if isinstance(error, ChildOverBudget):
        return Rejected(
            "too_complex",
            "This file takes too long to read: one page of it, or the whole, used up the CPU time that a file of its "
            "size may use. Save it again in the program that created it, or split it, and upload that.",
        )
    if isinstance(error, ChildOutOfMemory | ChildAborted):
        return Rejected(
            "too_complex",
            "This file needs more memory to read than a file may use. Save it again in the program that created it, or "
            "split it, and upload that.",
        )
    return None


def reject_unreadable(function: Callable[P, T]) -> Callable[P, T]:
    """Turn unexpected errors of a reader into a rejection: the same bytes would fail in the same way again."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except (TowpathError, MemoryError):
            raise
        except ImportError as error:
            raise ConfigError(
                f"The installation is incomplete: {error}. Install Towpath again: pip install --force-reinstall towpath"
            ) from error
        except OSError as error:
            if error.errno in _MACHINE_ERRORS:
                raise
            raise _unreadable(error) from error
        except Exception as error:
            raise _unreadable(error) from error

    return guarded


def _unreadable(error: Exception) -> Rejected:
    log.warning("a reader failed", exc_info=error)
    return Rejected(
        "corrupt",
        f"This file cannot be read: it breaks the rules of its format ({type(error).__name__}). Save it again in the "
        "program that created it, and upload that.",
    )
