"""Criteria and placements as plain values, in the fields of a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from console.engine.disciplines.placement.spec import Criterion, Placement


def conditions_to_plain(criterion: Criterion) -> dict[str, Any]:
    """Return the conditions of a filter or preference; absent ones are omitted."""
    found: dict[str, Any] = {}
    if criterion.labels:
        found["match_labels"] = dict(criterion.labels)
    if criterion.expressions:
        found["match_expressions"] = [
            {"key": each.key, "operator": each.operator.value, "values": list(each.values)}
            for each in criterion.expressions
        ]
    return found


def placement_to_plain(placement: Placement) -> dict[str, Any]:
    """Return a placement as a workload carries it; empty lists are omitted."""
    found: dict[str, Any] = {}
    if placement.filters:
        found["filters"] = _named(placement.filters)
    if placement.preferences:
        found["preferences"] = [
            {**each, "weight": preference.weight}
            for each, preference in zip(
                _named(placement.preferences), placement.preferences, strict=True
            )
        ]
    return found


def _named(criteria: Iterable[Criterion]) -> list[dict[str, Any]]:
    return [{"name": each.name, **conditions_to_plain(each)} for each in criteria]
