"""Dirty set: the queues, pending classes and nodes whose rows have to be written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from console.engine.live.live_tree import AnyQueue
from console.engine.live.node_usage import NodeKey
from console.engine.model.amounts import FlavorResource
from console.engine.pending.pending_class import PendingClass


@dataclass(slots=True)
class DirtySet:
    """The queues, classes and nodes that changed since the last call of `take_changes`."""

    queues: set[str] = field(default_factory=set)
    #: (queue, class key)
    classes: set[tuple[str, str]] = field(default_factory=set)
    #: Nodes with other usage.
    nodes: set[NodeKey] = field(default_factory=set)

    def measure(self, queues: Mapping[str, AnyQueue]) -> None:
        """
        Recompute the shortage of every class in the trees of queues that changed.

        An admission increases the shortage of other classes without evaluating them.
        """
        trees = {queues[name].tree for name in self.queues}
        for tree in trees:
            for queue in tree.queues:
                for cls in queue.pending.classes.values():
                    missing = _missing(queue, cls)
                    if missing != cls.missing:
                        cls.missing = missing
                        self.classes.add((queue.name, cls.key))


def _missing(queue: AnyQueue, cls: PendingClass) -> dict[FlavorResource, int]:
    if cls.verdict is None:
        return {}
    short = {}
    for key, amount in cls.verdict.usage.items():
        available = queue.account.available(key)
        if isinstance(available, int) and amount > available:
            short[key] = amount - max(0, available)
    return short
