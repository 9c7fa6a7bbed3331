"""What is being worked on: said by every log line inside a job, and by OpenTelemetry traces where they are wanted.

A run is one trace, run → stage → provider call. Its ids follow from the run's own id, so that stages which
different workers did, before and after a crash, hang together without anybody passing anything on.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from towpath.errors import ConfigError

#: The run, document, stage and organization of the job in hand.
about: ContextVar[Mapping[str, str]] = ContextVar("about", default=MappingProxyType({}))

_tracer: Any = None
_next_ids: ContextVar[tuple[int, int] | None] = ContextVar("next_ids", default=None)


def set_up_tracing(exporter: Any = None) -> None:
    """Send traces to where OTEL_EXPORTER_OTLP_ENDPOINT says, or to the given exporter."""
    global _tracer
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
        from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
    except ImportError as error:
        raise ConfigError("Traces need the extra `otel`: pip install 'towpath[otel]'.") from error

    class Ids(RandomIdGenerator):
        """Random, except for the span of a run, whose id others know beforehand."""

        def generate_trace_id(self) -> int:
            chosen = _next_ids.get()
            return super().generate_trace_id() if chosen is None else chosen[0]

        def generate_span_id(self) -> int:
            chosen = _next_ids.get()
            return super().generate_span_id() if chosen is None else chosen[1]

    provider = TracerProvider(resource=Resource.create({"service.name": "towpath"}), id_generator=Ids())
    if exporter is None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    else:
        provider.add_span_processor(SimpleSpanProcessor(exporter))
    _tracer = provider.get_tracer("towpath")


def stop_tracing() -> None:
    global _tracer
    _tracer = None


@contextmanager
def stage_of(
    *, run_id: str, document_id: str, org_id: str, stage: str, job_id: str, epoch: int
) -> Generator[None]:
    """Everything inside is about this job."""
    said = about.set({"run": run_id, "document": document_id, "stage": stage, "org": org_id})
    try:
        if _tracer is None:
            yield
            return
        from opentelemetry import trace

        trace_id, root_id = _ids_of(run_id)
        flags = trace.TraceFlags(trace.TraceFlags.SAMPLED)
        root = trace.NonRecordingSpan(trace.SpanContext(trace_id, root_id, is_remote=True, trace_flags=flags))
        attributes = {**about.get(), "job": job_id, "epoch": epoch}
        with _tracer.start_as_current_span(stage, trace.set_span_in_context(root), attributes=attributes):
            yield
    finally:
        about.reset(said)


@contextmanager
def call_to(provider: str, model: str) -> Generator[None]:
    """A call that is really made to a provider."""
    if _tracer is None:
        yield
        return
    with _tracer.start_as_current_span(f"call {provider}", attributes={"provider": provider, "model": model}):
        yield


def run_ended(run_id: str, document_id: str, outcome: str) -> None:
    """The whole run as one span, told by whoever ended it: from when it was queued until now."""
    if _tracer is None:
        return
    from opentelemetry.context import Context

    ids = _next_ids.set(_ids_of(run_id))
    try:
        queued_ns = (uuid.UUID(run_id).int >> 80) * 1_000_000
        attributes = {"run": run_id, "document": document_id, "outcome": outcome}
        _tracer.start_span("run", Context(), start_time=queued_ns, attributes=attributes).end(time.time_ns())
    finally:
        _next_ids.reset(ids)


def _ids_of(run_id: str) -> tuple[int, int]:
    whole = uuid.UUID(run_id).int
    return whole, (whole & (1 << 64) - 1) or 1
