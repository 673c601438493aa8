"""Config texts in requests, and the error response for an invalid text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from drf_spectacular.utils import OpenApiResponse

from console.api.schemas.common import PROBLEM_TYPE
from console.api.schemas.configs import RejectedProblem
from console.dialects import default_dialect
from console.reading import Reader

#: Maximum number of characters of a text; longer texts are rejected before they are parsed.
LONGEST_TEXT: Final = 4_000_000

#: The response of endpoints that require a text without errors.
REJECTED = {
    (422, PROBLEM_TYPE): OpenApiResponse(RejectedProblem, description="The text has errors.")
}


def read_config(reader: Reader, fields: Mapping[str, Any]) -> tuple[str, str]:
    """Return the fields ``dialect`` (the default one if absent or null) and ``text``."""
    dialect = fields.get("dialect")
    if dialect is None:
        dialect = default_dialect().name
    return (
        reader.text(dialect, "dialect", 50, blank=False),
        reader.source(fields["text"], "text", LONGEST_TEXT) if "text" in fields else "",
    )
