"""Spans of tasks, which continue the trace of the request that sent the task."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import structlog
from celery.signals import (
    before_task_publish,
    task_failure,
    task_postrun,
    task_prerun,
    worker_process_shutdown,
)
from opentelemetry.propagate import extract, inject
from opentelemetry.trace import Span, SpanKind, StatusCode, format_trace_id, get_current_span

from console.tracing.spans import flush, tracer

#: The message headers of a trace.
_TRACE_HEADERS = ("traceparent", "tracestate")

#: Spans of the tasks that run in this process, by task id.
_open: dict[str, AbstractContextManager[Span]] = {}


def connect() -> None:
    """Trace the tasks that this process sends and runs."""
    before_task_publish.connect(_inject_trace)
    task_prerun.connect(_begin)
    task_failure.connect(_fail)
    task_postrun.connect(_end)
    worker_process_shutdown.connect(_flush_spans)


def _inject_trace(headers: dict[str, Any], **_: Any) -> None:
    # Messages sent by a task concern other work: one trace would otherwise connect all tasks.
    if not _open:
        inject(headers)


def _begin(task_id: str, task: Any, **_: Any) -> None:
    carried = {name: getattr(task.request, name, None) for name in _TRACE_HEADERS}
    context = extract({name: value for name, value in carried.items() if value})
    opened = tracer().start_as_current_span(task.name, context, SpanKind.CONSUMER)
    span = opened.__enter__()
    _open[task_id] = opened
    trace_id = format_trace_id(span.get_span_context().trace_id)
    structlog.contextvars.bind_contextvars(trace_id=trace_id)


def _fail(exception: BaseException, **_: Any) -> None:
    span = get_current_span()
    span.record_exception(exception)
    span.set_status(StatusCode.ERROR)


def _end(task_id: str, **_: Any) -> None:
    opened = _open.pop(task_id, None)
    if opened is not None:
        opened.__exit__(None, None, None)


def _flush_spans(**_: Any) -> None:
    flush()
