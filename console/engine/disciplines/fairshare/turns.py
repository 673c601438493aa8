"""Which queue of the tree gets the next turn, and which one loses the next workload."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from console.engine.disciplines.fairshare.queue_order import Contender, compare
from console.engine.disciplines.fairshare.resources import NOTHING, Amounts, plus
from console.engine.disciplines.fairshare.spec import FairQueue
from console.engine.disciplines.fairshare.standing import Standing
from console.engine.disciplines.fairshare.tree import QueueTree


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """
    The order of the queues without children, as all queues stand now.

    At each level of the tree the first of those siblings is taken that have a workload below
    them. A queue with children competes with the workload that is first among these.
    """

    tree: QueueTree[FairQueue]
    #: Of all members of the tree.
    standings: Mapping[str, Standing]
    #: The capacity of the cluster.
    total: Amounts

    def next(self, requests: Mapping[str, Amounts]) -> str | None:
        """
        Return the queue that gets the next turn; None if no queue has a workload.

        *requests* has what the first workload of each queue with workloads would start with.
        """

        def contender(queue: str, leaf: str) -> Contender:
            return Contender(standing=self.standings[queue], request=requests[leaf])

        return self._pick(requests.keys(), contender, is_last=False)

    def next_victim(
        self, candidates: Mapping[str, Amounts], taken: Mapping[str, Amounts]
    ) -> str | None:
        """
        Return the queue that loses the next workload: the one that would get its turn last.

        *candidates* has what the first victim of each queue with victims uses, *taken* what
        earlier victims used. None if no queue has a victim.
        """

        def contender(queue: str, leaf: str) -> Contender:
            released = plus(taken.get(leaf, NOTHING), candidates[leaf])
            return Contender(standing=self.standings[queue], released=released)

        return self._pick(candidates.keys(), contender, is_last=True)

    def _pick(
        self,
        holders: Collection[str],
        contender: Callable[[str, str], Contender],
        *,
        is_last: bool,
    ) -> str | None:
        """Return the first or the last of *holders*, comparing siblings from the leaves up."""
        leaves: dict[str, str] = {}

        def best(siblings: Iterable[str]) -> str | None:
            # The rule about what queues may use is a partial order, so that the result could
            # depend on the order of the comparisons: they start with the oldest queue.
            found: Contender | None = None
            for each in sorted((name for name in siblings if name in leaves), key=self._age):
                other = contender(each, leaves[each])
                if found is None or compare(found, other, self.total).is_left_first == is_last:
                    found = other
            return leaves[found.standing.name] if found is not None else None

        for name in reversed(self.tree.members):
            children = self.tree.children(name)
            leaf = best(children) if children else name if name in holders else None
            if leaf is not None:
                leaves[name] = leaf
        return best(self.tree.roots)

    def _age(self, name: str) -> tuple[int, str]:
        return self.tree.queues[name].created, name
