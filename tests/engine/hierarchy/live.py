"""Live states of the discipline for tests: policies, nodes and workloads in whole cores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from console.dialects.yunikorn.routing import PlacementRouting
from console.engine.disciplines.hierarchy.spec import (
    AccessList,
    Compatibility,
    HierarchyQueue,
    HierarchySpec,
    Limit,
    Partition,
    PlacementRule,
)
from console.engine.model.amounts import SCALE
from console.engine.model.inventory import Cluster, Inventory, Node
from console.engine.model.nodes import NAME_FIELD, NodeExpression, NodeOperator
from console.engine.model.policy import Policy
from console.engine.model.workload import PodSet, Workload
from tests.engine.hierarchy.builders import rule, spec

ALL_USERS = AccessList(is_all_users=True)


def policy(
    queues: Mapping[str, Mapping[str, Any]],
    *,
    rules: Iterable[PlacementRule] = (rule("provided"),),
    compatibility: Compatibility | None = None,
    **partition: Any,
) -> Policy:
    """
    Return a policy of queues by path below the root, with amounts in cores.

    All users may submit to every queue.
    """
    root: Mapping[str, Any] = {"is_leaf": False, "submit": ALL_USERS}
    below = {f"root.{path}": _queue(**fields) for path, fields in queues.items()}
    made = spec({"root": root, **below}, rules=tuple(rules), compatibility=compatibility)
    stated = Partition(rules=tuple(rules), **partition)
    made = HierarchySpec(
        partitions={"default": stated}, queues=made.queues, compatibility=made.compatibility
    )
    return Policy(dialect="yunikorn", spec=made, routing=PlacementRouting(spec=made))


def _queue(
    guaranteed: int | None = None, maximum: int | None = None, **fields: Any
) -> dict[str, Any]:
    return {"guaranteed": cores(guaranteed), "maximum": cores(maximum), **fields}


def cores(number: int | None) -> dict[str, int] | None:
    """Return an amount of cores in the unit of queues; None: no amount."""
    return None if number is None else {"vcore": number * SCALE}


def limit(
    *,
    users: Iterable[str] = (),
    groups: Iterable[str] = (),
    maximum: int | None = None,
    applications: int = 0,
) -> Limit:
    """Return a limit in cores, and of applications."""
    return Limit(
        users=tuple(users),
        groups=tuple(groups),
        resources=cores(maximum),
        applications=applications,
    )


def inventory(*sizes: int) -> Inventory:
    """Return a cluster with nodes of so many cores."""
    nodes = (Node(name=f"n{n}", offered={"cpu": size * SCALE}) for n, size in enumerate(sizes))
    return Inventory(clusters={"c": Cluster(name="c", nodes=tuple(nodes))})


def workload(
    name: str,
    sequence: int,
    queue: str,
    *,
    cpu: int = 1,
    count: int = 1,
    min_count: int | None = None,
    user: str = "ann",
    node: str = "",
    other_node: str = "",
    **fields: Any,
) -> Workload:
    """
    Return a workload of *count* pods with *cpu* cores each, submitted to a queue by path.

    With *node*, they name the only node on which they may run; with *other_node*, the only one on
    which they may not.
    """
    operator = NodeOperator.IN if node else NodeOperator.NOT_IN
    on_node = NodeExpression(NAME_FIELD, operator, (node or other_node,), is_field=True)
    return Workload(
        id=name,
        sequence=sequence,
        labels={"queue": f"root.{queue}"} if queue else {},
        user=user,
        pod_sets=(
            PodSet(
                count=count,
                min_count=min_count,
                requests={"cpu": cpu * SCALE},
                affinity=((on_node,),) if node or other_node else (),
            ),
        ),
        **fields,
    )


def queue_of(policy: Policy, name: str) -> HierarchyQueue:
    """Return a queue of a policy, or one that a rule creates."""
    found = policy.queue(name)
    assert isinstance(found, HierarchyQueue)
    return found
