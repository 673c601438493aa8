"""Errors in the form of YuniKorn: its text as the message, and a sentence as the description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rest_framework.response import Response

from console.api.errors import exception_handler as api_handler
from console.errors import BadRequest, FieldError, NotFound


class Missing(NotFound):
    """An object does not exist; *original* is YuniKorn's text about that."""

    def __init__(self, original: str, message: str) -> None:
        super().__init__(message)
        self.original = original


class WrongParameter(BadRequest):
    """A part of the URL is invalid; *original* is YuniKorn's text about that."""

    def __init__(self, name: str, original: str, message: str) -> None:
        super().__init__([FieldError(name, "invalid_text", message)])
        self.original = original


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response for *error*, or None for an internal error."""
    problem = api_handler(error, context)
    if problem is None:
        return None
    sentence = _sentence(problem.data)
    body = {
        "status_code": problem.status_code,
        "message": getattr(error, "original", sentence),
        "description": sentence,
    }
    answer = Response(body, status=problem.status_code)
    for name in ("WWW-Authenticate", "Retry-After"):
        if name in problem:
            answer[name] = problem[name]
    return answer


def _sentence(problem: Mapping[str, Any]) -> str:
    messages = [each["message"] for each in problem.get("errors", ())]
    return " ".join(messages) or problem["detail"]
