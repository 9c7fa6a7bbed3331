"""Adds the ids of the current job to log lines, and makes OpenTelemetry traces of runs, stages and calls.

A run is one trace: run → stage → provider call. Trace and root span ids are derived from the run id, so that
stages executed by different workers, before and after a crash, belong to one trace without passing a context.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any

from towpath.errors import ConfigError

#: Run, document, stage and organization of the job that the current task executes.
log_fields: ContextVar[Mapping[str, str]] = ContextVar("log_fields", default=MappingProxyType({}))

_tracer: Any = None
_next_ids: ContextVar[tuple[int, int] | None] = ContextVar("next_ids", default=None)


def configure_tracing(exporter: Any = None) -> None:
    """Send traces to OTEL_EXPORTER_OTLP_ENDPOINT, or to the given exporter."""
    global _tracer
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
        from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
    except ImportError as error:
        raise ConfigError(
            "The setting `traces` needs the extra `otel`: pip install 'towpath[otel]'."
        ) from error

    class RunIdGenerator(RandomIdGenerator):
        """Random ids, except for the span of a run, whose ids are derived from the run id."""

        def generate_trace_id(self) -> int:
            chosen = _next_ids.get()
            return super().generate_trace_id() if chosen is None else chosen[0]

        def generate_span_id(self) -> int:
            chosen = _next_ids.get()
            return super().generate_span_id() if chosen is None else chosen[1]

    provider = TracerProvider(
        resource=Resource.create({"service.name": "towpath"}), id_generator=RunIdGenerator()
    )
    if exporter is None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    else:
        provider.add_span_processor(SimpleSpanProcessor(exporter))
    _tracer = provider.get_tracer("towpath")


def stop_tracing() -> None:
    """Send no more traces."""
    global _tracer
    _tracer = None


class StageLogFields:
    """Log records inside the context carry the ids of this job. A class, because it is entered for every job."""

    __slots__ = ("_fields", "_token")

    def __init__(self, *, run_id: str, document_id: str, org_id: str, stage: str) -> None:
        self._fields = {"run": run_id, "document": document_id, "stage": stage, "org": org_id}

    def __enter__(self) -> None:
        self._token = log_fields.set(self._fields)

    def __exit__(self, *_error: object) -> None:
        log_fields.reset(self._token)


def stage_span(
    *, run_id: str, document_id: str, org_id: str, stage: str, job_id: str, epoch: int
) -> AbstractContextManager[None]:
    """Log records and spans inside the context carry the ids of this job."""
    fields = StageLogFields(run_id=run_id, document_id=document_id, org_id=org_id, stage=stage)
    return fields if _tracer is None else _traced_stage(_tracer, fields, run_id, stage, job_id, epoch)


@contextmanager
def _traced_stage(
    tracer: Any, fields: StageLogFields, run_id: str, stage: str, job_id: str, epoch: int
) -> Generator[None]:
    from opentelemetry import trace

    trace_id, root_id = _trace_ids(run_id)
    flags = trace.TraceFlags(trace.TraceFlags.SAMPLED)
    root = trace.NonRecordingSpan(trace.SpanContext(trace_id, root_id, is_remote=True, trace_flags=flags))
    with fields:
        attributes = {**log_fields.get(), "job": job_id, "epoch": epoch}
        with tracer.start_as_current_span(stage, trace.set_span_in_context(root), attributes=attributes):
            yield


@contextmanager
def provider_call_span(provider: str, model: str) -> Generator[None]:
    """A span for one call that is sent to a provider."""
    if _tracer is None:
        yield
        return
    with _tracer.start_as_current_span(f"call {provider}", attributes={"provider": provider, "model": model}):
        yield


def record_run(run_id: str, document_id: str, outcome: str) -> None:
    """Export the span of a whole run, from its creation (the time in its UUIDv7) until now."""
    if _tracer is None:
        return
    from opentelemetry.context import Context

    ids = _next_ids.set(_trace_ids(run_id))
    try:
        created_ns = (uuid.UUID(run_id).int >> 80) * 1_000_000
        attributes = {"run": run_id, "document": document_id, "outcome": outcome}
        _tracer.start_span("run", Context(), start_time=created_ns, attributes=attributes).end(time.time_ns())
    finally:
        _next_ids.reset(ids)


def _trace_ids(run_id: str) -> tuple[int, int]:
    """The trace id and the root span id of a run."""
    number = uuid.UUID(run_id).int
    return number, (number & (1 << 64) - 1) or 1
