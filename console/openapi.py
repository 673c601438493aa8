"""The OpenAPI document of the API, which its schema address serves and its reference pages show."""

from __future__ import annotations

from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator


@cache
def document() -> dict[str, Any]:
    """
    Return the document, in the structure of OpenAPI 3.0.

    It is the same for all requests, and generating it takes a second, so each process does that
    once. Callers must not change it.
    """
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    found: dict[str, Any] = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return found
