"""
Error responses for the client, which prints only the text at ``error.detail``.

Therefore the text has a line for every invalid field and every diagnostic of a config.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rest_framework.response import Response

from console.api.errors import exception_handler as api_handler

#: Maximum number of lines in one text.
_LISTED = 20


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the response for *error*, or None for an internal error."""
    problem = api_handler(error, context)
    if problem is None:
        return None
    body = {"code": problem.data["code"], "detail": _detail(problem.data)}
    findings = {
        name: problem.data[name] for name in ("diagnostics", "lints") if name in problem.data
    }
    answer = Response({"error": {**body, **findings}}, status=problem.status_code)
    for name in ("WWW-Authenticate", "Retry-After"):
        if name in problem:
            answer[name] = problem[name]
    return answer


def _detail(problem: Mapping[str, Any]) -> str:
    lines = list(_lines(problem))
    # Diagnostics are preceded by the problem's detail, which has their number; fields are not.
    head = [] if problem.get("errors") else [problem["detail"]]
    more = [f"... and {len(lines) - _LISTED} more."] if len(lines) > _LISTED else []
    return "\n".join([*head, *lines[:_LISTED], *more])


def _lines(problem: Mapping[str, Any]) -> Iterator[str]:
    for each in problem.get("errors", ()):
        yield f"{each['path']}: {each['message']}" if each["path"] else each["message"]
    for each in problem.get("diagnostics", ()):
        place = f"{each['path']}: " if each["path"] else ""
        hint = f" {each['hint']}" if each["hint"] else ""
        yield f"{place}{each['message']}{hint} ({each['code']})"
