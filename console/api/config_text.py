"""A config text as requests carry it, and the answer to one with errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from drf_spectacular.utils import OpenApiResponse

from console.api.schemas.common import PROBLEM_TYPE
from console.api.schemas.configs import RejectedProblem
from console.dialects import default_dialect
from console.reading import Reader

#: Characters of a text; a larger one is refused before it is read.
LONGEST_TEXT: Final = 4_000_000

#: The response of an endpoint that only takes a text without errors.
REJECTED = {
    (422, PROBLEM_TYPE): OpenApiResponse(RejectedProblem, description="The text has errors.")
}


def read_config(reader: Reader, fields: Mapping[str, Any]) -> tuple[str, str]:
    """Return the fields ``dialect``, the default one when absent or null, and ``text``."""
    dialect = fields.get("dialect")
    if dialect is None:
        dialect = default_dialect().name
    return (
        reader.text(dialect, "dialect", 50, blank=False),
        reader.source(fields["text"], "text", LONGEST_TEXT) if "text" in fields else "",
    )
