"""The queues of a partition, with queues in which workloads run and that its config lacks."""

from __future__ import annotations

from collections.abc import Iterable

from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.spec import ROOT, HierarchySpec
from console.engine.disciplines.hierarchy.tree import RuntimeTree


def place_of(spec: HierarchySpec, queue: str) -> tuple[str, str] | None:
    """
    Return the partition and the path of a queue.

    None: the config has no such partition, or the queue is one of an earlier config in another
    language, which has no place in a tree.
    """
    partition, path = spec.split(queue)
    path = path.lower()
    if partition is None or not path.startswith(f"{ROOT}."):
        return None
    return partition.name, path


def tree_with(
    spec: HierarchySpec, partition: str, queues: Iterable[str]
) -> tuple[RuntimeTree, frozenset[str]]:
    """
    Return the tree of a partition with *queues*, some of which the config lacks.

    The second value has the paths of those that no rule creates: they drain.
    """
    created: list[str] = []
    gone: list[str] = []
    for each in queues:
        place = place_of(spec, each)
        if place is not None and place[0] == partition and each not in spec.queues:
            if spec.created_queue(each) is None:
                gone.append(place[1])
            else:
                created.append(each)
    tree = RuntimeTree.build(spec, partition, created)
    draining = frozenset(change.queue.path for each in gone for change in tree.restore(each))
    return tree, draining


def accounts_of(tree: RuntimeTree) -> dict[str, QueueUsage]:
    """Return an account of the usage of each queue by path, each after the one above it."""
    found: dict[str, QueueUsage] = {}
    for queue in tree.queues.values():
        parent = None if queue.parent is None else found[queue.parent.path]
        found[queue.path] = QueueUsage(queue, parent)
    return found
