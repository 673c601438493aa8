"""
Pod sets in database rows: JSON in one canonical form, without default values.

A plain request is one pod set called ``main`` with one pod and without node constraints. It is
stored as an empty list, because the row has its requests anyway.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from console.engine.model.nodes import NodeExpression, NodeOperator, NodeTerm, Toleration
from console.engine.model.workload import PodSet


def encode_pod_sets(pod_sets: Sequence[PodSet]) -> list[dict[str, Any]]:
    """
    Return *pod_sets* in their stored form; amounts are per pod, in thousandths.

    >>> encode_pod_sets([PodSet(requests={"cpu": 500})])
    []
    >>> encode_pod_sets([PodSet(name="workers", count=4, requests={"cpu": 500})])
    [{'name': 'workers', 'count': 4, 'requests': {'cpu': 500}}]
    """
    if len(pod_sets) == 1 and _is_plain(pod_sets[0]):
        return []
    return [_encode(pod_set) for pod_set in pod_sets]


def decode_pod_sets(
    stored: Sequence[Mapping[str, Any]], requests: Mapping[str, int]
) -> tuple[PodSet, ...]:
    """Return the pod sets of a value of `encode_pod_sets`; *requests* are the workload's totals."""
    if not stored:
        return (PodSet(requests=requests),)
    return tuple(map(_decode, stored))


def _is_plain(pod_set: PodSet) -> bool:
    # A request of zero matters: the workload still gets a flavor for that resource.
    return pod_set == PodSet(requests=pod_set.requests) and all(pod_set.requests.values())


def _encode(pod_set: PodSet) -> dict[str, Any]:
    wishes = {
        "min_count": pod_set.min_count,
        "node_selector": dict(pod_set.node_selector),
        "affinity": [[_encode_expression(each) for each in term] for term in pod_set.affinity],
        "tolerations": [_encode_toleration(each) for each in pod_set.tolerations],
        "group": pod_set.group,
    }
    return {
        "name": pod_set.name,
        "count": pod_set.count,
        "requests": dict(pod_set.requests),
        **{name: wish for name, wish in wishes.items() if wish},
    }


def _encode_expression(expression: NodeExpression) -> list[Any]:
    stored = [expression.key, expression.operator.value, list(expression.values)]
    return [*stored, expression.is_field] if expression.is_field else stored


def _encode_toleration(toleration: Toleration) -> list[str]:
    return [toleration.key, toleration.operator, toleration.value, toleration.effect]


def _decode(stored: Mapping[str, Any]) -> PodSet:
    return PodSet(
        name=stored["name"],
        count=stored["count"],
        min_count=stored.get("min_count"),
        requests=stored["requests"],
        node_selector=stored.get("node_selector", {}),
        affinity=tuple(map(_decode_term, stored.get("affinity", ()))),
        tolerations=tuple(Toleration(*each) for each in stored.get("tolerations", ())),
        group=stored.get("group"),
    )


def _decode_term(stored: Sequence[Sequence[Any]]) -> NodeTerm:
    return tuple(
        NodeExpression(key, NodeOperator(operator), tuple(values), *is_field)
        for key, operator, values, *is_field in stored
    )
