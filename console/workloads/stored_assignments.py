"""Assignments as rows keep them: one object per pod set, in the order of the workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from console.engine.decision import Assignment, PodSetAssignment, merged_flavors


def encode_assignment(assignment: Assignment) -> list[dict[str, Any]]:
    """
    Return *assignment* as it is stored.

    >>> encode_assignment((PodSetAssignment(name="main", count=1, flavors={"gpu": "spot"}),))
    [{'name': 'main', 'count': 1, 'flavors': {'gpu': 'spot'}}]
    """
    return [
        {"name": each.name, "count": each.count, "flavors": dict(each.flavors)}
        for each in assignment
    ]


def decode_assignment(stored: Sequence[Mapping[str, Any]]) -> Assignment:
    """Return what `encode_assignment` wrote."""
    return tuple(
        PodSetAssignment(name=each["name"], count=each["count"], flavors=each["flavors"])
        for each in stored
    )


def stored_flavors(stored: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the flavor of each resource on which all pod sets of a stored assignment agree."""
    return merged_flavors(decode_assignment(stored))
