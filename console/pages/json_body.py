"""JSON bodies of requests from the editor's script: readers that raise errors with a field."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest

from console.errors import BadRequest, FieldError


def read_json(request: HttpRequest) -> dict[str, Any]:
    """Return the JSON object in the body; raise BadRequest if the body is not one."""
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise BadRequest([FieldError("", "invalid_json", "The body is not valid JSON.")]) from error
    if not isinstance(body, dict):
        raise BadRequest([FieldError("", "wrong_type", "The body must be an object.")])
    return body


def text_of(body: dict[str, Any], name: str) -> str:
    """Return the string *name* of the body; raise BadRequest if it is missing or not a string."""
    value = body.get(name)
    if not isinstance(value, str):
        raise BadRequest([FieldError(name, "wrong_type", f"{name} must be a string.")])
    return value


def integer_of(body: dict[str, Any], name: str) -> int:
    """Return the integer *name* of the body; raise BadRequest if it is missing or not one."""
    value = body.get(name)
    if type(value) is not int:
        raise BadRequest([FieldError(name, "wrong_type", f"{name} must be a number.")])
    return value


def read_place(body: dict[str, Any]) -> tuple[int, int]:
    """Return line and column in the body, counted from 1; raise BadRequest if they are invalid."""
    line, column = integer_of(body, "line"), integer_of(body, "column")
    if line < 1 or column < 1:
        raise BadRequest([FieldError("line", "out_of_range", "line and column count from 1.")])
    return line, column
