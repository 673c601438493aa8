"""A config text as requests carry it, and the answer to one with errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import OpenApiResponse

from console.api.schemas.common import PROBLEM_TYPE
from console.api.schemas.configs import RejectedProblem
from console.api.views.configs import LONGEST_TEXT
from console.dialects import default_dialect
from console.reading import Reader

#: The response of an endpoint that only takes a text without errors.
REJECTED = {
    (422, PROBLEM_TYPE): OpenApiResponse(RejectedProblem, description="The text has errors.")
}


def read_config(reader: Reader, fields: Mapping[str, Any]) -> tuple[str, str]:
    """Return the fields ``dialect``, which may be absent, and ``text``."""
    dialect = fields.get("dialect")
    return (
        default_dialect().name
        if dialect is None
        else reader.text(dialect, "dialect", 50, blank=False),
        reader.source(fields["text"], "text", LONGEST_TEXT) if "text" in fields else "",
    )
