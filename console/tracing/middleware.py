"""Middleware that traces requests, and continues the trace of the client."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse
from opentelemetry.propagate import extract
from opentelemetry.trace import Span, SpanKind, StatusCode, format_trace_id

from console.logs import UNLOGGED
from console.tracing.spans import prefixed, tracer

#: Methods that may be part of a span name; clients can send arbitrary ones.
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

#: Values bound to the request's log lines that become attributes of its span.
_LOG_KEYS = ("request_id", "org", "workload")


class TraceMiddleware:
    """Traces every request except health checks; has to follow the request log directly."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Trace the request, and bind the trace id to its log lines."""
        if request.path in UNLOGGED:
            return self.get_response(request)
        method = request.method if request.method in _METHODS else "HTTP"
        with tracer().start_as_current_span(
            str(method), extract(request.headers), SpanKind.SERVER
        ) as span:
            trace_id = format_trace_id(span.get_span_context().trace_id)
            structlog.contextvars.bind_contextvars(trace_id=trace_id)
            response = self.get_response(request)
            _set_attributes(span, str(method), request, response)
        return response


def _set_attributes(span: Span, method: str, request: HttpRequest, response: HttpResponse) -> None:
    span.set_attribute("http.request.method", method)
    span.set_attribute("http.response.status_code", response.status_code)
    match = request.resolver_match
    if match is not None:
        # The path itself may contain a secret, and would create too many span names.
        route = f"/{match.route}"
        span.update_name(f"{method} {route}")
        span.set_attribute("http.route", route)
    bound = structlog.contextvars.get_contextvars()
    span.set_attributes(prefixed({name: bound[name] for name in _LOG_KEYS if name in bound}))
    if response.status_code >= 500:
        span.set_status(StatusCode.ERROR)
