"""Pod sets in the form in which they are submitted, as JSON values."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from console.engine.model.amounts import amount_to_number
from console.engine.model.nodes import NodeTerm
from console.engine.model.workload import PodSet


def pod_set_fields(pod_set: PodSet) -> dict[str, Any]:
    """Return a pod set in the form of a submission; amounts are numbers in their units."""
    return {
        "name": pod_set.name,
        "count": pod_set.count,
        "min_count": pod_set.min_count,
        "requests": {name: amount_to_number(each) for name, each in pod_set.requests.items()},
        "node_selector": dict(pod_set.node_selector),
        "affinity": [_term(term) for term in pod_set.affinity],
        "tolerations": [asdict(toleration) for toleration in pod_set.tolerations],
        "group": pod_set.group,
    }


def _term(term: NodeTerm) -> dict[str, Any]:
    found: dict[str, list[dict[str, Any]]] = {"matchExpressions": []}
    for each in term:
        expressions = found.setdefault("matchFields" if each.is_field else "matchExpressions", [])
        expressions.append(
            {"key": each.key, "operator": each.operator, "values": list(each.values)}
        )
    return found
