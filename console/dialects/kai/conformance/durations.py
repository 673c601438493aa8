"""Cases of durations in arguments of plugins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.dialects.conformance.differences import single
from console.dialects.conformance.parts import part
from console.dialects.conformance.result import Result, judged
from console.dialects.kai.conformance.runner import Runner
from console.dialects.kai.durations import read_plugin_duration


def _run_duration(name: str, case: Mapping[str, Any], engine: object) -> Result:
    milliseconds = read_plugin_duration(part(case, "text", str))
    found: dict[str, object] = {"accepted": milliseconds is not None}
    if milliseconds is not None:
        found["seconds"] = milliseconds / 1000
    return judged(name, tuple(single("the duration", part(case, "expect", dict), found)))


RUNNERS: Final[dict[str, Runner]] = {"kai_duration": _run_duration}
