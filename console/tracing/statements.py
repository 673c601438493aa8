"""Spans of database statements, inside a recording span."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from opentelemetry.trace import SpanKind, get_current_span

from console.tracing.spans import tracer

#: The most characters of a statement in a span.
_LONGEST = 1000


def connect() -> None:
    """Trace the statements of every connection that this process opens from now on."""
    connection_created.connect(_add_wrapper)


def _add_wrapper(connection: BaseDatabaseWrapper, **_: Any) -> None:
    # The same wrapper reopens its connection many times.
    if _traced not in connection.execute_wrappers:
        connection.execute_wrappers.append(_traced)


def _traced(
    execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
) -> Any:
    if not get_current_span().is_recording():
        return execute(sql, params, many, context)
    # Without parameters, which are user data.
    facts = {"db.system.name": context["connection"].vendor, "db.query.text": sql[:_LONGEST]}
    verb = sql.lstrip("( \n").split(None, 1)[0].upper()
    with tracer().start_as_current_span(verb, kind=SpanKind.CLIENT, attributes=facts):
        return execute(sql, params, many, context)
