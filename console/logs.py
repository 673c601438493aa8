"""Structured logs: one event per line, for a person or as JSON, with what it belongs to."""

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

#: An id from a proxy is kept when it can stand in a log line as it is.
_SANE_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")

#: Asked every few seconds by machines; a failing check logs a line of its own.
UNLOGGED = ("/healthz", "/readyz", "/metrics")

#: What an address names -> the key of all log lines while it is answered.
_NAMED = {"org": "org", "uid": "workload", "delivery": "delivery"}

#: Workloads that one line names.
MOST_NAMED: Final = 20

#: The address of an invitation holds its secret, wherever a line has it.
_LINK = re.compile(r"(/join/)[^\s?\"']+")

#: What ends a line, moves the cursor of a terminal, or turns the direction of its text.
_UNPRINTABLE = re.compile(f"[\n{CONTROLS}{LINE_ENDS}{DIRECTIONS}\ud800-\udfff]")

_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def configure(log_format: str) -> dict[str, Any]:
    """
    Set structlog up and return the settings for the standard library's logging.

    Both end in the same formatter, so that Django's and Celery's lines look like
    ours. *log_format* is "console" or "json". On a console, requests and batches that
    went well are not logged: open pages ask every few seconds.
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
            # The web server's own handler writes lines of another form.
            "gunicorn.error": {"handlers": [], "propagate": True},
            # It says for each request that one waits for a thread, as they do under load.
            "waitress.queue": {"level": "ERROR"},
            # Without an exception its lines repeat those of console.requests.
            "django.request": {"filters": ["exceptions"]},
            # One line for every task would drown the rest: the sweep runs every two seconds.
            "celery.app.trace": {"level": "WARNING"},
            "celery.worker.strategy": {"level": "WARNING"},
            "celery.beat": {"level": "WARNING"},
        },
    }


def naming(uids: Iterable[str]) -> dict[str, object]:
    """
    Return what a line says of workloads, by their ids in this order, each of which counts once.

    It names the first, and says how many more there are: a line stays one that can be read.
    """
    each = list(dict.fromkeys(uids))
    named = each[:MOST_NAMED]
    return {"workloads": named, "more_workloads": len(each) - len(named)}


def bind_workloads(uids: Iterable[str]) -> None:
    """Have the lines of a request from now on, its own among them, name what it is about."""
    structlog.contextvars.bind_contextvars(**naming(uids))


def without_secrets(logger: object, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Have no text of an event tell the secret of an invitation."""
    return {
        name: _hidden(value) if isinstance(value, str) else value for name, value in event.items()
    }


def _hidden(text: str) -> str:
    return _LINK.sub(r"\1…", text)


def as_one_line(logger: object, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Have no text of an event end its line or reach the terminal as a command."""
    return {
        name: _printable(value) if isinstance(value, str) else value
        for name, value in event.items()
    }


def indented_traceback(
    out: TextIO, failure: tuple[type[BaseException], BaseException, TracebackType | None]
) -> None:
    """Write a traceback whose lines, whatever its exception says, none takes for one of the log."""
    written = io.StringIO()
    structlog.dev.plain_traceback(written, failure)
    # Carriage returns and the like would begin a line for some readers as well.
    for line in written.getvalue().split("\n"):
        out.write(f"\n  {_printable(_hidden(line))}" if line else "")


def _printable(text: str) -> str:
    return _UNPRINTABLE.sub(lambda found: ascii(found[0])[1:-1], text)


class OnlyExceptions(logging.Filter):
    """Keeps the lines that come with a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether there is a traceback."""
        return bool(record.exc_info)


class RequestLogMiddleware:
    """Gives every request an id, binds it to all log lines, and logs how it was answered."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.log = structlog.get_logger("console.requests")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Log the request; the answer's X-Request-ID tells its id."""
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
        """Bind what the address names, before anything is known to exist."""
        named = {key: str(kwargs[name]) for name, key in _NAMED.items() if name in kwargs}
        structlog.contextvars.bind_contextvars(**named)
