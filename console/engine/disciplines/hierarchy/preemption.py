"""
Preemption by guarantees: pods of queues above their guarantee stop for asks of queues below it.

The steps and their order are those of YuniKorn's preemptor. All changes are made on a copy of the
usage of queues, and the caller marks the victims.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from console.engine.disciplines.hierarchy.applications import (
    Allocation,
    Applications,
    Ask,
    Message,
    NodeUsage,
)
from console.engine.disciplines.hierarchy.nodes import Nodes
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.resources import (
    NOTHING,
    Resources,
    fits_exactly,
    fits_strictly,
    least,
    least_of_first,
    minus,
    plus,
    remaining,
)
from console.engine.disciplines.hierarchy.spec import Compatibility

#: The rank of a node on which no victim is needed.
_NO_VICTIM: Final = -1


class Preemption(NamedTuple):
    """The pods that stop, and the node on which the ask gets their room."""

    node: NodeUsage
    victims: tuple[Allocation, ...]


def find_victims(
    ask: Ask,
    applications: Applications,
    nodes: Nodes,
    compatibility: Compatibility,
    *,
    tried_nodes: bool,
    ahead: Resources = NOTHING,
) -> Preemption | Message | None:
    """
    Return the victims for one pod of an ask; otherwise why there are none, if there is a message.

    With *tried_nodes*, no node has room for the pod at present. *ahead* is what other pods of the
    ask use for which victims were found in the same cycle.
    """
    return _Search(
        ask, applications, nodes, compatibility, tried_nodes=tried_nodes, ahead=ahead
    ).run()


def victim_candidates(
    ask: Ask, applications: Applications, compatibility: Compatibility
) -> Iterator[Allocation]:
    """Yield the pods that may stop for an ask, if guarantees allow it."""
    fence, priorities = _fence(ask)
    asker = ask.app.queue
    usage = _Snapshots(asker, compatibility)

    def below(queue: QueueUsage, priority: int, *, is_fenced: bool) -> Iterator[Allocation]:
        if queue is asker:
            return
        if queue.queue.is_leaf:
            left = usage.guarantee_left(queue)
            if left is None or any(value < 0 for value in left.values()):
                yield from _eligible(queue, applications, ask, priority, is_fenced=is_fenced)
            return
        for child in queue.children.values():
            settings = child.queue.settings
            if child in priorities:
                yield from below(child, priorities[child], is_fenced=is_fenced)
            elif settings.is_priority_fence:
                if settings.priority_offset <= priority:
                    yield from below(child, priority, is_fenced=True)
            else:
                yield from below(child, priority - settings.priority_offset, is_fenced=is_fenced)

    yield from below(fence, priorities[fence], is_fenced=False)


def guarantee_left(queue: QueueUsage, compatibility: Compatibility) -> Resources | None:
    """Return what remains of the guarantees of a leaf and those above it; None: there are none."""
    return _Snapshots(queue, compatibility).guarantee_left(queue)


def fence_of(ask: Ask) -> QueueUsage:
    """Return the queue below which victims are searched."""
    return _fence(ask)[0]


def _fence(ask: Ask) -> tuple[QueueUsage, dict[QueueUsage, int]]:
    """Return the queue in which victims are searched, and the priority of the ask on the way."""
    priority = ask.priority
    priorities: dict[QueueUsage, int] = {}
    for queue in ask.app.queue.up:
        settings = queue.queue.settings
        if settings.is_priority_fence:
            priority = settings.priority_offset
        else:
            priority += settings.priority_offset
        priorities[queue] = priority
        if queue.parent is None or settings.is_preemption_fence or _is_full(queue, ask):
            return queue, priorities
    raise AssertionError("the path of a queue ends at the root")


def _is_full(queue: QueueUsage, ask: Ask) -> bool:
    """Return whether an ask exceeds the maximum, so that victims elsewhere do not help."""
    maximum: Resources | None = None
    for each in queue.up:
        maximum = least(maximum, each.queue.maximum)
    if maximum is None:
        return False
    wanted = plus(queue.allocated, ask.resources)
    return any(name in maximum and value > maximum[name] for name, value in wanted.items())


def _eligible(
    leaf: QueueUsage, applications: Applications, ask: Ask, priority: int, *, is_fenced: bool
) -> Iterator[Allocation]:
    if not leaf.queue.settings.preempts:
        return
    for app in applications.get(leaf, {}).values():
        for each in app.allocations.values():
            if (
                not each.is_released
                and not each.is_preempted
                and each.ask.required_node is None
                and (is_fenced or each.ask.priority <= priority)
                and any(name in ask.resources for name in each.resources)
            ):
                yield each


class _Snapshots:
    """The usage of queues without pods that have to stop, and changes of it."""

    def __init__(self, asker: QueueUsage, compatibility: Compatibility) -> None:
        self._asker, self._compatibility = asker, compatibility
        self._used: dict[QueueUsage, Resources] = {}

    def copy(self) -> _Snapshots:
        """Return the same usage, to be changed independently."""
        copy = _Snapshots(self._asker, self._compatibility)
        copy._used = dict(self._used)
        return copy

    def used(self, queue: QueueUsage) -> Resources:
        """Return what a queue uses without pods that have to stop."""
        found = self._used.get(queue)
        return remaining(queue.allocated, queue.preempting) if found is None else found

    def add(self, leaf: QueueUsage, amount: Resources) -> None:
        """Add to the usage of a leaf and the queues above it."""
        for each in leaf.up:
            self._used[each] = plus(self.used(each), amount)

    def remove(self, leaf: QueueUsage, amount: Resources) -> None:
        """Subtract from the usage of a leaf and the queues above it."""
        for each in leaf.up:
            self._used[each] = minus(self.used(each), amount)

    def guarantee_left(self, queue: QueueUsage) -> Resources | None:
        """
        Return what remains of the guarantees of a queue and those above it; None: there are none.

        Guarantees that a queue has in common with the asking one are not seen from below if the
        asking one has its own.
        """
        above = self.guarantee_left(queue.parent) if queue.parent is not None else None
        own = queue.guaranteed
        if not above and not own:
            return None
        left = remaining(own, self.used(queue))
        if queue.parent is not None:
            if queue is self._asker and left:
                return {**(above or NOTHING), **left}
            if left and self._is_above_asker(queue) and self._asker.guaranteed:
                return None
        return least(left, above)

    def preemptable(self, queue: QueueUsage) -> Resources:
        """Return the usage above the guarantee that a queue may lose; only positive amounts."""
        over = {
            name: value
            for name, value in minus(self.used(queue), queue.guaranteed).items()
            if value > 0
        }
        if over and queue.parent is not None:
            return least_of_first(over, self.preemptable(queue.parent))
        return over

    def _is_above_asker(self, queue: QueueUsage) -> bool:
        if self._compatibility.textual_ancestors:
            return self._asker.path.startswith(queue.path)
        return queue in self._asker.up


@dataclass(slots=True)
class _NodePlan:
    """Victims on one node, in the order in which they stop."""

    node: NodeUsage
    victims: list[Allocation]
    #: The index of the last victim that is needed.
    rank: int


class _Search:
    """The search for the victims of one pod."""

    def __init__(
        self,
        ask: Ask,
        applications: Applications,
        nodes: Nodes,
        compatibility: Compatibility,
        *,
        tried_nodes: bool,
        ahead: Resources,
    ) -> None:
        self._ask, self._nodes = ask, nodes
        self._asker = ask.app.queue
        self._compatibility = compatibility
        self._tried_nodes = tried_nodes
        self._start = _Snapshots(self._asker, compatibility)
        if ahead:
            self._start.add(self._asker, ahead)
        self._candidates = list(victim_candidates(ask, applications, compatibility))

    def run(self) -> Preemption | Message | None:
        if not self._is_guaranteed():
            return Message.NO_GUARANTEE
        plan = self._choose_node()
        if plan is None:
            return None
        further = self._further_victims(plan.victims)
        if further is None:
            return None
        return self._selection(plan, [*plan.victims, *further])

    def _is_guaranteed(self) -> bool:
        """Return whether guarantees cover the pod, at least when victims have stopped."""
        usage, amount = self._start.copy(), self._ask.resources
        left = usage.guarantee_left(self._asker)
        if left is not None and fits_exactly(left, amount):
            return True
        usage.add(self._asker, amount)
        for victim in self._candidates:
            usage.remove(victim.app.queue, victim.resources)
            left = usage.guarantee_left(self._asker)
            if left is not None and self._has_no_deficit(left):
                return True
        return False

    def _has_no_deficit(self, left: Resources) -> bool:
        return all(left.get(name, 0) >= 0 for name in self._ask.resources)

    # Nodes

    def _choose_node(self) -> _NodePlan | None:
        on_node: dict[NodeUsage, list[Allocation]] = {}
        for each in self._candidates:
            on_node.setdefault(each.node, []).append(each)
        best: _NodePlan | None = None
        for node in self._nodes:
            if not node.accepts or (node.reserved is not None and node.reserved is not self._ask):
                continue
            if self._ask.allowed is not None and node.name not in self._ask.allowed:
                continue
            plan = self._plan(node, sorted(on_node.get(node, ()), key=_node_order))
            if plan is None or (plan.rank == _NO_VICTIM and self._tried_nodes):
                continue
            if best is None or (plan.rank, node.name) < (best.rank, best.node.name):
                best = plan
        return best

    def _plan(self, node: NodeUsage, candidates: list[Allocation]) -> _NodePlan | None:
        amount = self._ask.resources
        if fits_strictly(node.available, amount):
            return _NodePlan(node, [], _NO_VICTIM)
        head, tail = self._split(node, candidates)
        usage, available = self._start.copy(), dict(node.available)
        victims: list[Allocation] = []
        rank = None
        for victim in (*head, *tail):
            queue = victim.app.queue
            left = usage.guarantee_left(queue)
            usage.remove(queue, victim.resources)
            if not self._may_lose(left, usage, victim):
                usage.add(queue, victim.resources)
                continue
            available = plus(available, victim.resources)
            victims.append(victim)
            if rank is None and fits_strictly(available, amount):
                rank = len(victims) - 1
        if rank is None:
            return None
        return _NodePlan(node, victims, rank)

    def _split(
        self, node: NodeUsage, candidates: list[Allocation]
    ) -> tuple[list[Allocation], list[Allocation]]:
        """Return the candidates that bring room on the node, and those that bring none."""
        usage, available = self._start.copy(), dict(node.available)
        head: list[Allocation] = []
        tail: list[Allocation] = []
        amount = self._ask.resources
        for victim in candidates:
            queue = victim.app.queue
            left = usage.guarantee_left(queue)
            usage.remove(queue, victim.resources)
            if not self._may_lose(left, usage, victim):
                usage.add(queue, victim.resources)
                continue
            own = usage.guarantee_left(self._asker)
            if own is None or not fits_exactly(own, victim.resources):
                usage.add(queue, victim.resources)
                break
            usage.add(self._asker, victim.resources)
            freed = plus(available, victim.resources)
            if _shortfall(amount, freed) != _shortfall(amount, available):
                available = freed
                head.append(victim)
            else:
                usage.remove(self._asker, victim.resources)
                usage.add(queue, victim.resources)
                tail.append(victim)
        return head, tail

    def _may_lose(self, before: Resources | None, usage: _Snapshots, victim: Allocation) -> bool:
        """Return whether the queue of a victim was above its guarantee in what is asked for."""
        if before is None:
            return True
        if not any(before.get(name, 0) < 0 for name in self._ask.resources):
            return False
        if self._compatibility.victims_below_guarantee:
            return True
        after = usage.guarantee_left(victim.app.queue)
        return after is None or all(
            after.get(name, 0) <= 0 or before.get(name, 0) >= 0 for name in victim.resources
        )

    # Queues

    def _further_victims(self, chosen: list[Allocation]) -> list[Allocation] | None:
        """Return victims for which the queues have room then; None: they do not."""
        usage = self._start.copy()
        for victim in chosen:
            usage.remove(victim.app.queue, victim.resources)
        known = set(chosen)
        found: list[Allocation] = []
        others = (each for each in self._candidates if each not in known)
        for victim in sorted(others, key=_queue_order):
            queue = victim.app.queue
            left = usage.guarantee_left(queue)
            own = usage.guarantee_left(self._asker)
            usage.remove(queue, victim.resources)
            if not self._may_lose(left, usage, victim):
                usage.add(queue, victim.resources)
                continue
            own_after = usage.guarantee_left(self._asker)
            if own_after is None or not fits_exactly(own_after, victim.resources):
                usage.add(queue, victim.resources)
                break
            usage.add(self._asker, victim.resources)
            if usage.guarantee_left(self._asker) != own:
                found.append(victim)
            else:
                usage.remove(self._asker, victim.resources)
                usage.add(queue, victim.resources)
        if found:
            left = usage.guarantee_left(self._asker)
            if left is None or not self._has_no_deficit(left):
                return None
        return found

    def _selection(self, plan: _NodePlan, victims: list[Allocation]) -> Preemption | Message | None:
        if not victims:
            return None
        amount = self._ask.resources
        has_room = fits_strictly(plan.node.available, amount)
        selected: list[Allocation] = []
        total: Resources = NOTHING
        for victim in victims:
            if not has_room and victim.node is not plan.node:
                continue
            if not self._is_short(total):
                break
            selected.append(victim)
            total = plus(total, victim.resources)
        if self._is_short(total):
            return Message.SHORTFALL
        return Preemption(plan.node, tuple(selected))

    def _is_short(self, total: Resources) -> bool:
        amount = self._ask.resources
        short = any(value > total.get(name, 0) for name, value in amount.items())
        if self._compatibility.enough_in_one_resource:
            return short and all(value >= total.get(name, 0) for name, value in amount.items())
        return short


def _shortfall(amount: Resources, available: Resources) -> Resources:
    return {name: max(0, value - available.get(name, 0)) for name, value in amount.items()}


def _node_order(victim: Allocation) -> tuple[object, ...]:
    ask = victim.ask
    return (not ask.may_be_preempted, ask.is_originator, -ask.created, victim.place)


def _queue_order(victim: Allocation) -> tuple[object, ...]:
    ask = victim.ask
    return (2 * (not ask.may_be_preempted) + ask.is_originator, -ask.created, victim.place)
