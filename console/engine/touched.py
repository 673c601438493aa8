"""What was touched: the queues and classes whose rows have to be written besides decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from console.engine.ledger import FlavorResource
from console.engine.pending import PendingClass
from console.engine.tree import QueueState


@dataclass(slots=True)
class Changes:
    """What rows have to be written besides decisions, since the last time somebody asked."""

    queues: set[str] = field(default_factory=set)
    #: (queue, class key)
    classes: set[tuple[str, str]] = field(default_factory=set)

    def measure(self, queues: Mapping[str, QueueState]) -> None:
        """
        Measure anew what every class lacks in the trees of queues that changed.

        Whoever starts makes that larger without looking at the class.
        """
        trees = {queues[name].tree for name in self.queues}
        for tree in trees:
            for queue in tree.queues:
                for cls in queue.line.classes.values():
                    missing = _missing(queue, cls)
                    if missing != cls.missing:
                        cls.missing = missing
                        self.classes.add((queue.name, cls.key))


def _missing(queue: QueueState, cls: PendingClass) -> dict[FlavorResource, int]:
    if cls.verdict is None:
        return {}
    short = {}
    for key, amount in cls.verdict.asks.items():
        available = queue.node.available(key)
        if isinstance(available, int) and amount > available:
            short[key] = amount - max(0, available)
    return short
