"""Structured logs: one event per line, as text or JSON, with request id, task and organization."""

from __future__ import annotations

import io
import logging
import re
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Final, TextIO

import structlog
from django.http import HttpRequest, HttpResponse

from console.engine.wording.characters import CONTROLS, DIRECTIONS, LINE_ENDS

#: Request ids that are accepted from a proxy: they need no escaping in a log line.
_SANE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

#: Paths whose requests are not logged: machines poll them, and a failed check logs its own line.
UNLOGGED = ("/healthz", "/readyz", "/metrics")

#: Parameter of a URL -> key in all log lines of the request.
_NAMED = {"org": "org", "uid": "workload", "delivery": "delivery"}

#: Maximum number of workloads in one line.
MOST_NAMED: Final = 20

#: The link of an invitation, which contains its secret.
_LINK = re.compile(r"(/(?:join|unsubscribe|confirm)/)[^\s?\"']+")

#: Characters that end a line, control a terminal, or change the direction of text.
_UNPRINTABLE = re.compile(f"[\n{CONTROLS}{LINE_ENDS}{DIRECTIONS}\ud800-\udfff]")

_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def configure(log_format: str) -> dict[str, Any]:
    """
    Configure structlog, and return the settings of the standard library's logging.

    Both use the same formatter, so that lines of Django and Celery have the same form as those of
    Sluice. *log_format* is "console" or "json". On a console, successful requests and batches are
    not logged, because open pages poll every few seconds.
    """
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.processors.StackInfoRenderer(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    renderers: list[Any]
    if log_format == "json":
        renderers = [
            structlog.processors.format_exc_info,
            without_secrets,
            structlog.processors.JSONRenderer(),
        ]
    else:
        renderers = [
            without_secrets,
            as_one_line,
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=indented_traceback),
        ]
    quiet = "WARNING" if log_format == "console" else "INFO"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *renderers,
                ],
            }
        },
        "filters": {"exceptions": {"()": OnlyExceptions}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            "console.requests": {"level": quiet},
            "console.engine": {"level": quiet},
            # gunicorn's own handler would write lines in another form.
            "gunicorn.error": {"handlers": [], "propagate": True},
            # waitress logs every request that waits for a thread, which is normal under load.
            "waitress.queue": {"level": "ERROR"},
            # Lines without an exception repeat those of console.requests.
            "django.request": {"filters": ["exceptions"]},
            # One line for every task is too much: the sweep runs every two seconds.
            "celery.app.trace": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING"},
        },
    }


def workload_fields(uids: Iterable[str]) -> dict[str, object]:
    """
    Return the log fields for workloads: the first ids without duplicates, and the number of others.

    The limit `MOST_NAMED` keeps the line readable.
    """
    each = list(dict.fromkeys(uids))
    named = each[:MOST_NAMED]
    return {"workloads": named, "more_workloads": len(each) - len(named)}


def bind_workloads(uids: Iterable[str]) -> None:
    """Add the workloads to all further log lines of this request, including its summary line."""
    structlog.contextvars.bind_contextvars(**workload_fields(uids))


def without_secrets(logger: object, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Log processor: remove secrets of invitations from all texts of an event."""
    return {
        name: _hidden(value) if isinstance(value, str) else value for name, value in event.items()
    }


def _hidden(text: str) -> str:
    return _LINK.sub(r"\1…", text)


def as_one_line(logger: object, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Log processor: escape line ends and terminal control characters in texts of an event."""
    return {
        name: _printable(value) if isinstance(value, str) else value
        for name, value in event.items()
    }


def indented_traceback(
    out: TextIO, failure: tuple[type[BaseException], BaseException, TracebackType | None]
) -> None:
    """Write an indented traceback, so that no text of the exception can imitate a log line."""
    written = io.StringIO()
    structlog.dev.plain_traceback(written, failure)
    # Some programs also start a line at a carriage return or another control character.
    for line in written.getvalue().split("\n"):
        out.write(f"\n  {_printable(_hidden(line))}" if line else "")


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


class OnlyExceptions(logging.Filter):
    """Logging filter that keeps only lines with a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether *record* has a traceback."""
        return bool(record.exc_info)


class RequestLogMiddleware:
    """Middleware that binds a request id to all log lines, and logs each response."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.log = structlog.get_logger("console.requests")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Log the request, and return its response with the id in X-Request-ID."""
        given = request.headers.get("X-Request-ID", "")
        request_id = given if _SANE_ID.fullmatch(given) else uuid.uuid4().hex
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        begun = time.perf_counter()
        response = self.get_response(request)
        response.headers["X-Request-ID"] = request_id
        if request.path in UNLOGGED:
            return response
        status = response.status_code
        level = "error" if status >= 500 else "warning" if status >= 400 else "info"
        getattr(self.log, level)(
            "request",
            method=request.method,
            path=_hidden(request.path),
            status=status,
            milliseconds=round((time.perf_counter() - begun) * 1000, 1),
        )
        return response

    def process_view(
        self, request: HttpRequest, view: object, args: object, kwargs: Mapping[str, object]
    ) -> None:
        """Bind the objects of the URL to log lines, whether they exist or not."""
        named = {key: str(kwargs[name]) for name, key in _NAMED.items() if name in kwargs}
        structlog.contextvars.bind_contextvars(**named)
