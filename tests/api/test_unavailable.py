"""A database that cannot be used at the moment is no fault of the request, nor of the product."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import InterfaceError, OperationalError

from console.api.views import workloads as views

PROBLEM = {
    "type": "urn:sluice:problem:database_unavailable",
    "title": "The database cannot be used at the moment",
    "status": 503,
    "detail": "The database does not answer, or its disk is full. Send the request again in a few "
    "seconds; with an Idempotency-Key, workloads are not submitted twice. GET /readyz says what "
    "is wrong.",
    "code": "database_unavailable",
}


@pytest.mark.parametrize(
    "failure", [OperationalError("database or disk is full"), InterfaceError("closed")]
)
def test_it_says_when_to_come_again(
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
    # What the database says itself is for those who run it.
    assert str(failure) in caplog.text
