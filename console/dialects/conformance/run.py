"""Run one case of a vector file with the runner of its language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

from console.dialects import dialects
from console.dialects.conformance.parts import MalformedCase
from console.dialects.conformance.result import Result, Verdict

#: (name, case, engine under test, or None for the engine of the product) -> result.
Runner: TypeAlias = Callable[[str, Mapping[str, Any], Any], Result]

#: A case without a type -> its type; None if it is a case of another language.
KindOf: TypeAlias = Callable[[Mapping[str, Any]], str | None]


def run_case(case: Mapping[str, Any], engine: object | None = None) -> Result:
    """
    Run one case of a vector file, with *engine* instead of the product's engine if it is given.

    Raises MalformedCase if the case cannot be run as written.
    """
    name, kind = case.get("id"), case.get("type") or _kind(case)
    if not isinstance(name, str) or not isinstance(kind, str):
        raise MalformedCase("a case needs an id and a type")
    runner = _runners().get(kind)
    if runner is None:
        sentence = f"cases of type {kind} are not supported by this version."
        return Result(name, Verdict.NOT_SUPPORTED, (sentence,))
    return runner(name, case, engine)


def _kind(case: Mapping[str, Any]) -> str | None:
    """Return the type of a case that states none, as the language with such cases knows it."""
    return next((found for kind_of in _kinds() if (found := kind_of(case)) is not None), None)


@cache
def _runners() -> dict[str, Runner]:
    """Return the runners of all languages that have cases, by type of case."""
    found: dict[str, Runner] = {}
    for module in _modules():
        found |= module.RUNNERS
    return found


@cache
def _kinds() -> tuple[KindOf, ...]:
    """Return the functions that recognize cases without a type."""
    return tuple(module.kind_of for module in _modules() if hasattr(module, "kind_of"))


def _modules() -> Iterator[Any]:
    for dialect in dialects().values():
        module = f"{dialect.read.__module__}.conformance"
        if find_spec(module) is not None:
            yield import_module(module)
