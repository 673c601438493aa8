"""Cases of texts of configs: YuniKorn's first message, or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.dialects.conformance.differences import single, unknown_parts
from console.dialects.conformance.parts import part
from console.dialects.conformance.result import Result, judged
from console.dialects.yunikorn.conformance.runner import PREFIX, Runner
from console.dialects.yunikorn.validator import validator_message

_EXPECTED: Final = ("valid", "error", "load_error")


def _run(name: str, case: Mapping[str, Any], engine: object) -> Result:
    expect = part(case, "expect", dict)
    error, load_error = validator_message(part(case, "config", str))
    differences = (
        *single("valid", expect.get("valid"), error is None),
        *single("the message of the check", expect.get("error"), error),
        *single("the message of the start", expect.get("load_error"), load_error),
        *unknown_parts(expect, _EXPECTED),
    )
    return judged(name, differences)


RUNNERS: Final[dict[str, Runner]] = {f"{PREFIX}validation": _run}
