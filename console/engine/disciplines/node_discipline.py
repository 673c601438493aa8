"""
What disciplines have in common that start pods on nodes, with all queues in one tree.

Such a discipline keeps what it derives from a state between cycles, and time alone may lead to its
decisions.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from console.engine.disciplines.basic_discipline import BasicDiscipline
from console.engine.live.live_tree import AnyQueue, LiveTree
from console.engine.model.inventory import Inventory
from console.engine.model.load_plan import LoadPlan, RowsToLoad
from console.engine.model.policy import Policy
from console.engine.model.trace import QueueStep

if TYPE_CHECKING:
    from console.engine.state import State

#: The most running workloads that an explanation loads, the first in the order of preemption.
_MOST_LOADED = 10_000


class World(Protocol):
    """What a discipline derives from a state and keeps between cycles."""

    #: An equal value means that the last cycle decided nothing, and nothing has changed.
    quiet_at: object

    def wakeups(self, state: State) -> Iterator[int]:
        """Yield the times, in milliseconds, at which time alone may lead to a decision."""


class NodeDiscipline(BasicDiscipline):
    """The answers of a discipline that starts pods on nodes."""

    reads_inventory = True
    reads_requests = True
    grants_pods = True

    @abstractmethod
    def world_of(self, state: State) -> World:
        """Return what is derived from *state*, up to date."""

    def requeue(self, state: State, tree: LiveTree) -> None:
        """
        Requeue every class.

        The tree of a queue that the policy no longer has gives back nodes to the others.
        """
        tree.requeue_all()
        self.requeue_others(state, tree)

    def requeue_others(self, state: State, tree: LiveTree) -> None:
        """Requeue the queues of the policy, which are in one tree, unless it is *tree*."""
        first = next(iter(state.policy.queues), None)
        if first is not None and state.queue(first).tree is not tree:
            state.schedule_requeue(state.queue(first))

    def requeue_all(self, state: State) -> None:
        """Give every pending workload a turn."""
        for name in state.policy.queues:
            state.schedule_requeue(state.queue(name))

    def take_inventory(self, state: State, before: Inventory) -> None:
        """Give every pending workload a turn."""
        self.requeue_all(state)

    def advance(self, state: State, before: int) -> None:
        """Give every workload a turn when one of the times has come that its world names."""
        if not (state.pending or state.running):
            return
        world = self.world_of(state)
        if any(before < time <= state.now for time in world.wakeups(state)):
            world.quiet_at = None
            self.requeue_all(state)

    def next_wakeup(self, state: State) -> int | None:
        """Return the next of these times."""
        if not (state.pending or state.running):
            return None
        times = (time for time in self.world_of(state).wakeups(state) if time > state.now)
        return min(times, default=None)

    def load_plan(
        self,
        policy: Policy,
        queue: AnyQueue,
        requests: Sequence[Mapping[str, int]],
        priority: int,
        lowest: int | None,
    ) -> LoadPlan:
        """Return the running workloads of all queues: each uses nodes, and may be a victim."""
        names = tuple(each.name for each in queue.tree.queues)
        return LoadPlan(rows=(RowsToLoad(queues=names, most=_MOST_LOADED),))

    def queue_step(self, policy: Policy, name: str, queue: AnyQueue | None) -> QueueStep | None:
        """Return the facts about the queue *name*, and the queues above it."""
        found = super().queue_step(policy, name, queue)
        return None if found is None else replace(found, path=policy.spec.path(name))
