"""Comparable texts of assignments and reasons, from an expectation and from an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from console.dialects.conformance.differences import named
from console.dialects.conformance.parts import choice, objects_in, part, quantity
from console.dialects.kueue.conformance.answers import FlavorReason, ReasonCode
from console.dialects.kueue.conformance.objects import read_taint
from console.dialects.quantity import format_quantity
from console.engine.model.amounts import Amount
from console.engine.model.decision import Assignment, PodSetAssignment

_AMOUNTS = ("missing", "assumed", "requested", "capacity")
_CODES = {code.value: code for code in ReasonCode}


def assignment_phrase(pod_sets: Iterable[PodSetAssignment]) -> str:
    """
    Return pod sets with their numbers of pods and flavors as a text, sorted.

    >>> assignment_phrase([PodSetAssignment(name="main", count=2, flavors={"cpu": "spot"})])
    'main x 2 (cpu in spot)'
    """
    phrases = []
    for each in pod_sets:
        flavors = ", ".join(f"{name} in {flavor}" for name, flavor in sorted(each.flavors.items()))
        phrases.append(f"{each.name} x {each.count} ({flavors or 'no flavors'})")
    return ", ".join(sorted(phrases))


def expected_assignment(written: Mapping[str, Any], name: str) -> str:
    """Return the text of the list of pod sets *name*."""
    return assignment_phrase(
        PodSetAssignment(
            name=part(each, "pod_set", str),
            count=part(each, "count", int),
            flavors=part(each, "flavors", dict),
        )
        for each in objects_in(written, name)
    )


def reasons_phrase(reasons: Iterable[FlavorReason]) -> str:
    """
    Return reasons as a text, sorted; duplicates are kept.

    >>> reasons_phrase([FlavorReason(code=ReasonCode.FLAVOR_MISSING, flavor="spot")])
    'FlavorMissing (flavor spot)'
    """
    return "; ".join(sorted(_reason_phrase(each) for each in reasons)) or "no reasons"


def expected_reasons(written: Mapping[str, Any], name: str) -> str:
    """Return the text of the list of reasons *name*."""
    return reasons_phrase(_reason(each) for each in objects_in(written, name))


def _reason(written: Mapping[str, Any]) -> FlavorReason:
    resource = part(written, "resource", str, "")
    amounts: dict[str, Amount] = {
        name: quantity(written, name, resource) for name in _AMOUNTS if name in written
    }
    return FlavorReason(
        code=choice(written, "code", _CODES, ""),
        flavor=part(written, "flavor", str, "") or None,
        resource=resource or None,
        taint=read_taint(part(written, "taint", dict)) if "taint" in written else None,
        **amounts,
    )


def _reason_phrase(reason: FlavorReason) -> str:
    said = [
        f"{name} {value}"
        for name, value in (("flavor", reason.flavor), ("resource", reason.resource))
        if value is not None
    ]
    for name in _AMOUNTS:
        amount = getattr(reason, name)
        if amount is not None:
            said.append(f"{name} {format_quantity(amount, reason.resource or '')}")
    if reason.taint is not None:
        taint = reason.taint
        said.append(f"taint {taint.key}={taint.value}:{taint.effect}")
    return f"{reason.code} ({', '.join(said)})"


def admitted(expect: Mapping[str, Any], actual: Mapping[str, Assignment]) -> Iterator[str]:
    """Compare the admitted workloads and their assignments."""
    wanted = part(expect, "admitted", dict)
    yield from named(
        "admitted",
        {name: expected_assignment(wanted, name) for name in wanted},
        {name: assignment_phrase(each) for name, each in actual.items()},
    )
