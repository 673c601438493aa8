"""A reference model of placement, which compares every node for every job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from console.engine.disciplines.placement.spec import Rank
from console.engine.model.inventory import Inventory
from console.engine.model.workload import Workload

#: (cluster, node, number of replicas), in the order of placement.
Places: TypeAlias = list[tuple[str, str, int]]

#: Accelerators in worlds: of any model, and of two models.
DEVICES: Final = ("gpus", "A100", "T4")

#: (cluster, node) -> amounts in thousandths by resource.
Free: TypeAlias = dict[tuple[str, str], dict[str, int]]


def free_capacity(
    inventory: Inventory, running: Sequence[tuple[Workload, Places]], *, reserves: bool
) -> Free:
    """Return what the nodes of *inventory* offer, without the requests of *running* jobs."""
    free = {
        (cluster.name, node.name): dict(node.offered)
        for cluster in inventory.clusters.values()
        for node in cluster.nodes
        if node.is_ready
    }
    for workload, places in running if reserves else ():
        for cluster, node, count in places:
            left = free.get((cluster, node))
            if left is not None:
                _take(_need(workload), left, count)
    return free


def place(workload: Workload, inventory: Inventory, free: Free, rank: Rank) -> Places | None:
    """Return where *workload*, which has one pod set, goes; None: not all replicas fit."""
    (pods,) = workload.pod_sets
    need = _need(workload)
    kept = [
        (cluster, _weight(workload.placement, cluster.labels), _score(cluster.name, free))
        for cluster in inventory.clusters.values()
        if cluster.is_ready
        and _is_allowed(workload.placement, cluster.labels)
        and any(name == cluster.name and _fits(need, left) for (name, _), left in free.items())
    ]
    if rank is Rank.PRODUCT:
        kept.sort(key=lambda each: -each[1] * each[2])
    else:
        kept.sort(key=lambda each: (-each[1], -each[2]))
    trial = {key: dict(left) for key, left in free.items()}
    places: Places = []
    missing = pods.count
    for cluster, _, _ in kept:
        for (name, node), left in trial.items():
            here = 0
            while name == cluster.name and missing and _fits(need, left):
                _take(need, left, 1)
                here, missing = here + 1, missing - 1
            if here:
                places.append((name, node, here))
    return None if missing else places


def _need(workload: Workload) -> dict[str, int]:
    """Return the request of one replica, with accelerators of any model as ``gpus``."""
    (pods,) = workload.pod_sets
    return {
        "gpus" if resource == "nvidia.com/gpu" else resource: amount
        for resource, amount in pods.requests.items()
        if amount
    }


def _fits(need: Mapping[str, int], left: Mapping[str, int]) -> bool:
    wanted = sum(need.get(each, 0) for each in DEVICES)
    return wanted <= max(0, sum(left.get(each, 0) for each in DEVICES)) and all(
        resource in left and left[resource] >= amount
        for resource, amount in need.items()
        if resource != "gpus"
    )


def _take(need: Mapping[str, int], left: dict[str, int], count: int) -> None:
    for resource, amount in need.items():
        if resource in left or resource == "gpus":
            left[resource] = left.get(resource, 0) - amount * count


def _score(cluster: str, free: Free) -> int:
    return sum(
        left.get("cpu", 0) + 10 * sum(left.get(each, 0) for each in DEVICES)
        for (name, _), left in free.items()
        if name == cluster
    )


def _is_allowed(placement: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    filters = (placement or {}).get("filters", ())
    return not filters or any(_holds(each, labels) for each in filters)


def _weight(placement: Mapping[str, Any] | None, labels: Mapping[str, str]) -> int:
    preferences = (placement or {}).get("preferences", ())
    return max((each["weight"] for each in preferences if _holds(each, labels)), default=1)


def _holds(criterion: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    for each in criterion.get("match_expressions", ()):
        if (labels.get(each["key"]) in each["values"]) is (each["operator"] == "NotIn"):
            return False
    return criterion.get("match_labels", {}).items() <= labels.items()
