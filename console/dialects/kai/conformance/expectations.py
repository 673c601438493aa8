"""Comparisons of results with what a case expects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isclose
from typing import Any

from console.dialects.conformance.differences import single, unknown_parts
from console.dialects.conformance.parts import part
from console.dialects.conformance.result import Result, judged
from console.dialects.kai.conformance.case_values import as_numbers
from console.engine.disciplines.fairshare.resources import Amounts


def same_amounts(what: str, expect: Mapping[str, float], found: Amounts) -> Iterator[str]:
    """Compare the resources that are expected."""
    numbers = as_numbers(found)
    for resource, value in expect.items():
        if not isclose(value, numbers[resource], rel_tol=1e-9):
            yield from single(f"{resource} in {what}", value, numbers[resource])


def expect_allowed(name: str, case: Mapping[str, Any], *, is_allowed: bool) -> Result:
    """Compare a case that expects a decision."""
    return expect_single(name, part(case, "expect", dict), "allowed", is_allowed)


def expect_single(name: str, expect: Mapping[str, Any], what: str, found: object) -> Result:
    """Compare a case that expects one value."""
    return judged(name, (*unknown_parts(expect, (what,)), *single(what, expect.get(what), found)))
