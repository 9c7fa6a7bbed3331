"""Tells a test or the drill which provider calls a package's stage makes. Without an observer it does nothing."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, Token, copy_context
from dataclasses import dataclass
from typing import Any, Protocol

#: Audit events of requests over the network.
_NETWORK_EVENTS = frozenset({"socket.connect", "http.client.send"})


class CallObserver(Protocol):
    """Is told about each call that is really made."""

    def call_made(self, call: str, key: str) -> None:
        """A call inside of `Context.once` is made now."""
        ...

    def unremembered_call(self, stage: str, document_id: str) -> None:
        """An own stage sent a request outside of `Context.once`; told once for each execution."""
        ...


@dataclass(slots=True)
class RunningStage:
    """The own stage that the current task executes."""

    stage: str
    document_id: str
    connected: bool = False


#: None outside of own stages, and inside of paid calls that are remembered.
unremembered: ContextVar[RunningStage | None] = ContextVar("unremembered", default=None)

_observers: list[CallObserver] = []


def add_observer(observer: CallObserver) -> None:
    """Observe the calls of this process from now on. Threads of an event loop get the context of their task."""
    if not _observers:
        sys.addaudithook(_on_audit_event)
        _observe_httpx()
        _keep_context_in_threads()
    _observers.append(observer)


def _on_audit_event(event: str, _arguments: tuple[object, ...]) -> None:
    if event in _NETWORK_EVENTS:
        _note_request()


def _observe_httpx() -> None:
    """Note each request: one that uses an open connection raises no audit event."""
    import httpx

    send, send_async = httpx.Client.send, httpx.AsyncClient.send

    def noted(*arguments: Any, **options: Any) -> Any:
        _note_request()
        return send(*arguments, **options)

    async def noted_async(*arguments: Any, **options: Any) -> Any:
        _note_request()
        return await send_async(*arguments, **options)

    httpx.Client.send, httpx.AsyncClient.send = noted, noted_async


def _keep_context_in_threads() -> None:
    """Without it, a stage that calls a library with `run_in_executor` could not be recognized."""
    event_loop: Any = asyncio.BaseEventLoop
    run = event_loop.run_in_executor

    def run_with_context(loop: Any, executor: Any, function: Any, *arguments: Any) -> Any:
        if executor is None or isinstance(executor, ThreadPoolExecutor):
            return run(loop, executor, copy_context().run, function, *arguments)
        return run(loop, executor, function, *arguments)

    event_loop.run_in_executor = run_with_context


def _note_request() -> None:
    running = unremembered.get()
    if running is not None and not running.connected:
        running.connected = True
        for observer in _observers:
            observer.unremembered_call(running.stage, running.document_id)


@contextlib.contextmanager
def running_stage(stage: str, document_id: str) -> Generator[None]:
    token = unremembered.set(RunningStage(stage, document_id))
    try:
        yield
    finally:
        _reset(token)


@contextlib.contextmanager
def inside_once() -> Generator[None]:
    """Calls in this context are remembered by the ledger, or cost nothing."""
    token = unremembered.set(None)
    try:
        yield
    finally:
        _reset(token)


def _reset(token: Token[RunningStage | None]) -> None:
    # At the end of a program the stages that a test killed are closed, in another context.
    with contextlib.suppress(ValueError):
        unremembered.reset(token)


def note_call(call: str, key: str) -> None:
    for observer in _observers:
        observer.call_made(call, key)
