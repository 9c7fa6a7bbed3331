"""Log lines of a job name its run and document; a run is one trace, also after a failed attempt."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.integration.worker_harness import WorkerHarness
from tests.support.databases import EngineUnderTest
from towpath import tracing
from towpath.errors import Transient
from towpath.log_setup import JsonFormatter
from towpath.model.outcome import Done, Outcome
from towpath.model.provider_answer import Answer
from towpath.stages.contract import Context, ProviderCall

log = logging.getLogger("towpath.tests.stage")


async def _read(context: Context) -> Outcome:
    log.info("reading page one")

    async def make() -> Answer:
        return Answer(b"text")

    await context.call_once(ProviderCall("test-provider", "reader", {}, context.document_id), make)
    return Done()


def _fails_once() -> Any:
    times = 0

    async def publish(_context: Context) -> Outcome:
        nonlocal times
        times += 1
        if times == 1:
            raise Transient("the provider closed the connection")
        return Done()

    return publish


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """All log lines, as JSON."""
    output = io.StringIO()
    handler = logging.StreamHandler(output)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger("towpath")
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield output
    root.removeHandler(handler)
    root.setLevel(level)


async def test_every_line_inside_a_job_names_its_run_and_document(
    engine: EngineUnderTest, lines: io.StringIO
) -> None:
    harness = WorkerHarness(engine)
    async with harness.run_worker({"read": _read, "publish": _fails_once()}):
        submitted = await harness.submit("read", "publish")
        await harness.wait_until_ended(submitted)
    records = [json.loads(line) for line in lines.getvalue().splitlines()]
    run_lines = [line for line in records if line.get("run") == submitted.run_id]

    by_message = {line["message"].split(" of run")[0]: line for line in run_lines}
    assert by_message["reading page one"]["stage"] == "read"
    assert {line["document"] for line in run_lines} == {submitted.document_id}
    assert any(
        "failed: Transient: the provider closed the connection" in line["message"] for line in run_lines
    )
    assert any("is done" in line["message"] and line["stage"] == "publish" for line in run_lines)


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    tracing.configure_tracing(exporter)
    yield exporter
    tracing.stop_tracing()


async def test_a_run_is_one_trace_from_the_run_to_the_call(
    engine: EngineUnderTest, spans: InMemorySpanExporter
) -> None:
    harness = WorkerHarness(engine)
    async with harness.run_worker({"read": _read, "publish": _fails_once()}):
        submitted = await harness.submit("read", "publish")
        await harness.wait_until_ended(submitted)
    finished = spans.get_finished_spans()
    named = {span.name: span for span in finished}

    run, read, call = named["run"], named["read"], named["call test-provider"]
    assert {f"{span.context.trace_id:032x}" for span in finished if span.context} == {
        str(submitted.run_id).replace("-", "")
    }
    assert run.parent is None
    assert read.parent is not None
    assert run.context is not None
    assert read.parent.span_id == run.context.span_id
    assert call.parent is not None
    assert read.context is not None
    assert call.parent.span_id == read.context.span_id
    assert [span.name for span in finished].count("publish") == 2
    assert run.start_time is not None
    assert run.end_time is not None
    assert run.start_time < run.end_time
