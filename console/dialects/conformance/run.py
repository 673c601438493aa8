"""Run one case of a vector file with the runner of its language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

from console.dialects import dialects
from console.dialects.conformance.parts import MalformedCase
from console.dialects.conformance.result import Result, Verdict

#: (name, case, engine under test, or None for the engine of the product) -> result.
Runner: TypeAlias = Callable[[str, Mapping[str, Any], Any], Result]


def run_case(case: Mapping[str, Any], engine: object | None = None) -> Result:
    """
    Run one case of a vector file, with *engine* instead of the product's engine if it is given.

    Raises MalformedCase if the case cannot be run as written.
    """
    name, kind = case.get("id"), case.get("type")
    if not isinstance(name, str) or not isinstance(kind, str):
        raise MalformedCase("a case needs an id and a type")
    runner = _runners().get(kind)
    if runner is None:
        sentence = f"cases of type {kind} are not supported by this version."
        return Result(name, Verdict.NOT_SUPPORTED, (sentence,))
    return runner(name, case, engine)


@cache
def _runners() -> dict[str, Runner]:
    """Return the runners of all languages that have cases, by type of case."""
    found: dict[str, Runner] = {}
    for dialect in dialects().values():
        module = f"{dialect.read.__module__}.conformance"
        if find_spec(module) is not None:
            found |= import_module(module).RUNNERS
    return found
