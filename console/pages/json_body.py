"""The JSON that the editor's script sends: read, or refused with the field that is wrong."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest

from console.errors import BadRequest, FieldError


def read_json(request: HttpRequest) -> dict[str, Any]:
    """Return the object in the body; raises BadRequest when there is none."""
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise BadRequest([FieldError("", "invalid_json", "The body is not valid JSON.")]) from error
    if not isinstance(body, dict):
        raise BadRequest([FieldError("", "wrong_type", "The body must be an object.")])
    return body


def text_of(body: dict[str, Any], name: str) -> str:
    """Return the text *name* of the body; raises BadRequest when it is none."""
    value = body.get(name)
    if not isinstance(value, str):
        raise BadRequest([FieldError(name, "wrong_type", f"{name} must be a string.")])
    return value


def integer_of(body: dict[str, Any], name: str) -> int:
    """Return the whole number *name* of the body; raises BadRequest when it is none."""
    value = body.get(name)
    if type(value) is not int:
        raise BadRequest([FieldError(name, "wrong_type", f"{name} must be a number.")])
    return value


def read_place(body: dict[str, Any]) -> tuple[int, int]:
    """Return the line and the column of the body, which count from 1; raises BadRequest."""
    line, column = integer_of(body, "line"), integer_of(body, "column")
    if line < 1 or column < 1:
        raise BadRequest([FieldError("line", "out_of_range", "line and column count from 1.")])
    return line, column
