"""A child process that a hostile file took over: what it can reach."""

from __future__ import annotations

import contextlib
import os
import pickle
import stat
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PosixPath

import numpy as np
import psutil
import pytest

from tests.integration import child_functions
from tests.security import attacks
from tests.support.servers import Client, Server
from tests.support.timeouts import wait_until
from towpath.errors import Rejected
from towpath.model.document import ContainedFile
from towpath.model.job import ProgressUnit
from towpath.process_runner import ChildCrashed, InputFile, OutputFile
from towpath.process_sandbox import SandboxPaths
from towpath.readers.common.markdown_writer import MarkdownWriter
from towpath.worker.process_pool import ProcessPool
from towpath.worker.safe_pickle import decode

SECONDS = 60.0


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProcessPool]:
    """A pool whose children may read the tests, which hold the functions that attack."""
    monkeypatch.setenv("TOWPATH_OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("AZURE_STORAGE_KEY", "secret")
    children = ProcessPool(1)
    children.restrict_files(
        SandboxPaths(
            tmp_path / "scratch", tmp_path / "temporary", readable=[Path(attacks.__file__).parents[2]]
        )
    )
    yield children
    children.close()


async def test_the_environment_has_no_secrets(pool: ProcessPool) -> None:
    variables = await pool.run(attacks.environment, seconds=SECONDS)
    assert "PATH" in variables
    assert not [name for name in variables if "KEY" in name or "SECRET" in name or "TOKEN" in name]
    assert not [name for name in variables if name.startswith("TOWPATH_") and "TEST" not in name]


async def test_there_is_no_network(pool: ProcessPool) -> None:
    assert await pool.run(attacks.open_sockets, seconds=SECONDS) == []


async def test_privileges_are_dropped(pool: ProcessPool) -> None:
    status = await pool.run(attacks.process_status, seconds=SECONDS)
    assert status["NoNewPrivs"] == "1"
    assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0
    assert status["Seccomp"] == "2"
    assert not await pool.run(attacks.run_program, seconds=SECONDS)
    for attack in (attacks.signal_process, attacks.signal_thread, attacks.limit_process):
        assert not await pool.run(attack, os.getpid(), seconds=SECONDS)
    assert await pool.run(attacks.own_limits_and_signals, seconds=SECONDS)


async def test_resources_are_limited(pool: ProcessPool) -> None:
    limits = await pool.run(attacks.limits, seconds=SECONDS)
    assert limits["CORE"] == 0
    assert 0 < limits["CPU"] < 10_000
    assert 0 < limits["FSIZE"] < 1 << 33
    assert 0 < limits["DATA"] <= 1 << 32
    assert 0 < limits["AS"] < 1 << 34


async def test_files_of_others_cannot_be_opened(pool: ProcessPool, tmp_path: Path) -> None:
    secret, mine = tmp_path / "other.pdf", tmp_path / "mine.pdf"
    secret.write_bytes(b"of another organization")
    mine.write_bytes(b"my bytes")
    paths = [
        str(secret),
        str(tmp_path),
        str(Path.home() / ".ssh"),
        "/etc/shadow",
        f"/proc/{os.getpid()}/environ",
    ]
    assert await pool.run(attacks.readable, paths, seconds=SECONDS) == []
    assert await pool.run(attacks.writable, [str(tmp_path / "new"), "/tmp/new"], seconds=SECONDS) == []
    # A file that is handed over is read by a path to an open descriptor, and cannot be changed.
    content, changed, listed = await pool.run(attacks.use_input, InputFile(mine), seconds=SECONDS)
    assert (content, changed, listed) == (b"my bytes", False, [])
    assert mine.read_bytes() == b"my bytes"


async def test_an_output_appears_when_the_function_returns(pool: ProcessPool, tmp_path: Path) -> None:
    target = tmp_path / "result.bin"
    await pool.run(attacks.write_output, OutputFile(target), b"result", seconds=SECONDS)
    assert target.read_bytes() == b"result"
    with pytest.raises(RuntimeError):
        await pool.run(attacks.fail_after_writing, OutputFile(tmp_path / "half.bin"), seconds=SECONDS)
    assert not (tmp_path / "half.bin").exists()
    assert not list((tmp_path / "scratch" / "outputs").iterdir())


async def test_an_answer_cannot_run_code_in_the_parent(pool: ProcessPool) -> None:
    with pytest.raises(ChildCrashed, match="not accepted"):
        await pool.run(attacks.answer_with_code, seconds=SECONDS)
    assert await pool.run(child_functions.add, 1, 1, seconds=SECONDS) == 2


@pytest.mark.parametrize("function", [os.mkdir, eval, getattr, Path.unlink, pickle.loads, ProcessPool])
def test_functions_are_no_values(function: object) -> None:
    with pytest.raises(pickle.UnpicklingError):
        decode(pickle.dumps(function))


def _set_attribute_of(module: str, name: str) -> bytes:
    """A pickle that names a class and sets an attribute of it: None and {"taken_over": 1} as its state."""
    state = b"N" + pickle.dumps({"taken_over": 1}, 2)[2:-1] + pickle.TUPLE2
    return (
        pickle.PROTO + b"\x04" + pickle.GLOBAL + f"{module}\n{name}\n".encode() + state + pickle.BUILD + b"."
    )


@pytest.mark.parametrize(
    "changed", [MarkdownWriter, ContainedFile, Rejected, ProgressUnit, Counter, PosixPath]
)
def test_an_answer_cannot_change_a_class_of_the_parent(changed: type) -> None:
    # `PosixPath` is in a private module from Python 3.13 on.
    module = "pathlib" if changed is PosixPath else changed.__module__
    with contextlib.suppress(pickle.UnpicklingError, TypeError, AttributeError):
        decode(_set_attribute_of(module, changed.__name__))
    assert not hasattr(changed, "taken_over")


@pytest.mark.parametrize(
    "module", ["towpath.__main__", "towpath.drill.preloaded_modules", "towpath.cli.serve", "os"]
)
def test_an_answer_cannot_import_a_module_that_acts(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(pickle.UnpicklingError):
        decode(_set_attribute_of(module, "main"))
    assert module == "os" or module not in sys.modules


def test_answers_arrive_as_they_were_sent() -> None:
    error = Rejected("corrupt", "This file is damaged.")
    members = [ContainedFile("a.txt", 0, 5, "0" * 64)]
    values = (members, ProgressUnit.PAGE, Counter("aab"), Path("a/b"), {1: datetime(2026, 5, 12, tzinfo=UTC)})
    assert decode(pickle.dumps(values)) == values
    assert np.array_equal(decode(pickle.dumps(np.eye(3, dtype=np.float32))), np.eye(3))
    received = decode(pickle.dumps(error))
    assert (type(received), str(received), vars(received)) == (Rejected, str(error), vars(error))


def test_the_children_of_a_server_are_sandboxed_and_ready_says_so(tmp_path: Path) -> None:
    with Server(tmp_path / "data", settings={"TOWPATH_OPENAI_API_KEY": "sk-secret"}) as server:
        client = Client(server.url)
        client.wait_until_finished(client.upload("note.md", b"# A note\n\nabout the lock.")["id"])
        held = client.get("/ready")["sandbox"]
        (child,) = wait_until(lambda: _pool_children(server.process.pid), "a child process")[:1]
        assert "sk-secret" not in str(child.environ())
        status = Path(f"/proc/{child.pid}/status").read_text()
        assert held["clean_environment"]
        assert held["no_new_privileges"] == ("NoNewPrivs:\t1" in status)
        assert held["system_call_filter"] == ("Seccomp:\t2" in status)
        assert held["no_capabilities"] == ("CapEff:\t0000000000000000" in status)


def _pool_children(pid: int) -> list[psutil.Process]:
    return [
        child
        for child in psutil.Process(pid).children()
        if "towpath.worker.child_process_main" in child.cmdline()
    ]


def test_other_users_of_the_machine_cannot_read_the_data_folder(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    old_mask = os.umask(0)
    try:
        with Server(data) as server:
            client = Client(server.url)
            client.wait_until_finished(client.upload("note.md", b"# A note\n\nabout the lock.")["id"])
            modes = {
                path: stat.S_IMODE(path.stat().st_mode) for path in (data, *data.rglob("*")) if path.exists()
            }
    finally:
        os.umask(old_mask)
    assert modes[data] == 0o700
    assert {path.name: oct(mode) for path, mode in modes.items() if mode & 0o077} == {}
