"""Answers while the database is temporarily unavailable: 503 with a time to retry."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, InterfaceError, InternalError, OperationalError

from console.api.errors import exception_handler
from console.api.views import workloads as views

PROBLEM = {
    "type": "urn:sluice:problem:database_unavailable",
    "title": "The database cannot be used at the moment",
    "status": 503,
    "detail": "The database does not answer, or its disk is full. Repeat the request in a few "
    "seconds; with an Idempotency-Key, workloads are not submitted twice. GET /readyz shows the "
    "cause.",
    "code": "database_unavailable",
}


def caused(kind: type[Exception], message: str, **facts: str) -> Exception:
    """Return a Django error whose cause is a driver error with the attributes *facts*."""
    error = kind(message)
    error.__cause__ = Exception(message)
    for name, value in facts.items():
        setattr(error.__cause__, name, value)
    return error


UNAVAILABLE = [
    OperationalError("the connection is closed"),
    InterfaceError("closed"),
    caused(OperationalError, "database or disk is full", sqlite_errorname="SQLITE_FULL"),
    caused(OperationalError, "disk I/O error", sqlite_errorname="SQLITE_IOERR_WRITE"),
    caused(InternalError, "idle for too long", sqlstate="25P03"),
]


@pytest.mark.parametrize(
    "failure",
    [
        caused(OperationalError, "no such table: x", sqlite_errorname="SQLITE_ERROR"),
        caused(InternalError, "cache lookup failed", sqlstate="XX000"),
        IntegrityError("twice"),
    ],
)
def test_other_errors_are_not_reported_as_unavailable(failure: Exception) -> None:
    assert exception_handler(failure, {}) is None


@pytest.mark.parametrize("failure", UNAVAILABLE)
def test_an_unavailable_database_answers_503_with_retry_after(
    api: Any,
    owner: Any,
    failure: Exception,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    client = api(owner)

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(views, "list_workloads", fail)
    answer = client.get("workloads")
    assert (answer.status, answer.body) == (503, PROBLEM)
    assert answer.headers["Retry-After"] == "5"
    # The message of the database is logged for operators only.
    assert str(failure) in caplog.text
