"""Short ways to write specs of hierarchical queues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from console.engine.disciplines.hierarchy.placement import Application
from console.engine.disciplines.hierarchy.spec import (
    AccessList,
    Compatibility,
    HierarchyQueue,
    HierarchySpec,
    Partition,
    PlacementRule,
    RuleKind,
)
from console.engine.disciplines.hierarchy.tree import RuntimeTree

ALL_USERS = AccessList(is_all_users=True)


def users(*names: str) -> AccessList:
    """Return the access of these users."""
    return AccessList(users=frozenset(names))


def spec(
    queues: Mapping[str, Mapping[str, Any]],
    *,
    rules: Sequence[PlacementRule] = (),
    compatibility: Compatibility | None = None,
    partition: str = "default",
) -> HierarchySpec:
    """Return a spec of queues by path; those without others below and ``is_leaf`` are leaves."""
    stated = Partition(name=partition, rules=tuple(rules))
    found = {}
    for path, fields in queues.items():
        above = path.rpartition(".")[0]
        has_children = any(other.startswith(f"{path}.") for other in queues)
        values = {"is_leaf": not has_children and path != "root", "spelling": path, **fields}
        found[stated.full_name(path)] = HierarchyQueue(
            name=stated.full_name(path),
            parent=stated.full_name(above) if above else None,
            partition=partition,
            **values,
        )
    return HierarchySpec(
        partitions={partition: stated},
        queues=found,
        compatibility=compatibility or Compatibility(),
    )


def tree(
    queues: Mapping[str, Mapping[str, Any]], compatibility: Compatibility | None = None
) -> RuntimeTree:
    """Return the tree of queues by path."""
    return RuntimeTree.build(spec(queues, compatibility=compatibility))


def rule(kind: str, value: str = "", **fields: Any) -> PlacementRule:
    """Return a placement rule."""
    return PlacementRule(kind=RuleKind(kind), value=value, **fields)


def application(queue: str = "", user: str = "ann", **fields: Any) -> Application:
    """Return an application of a user whose group has the user's name."""
    return Application(**{"id": "app", "groups": (user,)} | fields, queue=queue, user=user)
