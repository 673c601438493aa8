"""Differences between expected and actual results, one sentence for each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from console.dialects.conformance.parts import quantities
from console.dialects.quantity import format_quantity
from console.engine.model.amounts import Amount


def named(what: str, expect: Mapping[str, object], actual: Mapping[str, object]) -> Iterator[str]:
    """Compare values by name; *what* completes "NAME is not ..."."""
    for name in sorted(expect.keys() | actual.keys()):
        if name not in actual:
            yield f"{name} is not {what}, but expected to be: {expect[name]}."
        elif name not in expect:
            yield f"{name} is {what}, but not expected to be: {actual[name]}."
        elif expect[name] != actual[name]:
            yield f"{name} is {what} as {actual[name]}, but expected as {expect[name]}."


def names(what: str, expect: Iterable[str], actual: Iterable[str]) -> Iterator[str]:
    """Compare two sets of names; *what* completes "NAME is not ..."."""
    wanted, found = set(expect), set(actual)
    for name in sorted(wanted ^ found):
        if name in wanted:
            yield f"{name} is not {what}, but expected to be."
        else:
            yield f"{name} is {what}, but not expected to be."


def single(what: str, expect: object, actual: object) -> Iterator[str]:
    """Compare one value."""
    if expect != actual:
        yield f"{what} is {actual}, but expected {expect}."


def amounts(what: str, expect: Mapping[str, Amount], actual: Mapping[str, Amount]) -> Iterator[str]:
    """Compare amounts by resource; a missing one is zero."""
    for resource in sorted(expect.keys() | actual.keys()):
        yield from single(
            f"{resource} in {what}",
            format_quantity(expect.get(resource, 0), resource),
            format_quantity(actual.get(resource, 0), resource),
        )


def amounts_by_flavor(
    what: str, expect: Mapping[str, Any], actual: Mapping[str, Mapping[str, Amount]]
) -> Iterator[str]:
    """Compare quantities with amounts, by flavor and resource; a missing one is zero."""
    for flavor in sorted(expect.keys() | actual.keys()):
        yield from amounts(
            f"{what} in {flavor}", quantities(expect, flavor), actual.get(flavor, {})
        )


def unknown_parts(expect: Mapping[str, Any], known: Collection[str]) -> Iterator[str]:
    """Yield the names of expectations that are not compared, so that such a case does not pass."""
    for name in sorted(expect.keys() - set(known)):
        yield f"The case expects {name}, which is not compared."
