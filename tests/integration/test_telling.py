"""What a worker tells about its work: log lines that name the run, and traces that outlive a crash."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.integration.workshop import Workshop
from tests.support.databases import EngineUnderTest
from towpath import tracing
from towpath.errors import Transient
from towpath.model.work import Done, Outcome
from towpath.providers.contract import Answer
from towpath.stages.contract import Context, PaidCall
from towpath.telemetry import JsonFormatter

log = logging.getLogger("towpath.tests.stage")


async def _read(context: Context) -> Outcome:
    log.info("reading page one")

    async def make() -> Answer:
        return Answer(b"text")

    await context.once(PaidCall("somebody", "reader", {}, context.document_id), make)
    return Done()


def _stumbling() -> Any:
    times = 0

    async def publish(_context: Context) -> Outcome:
        nonlocal times
        times += 1
        if times == 1:
            raise Transient("a stone on the path")
        return Done()

    return publish


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """Everything that is logged, as JSON."""
    said = io.StringIO()
    handler = logging.StreamHandler(said)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger("towpath")
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield said
    root.removeHandler(handler)
    root.setLevel(level)


async def test_every_line_inside_a_job_names_its_run_and_document(
    engine: EngineUnderTest, lines: io.StringIO
) -> None:
    workshop = Workshop(engine)
    async with workshop.working({"read": _read, "publish": _stumbling()}):
        submitted = await workshop.submit("read", "publish")
        await workshop.ended(submitted)
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    mine = [line for line in told if line.get("run") == submitted.run_id]

    said = {line["message"].split(" of run")[0]: line for line in mine}
    assert said["reading page one"]["stage"] == "read"
    assert {line["document"] for line in mine} == {submitted.document_id}
    assert any("failed: a stone on the path" in line["message"] for line in mine)
    assert any("is done" in line["message"] and line["stage"] == "publish" for line in mine)


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    tracing.set_up_tracing(exporter)
    yield exporter
    tracing.stop_tracing()


async def test_a_run_is_one_trace_from_the_run_to_the_call(
    engine: EngineUnderTest, spans: InMemorySpanExporter
) -> None:
    workshop = Workshop(engine)
    async with workshop.working({"read": _read, "publish": _stumbling()}):
        submitted = await workshop.submit("read", "publish")
        await workshop.ended(submitted)
    found = spans.get_finished_spans()
    named = {span.name: span for span in found}

    run, read, call = named["run"], named["read"], named["call somebody"]
    assert {f"{span.context.trace_id:032x}" for span in found if span.context} == {
        str(submitted.run_id).replace("-", "")
    }
    assert run.parent is None
    assert read.parent is not None
    assert run.context is not None
    assert read.parent.span_id == run.context.span_id
    assert call.parent is not None
    assert read.context is not None
    assert call.parent.span_id == read.context.span_id
    assert [span.name for span in found].count("publish") == 2
    assert run.start_time is not None
    assert run.end_time is not None
    assert run.start_time < run.end_time
