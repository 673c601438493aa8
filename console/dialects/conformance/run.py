"""Run one case of a vector file, whatever its type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.dialects.conformance.engine_under_test import EngineUnderTest
from console.dialects.conformance.native import run_native
from console.dialects.conformance.result import Result, Verdict


def run_case(case: Mapping[str, Any], engine: EngineUnderTest | None = None) -> Result:
    """
    Run one case of a vector file.

    Raises ValueError with one sentence when it is not a case at all.
    """
    name, kind = case.get("id"), case.get("type")
    if not isinstance(name, str) or not isinstance(kind, str):
        raise ValueError("a case needs an id and a type")
    if kind == "native":
        return run_native(name, case)
    sentence = f"cases of type {kind} are not supported by this version."
    return Result(name, Verdict.NOT_SUPPORTED, (sentence,))
