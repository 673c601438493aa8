"""The span of a request, which goes on with the trace of whoever sent it."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse
from opentelemetry.propagate import extract
from opentelemetry.trace import Span, SpanKind, StatusCode, format_trace_id

from console.logs import UNLOGGED
from console.tracing.spans import prefixed, tracer

#: A method that somebody made up names no span.
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

#: What log lines of the request are bound to, and its span tells too.
_LOG_KEYS = ("request_id", "org", "workload")


class TraceMiddleware:
    """Traces every request but health checks; stands right behind the request log."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Trace the request; log lines name the trace."""
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
        # The address itself may hold a secret, and names too many spans.
        route = f"/{match.route}"
        span.update_name(f"{method} {route}")
        span.set_attribute("http.route", route)
    bound = structlog.contextvars.get_contextvars()
    span.set_attributes(prefixed({name: bound[name] for name in _LOG_KEYS if name in bound}))
    if response.status_code >= 500:
        span.set_status(StatusCode.ERROR)
