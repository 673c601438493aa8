"""Cases from YuniKorn's own core: their runners, which compare its outcomes with those here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.dialects.yunikorn.conformance import (
    acl,
    placement,
    scheduling,
    templates,
    validation,
)
from console.dialects.yunikorn.conformance.runner import PREFIX, Runner

#: Type of a case -> its runner.
RUNNERS: Final[dict[str, Runner]] = {
    **validation.RUNNERS,
    **acl.RUNNERS,
    **placement.RUNNERS,
    **templates.RUNNERS,
    **scheduling.RUNNERS,
}


def kind_of(case: Mapping[str, Any]) -> str | None:
    """
    Return the type of a case, which the beginning of its id states; None if it is no such case.

    >>> kind_of({"id": "validation-006", "config": "", "expect": {}})
    'yunikorn_validation'
    """
    name = case.get("id")
    if not isinstance(name, str) or not isinstance(case.get("config"), str):
        return None
    return PREFIX + name.rpartition("-")[0]
