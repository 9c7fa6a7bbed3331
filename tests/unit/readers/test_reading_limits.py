"""Limits of reading: which errors reject a file, and which may go away by themselves."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from towpath.errors import ConfigError, Rejected, TowpathError
from towpath.process_runner import (
    ChildAborted,
    ChildCrashed,
    ChildKilled,
    ChildOutOfMemory,
    ChildOverBudget,
    ChildTimeout,
)
from towpath.readers.reading_limits import budget_of, reject_unreadable, rejection_of


@pytest.mark.parametrize("error", [ChildOverBudget("x"), ChildOutOfMemory("x"), ChildAborted("SIGABRT")])
def test_a_file_that_exceeds_a_limit_is_rejected_with_a_sentence(error: TowpathError) -> None:
    rejected = rejection_of(error)
    assert rejected is not None
    assert rejected.code == "too_complex"
    assert rejected.reason.startswith("This file ")
    assert rejected.reason.endswith(".")


@pytest.mark.parametrize("error", [ChildTimeout("x"), ChildCrashed("SIGSEGV"), ChildKilled("x")])
def test_other_ends_of_a_child_are_tried_again(error: TowpathError) -> None:
    assert rejection_of(error) is None


@pytest.mark.parametrize(
    "error", [ValueError("x"), RecursionError(), KeyError("x"), OSError("cannot identify")]
)
def test_an_unexpected_error_rejects_the_file(error: Exception) -> None:
    @reject_unreadable
    def read() -> None:
        raise error

    with pytest.raises(Rejected) as caught:
        read()
    assert caught.value.code == "corrupt"
    assert type(error).__name__ in caught.value.reason


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left"), MemoryError(), Rejected("empty", "This file is empty.")]
)
def test_errors_of_the_machine_and_rejections_stay_what_they_are(error: BaseException) -> None:
    @reject_unreadable
    def read() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        read()
    assert caught.value is error


def test_a_missing_package_is_a_fault_of_the_installation_and_not_of_the_file() -> None:
    @reject_unreadable
    def read() -> None:
        raise ImportError("No module named 'lxml_html_clean'")

    with pytest.raises(ConfigError, match=r"lxml_html_clean.*Install Towpath again: pip"):
        read()


def test_a_larger_file_may_take_longer(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(b"x")
    large.write_bytes(b"x" * (20 << 20))
    assert budget_of(small, 15.0).step_seconds == pytest.approx(15.0, abs=0.1)
    assert budget_of(large, 15.0).step_seconds == pytest.approx(35.0, abs=0.1)
    assert budget_of(small, 15.0, ocr_pages=True).step_seconds > 50
    assert budget_of(large, 15.0).total_seconds > budget_of(large, 15.0).step_seconds
