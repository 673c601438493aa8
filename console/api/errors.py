"""Exception handler of the API: turns exceptions into ``application/problem+json`` (RFC 9457)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import structlog
from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, TooManyFieldsSent
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from console.api.answers.configs import codes_url, findings_answer, version_answers
from console.api.body import PayloadTooLarge
from console.configs.errors import ConfigRejected, ConsequencesNotAccepted, StaleVersion
from console.errors import BadRequest, ConsoleError, FieldError, NotFound, Renamed, RetryLater
from console.workloads.read_manifest import ManifestRejected

CONTENT_TYPE = "application/problem+json"

#: Prefixes of the SQLite error names for a database that cannot be used at the moment.
_SQLITE = (
    *("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN"),
    "SQLITE_READONLY",
)

#: SQLSTATE codes of PostgreSQL for a database that cannot be used at the moment, of exceptions
#: other than OperationalError: a transaction that was idle too long, and a read-only server.
_SQLSTATES = ("25P03", "25006")

log = structlog.get_logger("console.api")


class DatabaseUnavailable(RetryLater):
    """The database does not answer or cannot write. Its own message goes to the log only."""

    status = 503
    title = "The database cannot be used at the moment"

    def __init__(self) -> None:
        super().__init__(
            "database_unavailable",
            "The database does not answer, or its disk is full. Repeat the request in a few "
            "seconds; with an Idempotency-Key, workloads are not submitted twice. GET /readyz "
            "shows the cause.",
            seconds=5,
        )


#: HTTP errors raised by the framework: exception -> (code, title).
_FRAMEWORK: dict[type[exceptions.APIException], tuple[str, str]] = {
    exceptions.NotAuthenticated: ("not_authenticated", "Credentials are missing"),
    exceptions.AuthenticationFailed: ("invalid_token", "The token is not valid"),
    exceptions.PermissionDenied: ("csrf_failed", "The CSRF token is missing or wrong"),
    exceptions.MethodNotAllowed: ("method_not_allowed", "The method is not allowed"),
    exceptions.UnsupportedMediaType: ("unsupported_media_type", "Unsupported content type"),
    exceptions.ParseError: ("invalid_json", "The body is not JSON"),
}


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the problem for *error*, or None for an internal error."""
    match error:
        case RequestDataTooBig():
            error = PayloadTooLarge()
        case TooManyFieldsSent():
            message = f"A URL has at most {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS} parameters."
            error = BadRequest([FieldError("", "wrong_length", message)])
        case Http404():
            error = NotFound("This URL does not exist.")
        case PermissionDenied():
            error = exceptions.PermissionDenied()
        case DatabaseError() | InterfaceError() if _is_unavailable(error):
            log.error("database unavailable", error=str(error).strip(), exc_info=error)
            error = DatabaseUnavailable()
    if isinstance(error, ConsoleError):
        return _console_problem(error, context)
    if isinstance(error, exceptions.APIException):
        return _framework_problem(error)
    return None


def _is_unavailable(error: Exception) -> bool:
    """Return whether the database failed, rather than the statement."""
    cause = error.__cause__
    # SQLite raises the same exception for a missing table and for a full disk; the error names
    # differ.
    name = getattr(cause, "sqlite_errorname", None)
    if name is not None:
        return bool(name.startswith(_SQLITE))
    if getattr(cause, "sqlstate", None) in _SQLSTATES:
        return True
    return isinstance(error, (OperationalError, InterfaceError))


def _console_problem(error: ConsoleError, context: dict[str, Any]) -> Response:
    more: dict[str, Any] = {}
    match error:
        case BadRequest():
            more["errors"] = [
                {"path": e.path, "code": e.code, "message": e.message} for e in error.errors
            ]
        case Renamed():
            more["renamed_to"] = error.new
        case ConfigRejected():
            # Only views that have an actor read configs.
            url = codes_url(context["request"], context["view"].actor.org)
            more |= findings_answer(error.reading.diagnostics, url)
        case ManifestRejected():
            url = codes_url(context["request"], context["view"].actor.org)
            more |= findings_answer(error.findings, url)
        case ConsequencesNotAccepted():
            more["consequences"] = [
                {"code": each.code, "message": each.message, "level": int(each.level)}
                for each in error.consequences
            ]
            more["missing"] = list(error.missing)
        case StaleVersion():
            more["expected_version"] = error.expected
            more["active_version"] = error.active
            org = context["view"].actor.org
            more["newer"] = version_answers(org, error.newer, active=error.active)
    response = _problem(error.status, error.code, error.title, error.message, more)
    if isinstance(error, RetryLater):
        response["Retry-After"] = str(error.seconds)
    return response


def _framework_problem(error: exceptions.APIException) -> Response:
    fallback = (str(error.default_code), HTTPStatus(error.status_code).phrase)
    code, title = _FRAMEWORK.get(type(error), fallback)
    response = _problem(error.status_code, code, title, str(error.detail), {})
    if challenge := getattr(error, "auth_header", None):
        response["WWW-Authenticate"] = challenge
    return response


def _problem(status: int, code: str, title: str, detail: str, more: dict[str, Any]) -> Response:
    body = {
        "type": f"urn:sluice:problem:{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        **more,
    }
    return Response(body, status=status, content_type=CONTENT_TYPE)
