"""Lints of filters and preferences: unknown labels, and conditions or weights without effect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from console.dialects.findings import Findings, Place
from console.dialects.lints.codes import (
    CLUSTER_KEY_UNKNOWN,
    CLUSTER_VALUE_UNKNOWN,
    MATCHES_NO_CLUSTER,
    WEIGHT_WITHOUT_EFFECT,
)
from console.dialects.lints.placement.known_clusters import KnownClusters
from console.dialects.lints.wording import names, quoted
from console.dialects.place_finder import PlaceFinder
from console.dialects.repairs import did_you_mean
from console.engine.disciplines.placement.spec import (
    AFFINITY_PLUGIN,
    MIN_WEIGHT,
    Criterion,
    PlacementSpec,
    Rank,
)

#: Maximum number of values of one expression that are reported one by one.
_EACH: Final = 3


class _Condition(NamedTuple):
    """One label with the values that a filter or preference names."""

    key: str
    values: tuple[str, ...]
    key_place: Place
    #: In the order of *values*.
    value_places: tuple[Place, ...]


def lint_templates(
    spec: PlacementSpec, known: KnownClusters, places: PlaceFinder, findings: Findings
) -> None:
    """Report conditions of templates on labels that no known cluster has, and idle weights."""
    uses_filters = any(each.name == AFFINITY_PLUGIN for each in spec.plugins)
    for template in spec.templates.values():
        filters, preferences = template.placement.filters, template.placement.preferences
        for kind, criteria in (("Filter", filters), ("Preference", preferences)):
            for criterion in criteria:
                _lint_criterion(kind, criterion, known, places, findings)
        left = known.everyone
        if filters and uses_filters:
            left = 0
            for each in filters:
                left |= known.matching(each)
        _lint_weights(spec.rank, preferences, left, known, places, findings)


def _lint_criterion(
    kind: str, criterion: Criterion, known: KnownClusters, places: PlaceFinder, findings: Findings
) -> None:
    has_unknown = False
    for condition in _conditions(criterion, places):
        if condition.key not in known.values:
            has_unknown = True
            _report_key(condition, known, findings)
        else:
            has_unknown |= _report_values(condition, known, findings)
    # A condition on nothing that exists explains itself.
    if not has_unknown and not known.matching(criterion):
        findings.add(
            MATCHES_NO_CLUSTER,
            places.name(criterion.origin, criterion.name),
            f"{kind} {quoted(criterion.name)} is satisfied by no cluster.",
            "All of its labels and expressions have to hold for one cluster.",
        )


def _conditions(criterion: Criterion, places: PlaceFinder) -> Iterator[_Condition]:
    for key, value in criterion.labels.items():
        key_place, place = places.entry(criterion.origin, key, value)
        yield _Condition(key, (value,), key_place, (place,))
    for each in criterion.expressions:
        values = tuple(dict.fromkeys(each.values))
        value_places = tuple(places.item(each.origin, value) for value in values[: _EACH + 1])
        yield _Condition(each.key, values, places.key(each.origin, each.key), value_places)


def _report_key(condition: _Condition, known: KnownClusters, findings: Findings) -> None:
    hint, repairs = did_you_mean(findings, condition.key_place, condition.key, known.values)
    seen = f"Labels of clusters: {names(known.values)}." if known.values else ""
    findings.add(
        CLUSTER_KEY_UNKNOWN,
        condition.key_place,
        f"No cluster has the label {quoted(condition.key)}.",
        hint or seen or "Declare labels of clusters, or have them reported.",
        repairs,
    )


def _report_values(condition: _Condition, known: KnownClusters, findings: Findings) -> bool:
    """Report the values that no cluster has; return whether there is one."""
    seen = known.values[condition.key]
    unknown = [value for value in condition.values if value not in seen]
    if len(condition.values) > _EACH:
        if unknown:
            findings.add(
                CLUSTER_VALUE_UNKNOWN,
                condition.key_place,
                f"No cluster has {len(unknown)} of the {len(condition.values)} values of label "
                f"{quoted(condition.key)}: {names(unknown)}.",
                f"Values of clusters: {names(seen)}.",
            )
        return bool(unknown)
    for value, place in zip(condition.values, condition.value_places, strict=True):
        if value in seen:
            continue
        hint, repairs = did_you_mean(findings, place, value, seen)
        findings.add(
            CLUSTER_VALUE_UNKNOWN,
            place,
            f"Label {quoted(condition.key)} of no cluster is {quoted(value)}.",
            hint or f"Values of clusters: {names(seen)}.",
            repairs,
        )
    return bool(unknown)


def _lint_weights(
    rank: Rank,
    preferences: Iterable[Criterion],
    left: int,
    known: KnownClusters,
    places: PlaceFinder,
    findings: Findings,
) -> None:
    """Report preferences that change the order of none of the clusters *left*."""
    if left.bit_count() < 2:
        return
    weighted = [
        (each, known.matching(each) & left) for each in preferences if each.weight > MIN_WEIGHT
    ]
    # The sort is stable: of equal weights, the first one counts.
    weighted.sort(key=lambda each: -each[0].weight)
    larger = 0
    for place, (criterion, matching) in enumerate(weighted):
        if not known.matching(criterion):
            continue
        reason = ""
        if not matching:
            reason = "no cluster that the filters leave satisfies it"
        elif not matching & ~larger:
            reason = "all clusters that satisfy it have a weight at least as large without it"
        elif matching == left and _is_last(rank, larger, weighted[place + 1 :]):
            reason = f"all {left.bit_count():,} clusters that may be used satisfy it"
        if reason:
            findings.add(
                WEIGHT_WITHOUT_EFFECT,
                places.name(criterion.origin, criterion.name),
                f"The weight of preference {quoted(criterion.name)} has no effect: {reason}.",
                "Narrow its conditions, change its weight, or remove it.",
            )
        larger |= matching


def _is_last(rank: Rank, larger: int, smaller: list[tuple[Criterion, int]]) -> bool:
    """
    Return whether a preference that all clusters satisfy changes no order.

    It hides smaller weights. In products, it also changes the distance to *larger* ones.
    """
    if any(matching for _, matching in smaller):
        return False
    return not larger or rank is Rank.LEXICOGRAPHIC
