"""The stored form of impact results: JSON of limited size, with the names of workloads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from heapq import nsmallest
from typing import Any

from console.engine.impact import (
    Affected,
    Doubt,
    HistoryImpact,
    HistoryOutcome,
    LiveImpact,
    ShapeImpact,
    Standing,
)
from console.engine.model.amounts import encode_amount
from console.engine.model.policy import Policy
from console.engine.routing.rule_routing import rules_of

#: Maximum number of stored shapes of each outcome, those with the most runs; others are counted.
LISTED = 500
#: Maximum number of additional shapes of each outcome and resource, with the largest requests.
LISTED_BY_RESOURCE = 100
#: Maximum number of resources for which shapes are added: those requested by the most shapes.
RESOURCES = 4


def affected_ids(live: LiveImpact) -> set[str]:
    """Return the ids of all workloads in the result: the affected ones and their preemptors."""
    listed = [each for group in live.groups.values() for each in group.first]
    preemptors = {each.preemptor for each in listed if each.preemptor is not None}
    return {each.workload for each in listed} | preemptors


def impact_to_json(
    live: LiveImpact,
    history: HistoryImpact,
    *,
    as_of: datetime,
    names: Mapping[str, str],
    before: Policy,
    after: Policy,
) -> dict[str, Any]:
    """
    Return the result: effects on live workloads and on recorded ones.

    *as_of* is the time when the live workloads were read, *names* maps `affected_ids` to names.
    Amounts are encoded with `encode_amount`; indexes of rules start at 0.
    """
    requested = [total_requests(each) for each in history.shapes]
    counts = Counter(resource for each in requested for resource in each)
    resources = sorted(resource for resource, _ in counts.most_common(RESOURCES))
    kept = _stored_shapes(history.shapes, requested, resources)
    return {
        "as_of": as_of.isoformat(),
        "live": _live(live, names),
        "history": {
            "window_days": history.window_days,
            "is_complete": history.is_complete,
            "shapes": len(history.shapes),
            "runs": history.runs,
            "outcomes": _outcomes(history.shapes),
            "listed": LISTED,
            "resources": resources,
            "rows": [_shape(each) for each in kept],
            "doubts": [_doubt(each) for each in history.doubts],
        },
        "rules": {
            "before": _rules(before, (each.before.rule for each in kept)),
            "after": _rules(
                after,
                (
                    *(each.after.rule for each in kept),
                    *(rule for doubt in history.doubts for rule in doubt.rules),
                ),
            ),
        },
    }


def _live(live: LiveImpact, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "running": live.running,
        "pending": live.pending,
        "affected": live.affected,
        "outcomes": [
            {
                "outcome": outcome.value,
                "count": group.count,
                "first": [_affected(each, names) for each in group.first],
            }
            for outcome, group in live.groups.items()
        ],
        "over": [
            {
                "queue": each.queue,
                "flavor": each.flavor,
                "resource": each.resource,
                "used": each.used,
                "nominal_before": encode_amount(each.nominal_before),
                "nominal_after": encode_amount(each.nominal_after),
            }
            for each in live.over
        ],
        "over_count": live.over_count,
    }


def _affected(each: Affected, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "id": each.workload,
        "name": names.get(each.workload, each.workload),
        "queue": each.queue,
        "to": each.to,
        "reason": each.reason,
        "losses": [loss.value for loss in each.losses],
        "preemptor": None
        if each.preemptor is None
        else {"id": each.preemptor, "name": names.get(each.preemptor, each.preemptor)},
    }


def total_requests(each: ShapeImpact) -> dict[str, int]:
    """Return the total requests of all workloads of a shape, by resource, in thousandths."""
    requests = each.shape.workload.total()
    return {resource: amount * each.shape.runs for resource, amount in requests.items()}


def _stored_shapes(
    shapes: Sequence[ShapeImpact], requested: Sequence[Mapping[str, int]], resources: Iterable[str]
) -> list[ShapeImpact]:
    """
    Return the shapes to store, in the order of *shapes*.

    These are, for each outcome, the first `LISTED` shapes and the `LISTED_BY_RESOURCE` shapes
    with the largest request of each of *resources*. *requested* has the requests of each shape.
    """
    kept: set[int] = set()
    for outcome in HistoryOutcome:
        places = [place for place, each in enumerate(shapes) if each.outcome is outcome]
        kept.update(places[:LISTED])
        for resource in resources:
            candidates = [place for place in places if resource in requested[place]]
            most = partial(_largest_request_first, requested, resource)
            kept.update(nsmallest(LISTED_BY_RESOURCE, candidates, key=most))
    return [shapes[place] for place in sorted(kept)]


def _largest_request_first(
    requested: Sequence[Mapping[str, int]], resource: str, place: int
) -> tuple[int, int]:
    """Return the sort key that puts the largest request first."""
    return -requested[place][resource], place


def _outcomes(shapes: Sequence[ShapeImpact]) -> dict[str, dict[str, int]]:
    found = {outcome.value: {"shapes": 0, "runs": 0} for outcome in HistoryOutcome}
    for each in shapes:
        found[each.outcome]["shapes"] += 1
        found[each.outcome]["runs"] += each.shape.runs
    return found


def _shape(each: ShapeImpact) -> dict[str, Any]:
    workload = each.shape.workload
    return {
        "labels": dict(workload.labels),
        "namespace": workload.namespace,
        "user": workload.user,
        "groups": list(workload.groups),
        "requested_priority": workload.priority,
        "requests": workload.total(),
        "runs": each.shape.runs,
        "last_seen": each.shape.last_seen,
        "outcome": each.outcome.value,
        "before": _standing(each.before),
        "after": _standing(each.after),
        "doubts": [{"kind": kind.value, "key": key} for kind, key in each.doubts],
    }


def _standing(standing: Standing) -> dict[str, Any]:
    return {
        "queue": standing.queue,
        "rule": standing.rule,
        "priority": standing.priority,
        "fit": standing.fit.value,
        "reason": standing.reason,
    }


def _doubt(doubt: Doubt) -> dict[str, Any]:
    return {
        "kind": doubt.kind.value,
        "key": doubt.key,
        "rules": list(doubt.rules),
        "flavors": list(doubt.flavors),
        "shapes": doubt.shapes,
        "runs": doubt.runs,
    }


def _rules(policy: Policy, indexes: Iterable[int | None]) -> dict[str, list[int]]:
    """Return first and last line of the rules *indexes*, by index as text, where known."""
    wanted = {index for index in indexes if index is not None}
    return {
        str(rule.index): [rule.origin.line, rule.origin.end_line]
        for rule in rules_of(policy)
        if rule.index in wanted and rule.origin is not None
    }
