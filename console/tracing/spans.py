"""Spans: the tracer of a process, and `span` and `note`, which do nothing when tracing is off."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from threading import Lock
from typing import TYPE_CHECKING

from django.conf import settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

    Fact = str | int | float | bool

_NO_SPAN: AbstractContextManager[object] = nullcontext()

#: Provider and tracer by process id: the exporting thread does not survive a fork, so every process
#: needs its own.
_providers: dict[int, tuple[TracerProvider, Tracer]] = {}
_providers_lock = Lock()


def span(name: str, **facts: Fact) -> AbstractContextManager[object]:
    """Return a context manager of a span with *facts* as attributes, prefixed with `sluice.`."""
    if not settings.TRACING:
        return _NO_SPAN
    return tracer().start_as_current_span(name, attributes=prefixed(facts))


def note(**facts: Fact) -> None:
    """Add *facts* to the current span, prefixed with `sluice.`."""
    if settings.TRACING:
        from opentelemetry.trace import get_current_span  # noqa: PLC0415

        get_current_span().set_attributes(prefixed(facts))


def prefixed(facts: dict[str, Fact]) -> dict[str, Fact]:
    """Return *facts* with the prefix `sluice.`, which no other instrumentation uses."""
    return {f"sluice.{name}": value for name, value in facts.items()}


def tracer() -> Tracer:
    """Return the tracer of this process."""
    pid = os.getpid()
    if pid not in _providers:
        with _providers_lock:
            if pid not in _providers:
                provider = _provider()
                _providers[pid] = provider, provider.get_tracer("sluice")
    return _providers[pid][1]


def flush() -> None:
    """Export the remaining spans of this process."""
    if os.getpid() in _providers:
        _providers[os.getpid()][0].force_flush()


def _provider() -> TracerProvider:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: PLC0415
        OTLPSpanExporter,
    )
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    # The SDK reads endpoint, headers, sampler and sizes from the environment.
    provider = TracerProvider(
        resource=Resource.create({} if _is_named() else {"service.name": "sluice"})
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


def _is_named() -> bool:
    given = os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    return "OTEL_SERVICE_NAME" in os.environ or "service.name=" in given
