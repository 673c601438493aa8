"""The tree of queues and of the cohorts that contain them, with sums at every node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from console.engine.disciplines.read_model import Capacity
from console.engine.model.amounts import Amount
from console.engine.model.capacity_node import CapacityNode
from console.workloads.queries.pressure import Pressure, utilization_of
from console.workloads.queries.queues import QueueView


@dataclass(slots=True, eq=False, kw_only=True)
class TreeNode:
    """
    A queue, or a cohort that is no queue, with the sums of all queues below it.

    The sums do not depend on filters. A queue that contains others is not counted itself in
    *queue_count*, and its *used* amounts contain those below it, as its discipline states them.
    """

    name: str
    #: None for a cohort that is no queue.
    view: QueueView | None
    #: 0 for a node without a parent.
    depth: int
    parent: TreeNode | None
    #: Its own capacity nodes by flavor-resource.
    usages: tuple[CapacityNode, ...] = ()
    #: In the order of the text, queues before the cohorts beside them.
    children: list[TreeNode] = field(default_factory=list)
    #: Number of queues without queues below them; 1 for such a queue.
    queue_count: int = 0
    running: int = 0
    pending: int = 0
    #: Number of pending workloads that can never run under the active config.
    cannot_run: int = 0
    #: Submission time of the pending workload that was submitted first.
    oldest_pending: datetime | None = None
    #: The highest pressure of a queue.
    pressure: Pressure = field(default_factory=Pressure)
    #: Amounts over all flavors by resource. The quota of a cohort is its own and that of its
    #: members; the demand of any node is that of all workloads below it.
    sums: Mapping[str, CapacityNode] = field(default_factory=dict)

    @property
    def utilization(self) -> float:
        """The largest ratio of usage to nominal quota of a resource."""
        return utilization_of(self.sums.values())

    def walk(self) -> Iterator[TreeNode]:
        """Yield the node and all nodes below it, each before its children."""
        yield self
        for child in self.children:
            yield from child.walk()


def forest_of(views: Iterable[QueueView], capacity: Capacity) -> tuple[TreeNode, ...]:
    """Return the trees of *views*, whose usage was read from *capacity*."""
    listed = {view.name: view for view in views}
    usages = {name: view.usages for name, view in listed.items()}
    tree = capacity.tree
    parents = set(tree.names)
    placed: dict[str, TreeNode] = {}

    def node_of(name: str, above: TreeNode | None, *, is_parent: bool) -> TreeNode:
        # A cohort may have the name of a queue that is not above others.
        is_queue = not is_parent or name in capacity.policy.queues
        node = TreeNode(
            name=name,
            view=listed.get(name) if is_queue else None,
            depth=0 if above is None else above.depth + 1,
            parent=above,
        )
        if is_parent:
            node.children = [
                *(node_of(each, node, is_parent=False) for each in tree.queues(name)),
                *(node_of(each, node, is_parent=True) for each in tree.cohorts(name)),
            ]
        node.usages = node.view.usages if node.view else ()
        if is_parent and node.view is None:
            node.usages = capacity.cohort_nodes(name, usages)
        if node.view is not None:
            placed[name] = node
        return node

    roots = [node_of(name, None, is_parent=True) for name in tree.roots]
    for name, view in listed.items():
        if name in placed:
            continue
        # Queues that a placement rule created are below the nearest queue in the config.
        above = placed.get(view.cohort) if view.cohort in parents and view.cohort else None
        node = TreeNode(
            name=name,
            view=view,
            depth=0 if above is None else above.depth + 1,
            parent=above,
            usages=view.usages,
        )
        placed[name] = node
        (roots if above is None else above.children).append(node)
    for root in roots:
        _add_up(root)
    return tuple(roots)


def _add_up(node: TreeNode) -> None:
    """Set the sums of *node* and of all nodes below it."""
    for child in node.children:
        _add_up(child)
    if (view := node.view) is not None:
        node.queue_count = 0 if node.children else 1
        node.running, node.pending, node.cannot_run = view.running, view.pending, view.cannot_run
        node.oldest_pending, node.pressure = view.oldest_pending, view.pressure
    for child in node.children:
        node.queue_count += child.queue_count
        node.running += child.running
        node.pending += child.pending
        node.cannot_run += child.cannot_run
        if child.oldest_pending is not None:
            node.oldest_pending = min(
                child.oldest_pending, node.oldest_pending or child.oldest_pending
            )
        if child.pending and child.pressure.rank > node.pressure.rank:
            node.pressure = child.pressure
    node.sums = _sums_of(node)


def _sums_of(node: TreeNode) -> dict[str, CapacityNode]:
    own = _by_resource(node.usages)
    below = _by_resource(each for child in node.children for each in child.sums.values())
    if not node.children:
        return own
    found: dict[str, CapacityNode] = {}
    for resource in dict.fromkeys((*own, *below)):
        mine, others = own.get(resource), below.get(resource)
        if mine is None or others is None:
            found[resource] = below[resource] if mine is None else mine
        elif node.view is not None:
            # A queue states its own amounts, which include what the queues below it use.
            found[resource] = replace(
                mine,
                demand=mine.demand + others.demand,
                cannot_run_demand=mine.cannot_run_demand + others.cannot_run_demand,
            )
        else:
            # A pool lacks what its members do not lend; the sum has all quota and usage.
            owned = _total(_owned(each) for each in node.usages if each.resource == resource)
            found[resource] = replace(
                mine,
                guaranteed=others.guaranteed + owned,
                used=others.used,
                demand=others.demand,
                cannot_run_demand=others.cannot_run_demand,
            )
    return found


def _by_resource(nodes: Iterable[CapacityNode]) -> dict[str, CapacityNode]:
    """Return the sums of *nodes* over their flavors, by resource."""
    groups: dict[str, list[CapacityNode]] = {}
    for each in nodes:
        groups.setdefault(each.resource, []).append(each)
    # There may be thousands of queues, of which most have one flavor.
    return {
        resource: same[0]
        if len(same) == 1
        else replace(
            same[0],
            flavor="",
            extras={},
            guaranteed=_total(each.guaranteed for each in same),
            limit=_total(each.limit for each in same),
            used=sum(each.used for each in same),
            entitled=_total(each.entitled for each in same),
            demand=sum(each.demand for each in same),
            cannot_run_demand=sum(each.cannot_run_demand for each in same),
        )
        for resource, same in groups.items()
    }


def _owned(pool: CapacityNode) -> Amount:
    """Return the quota of a cohort itself, without that of its members."""
    return pool.extras.get("owned", 0)


def _total(amounts: Iterable[Amount]) -> Amount:
    total: Amount = 0
    for each in amounts:
        total = total + each
    return total
