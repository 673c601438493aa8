"""
A fork: a private copy of one tree of queues, on which something can be tried.

It costs about what the queues of the tree cost, and not what runs or waits there:

* Running workloads are shared. One that is told to stop on the fork is copied first.
* Of those who wait, it begins with the workloads for which others are stopping, for
  they claim room. Anybody else is at rest, so whoever cannot start after the change
  may be left out: `bring` takes in those who perhaps could, a class at a time with
  its first members, for the members of a class are alike.

Nothing that happens on a fork is seen by the state it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from console.engine.disciplines import Nomination
from console.engine.ledger import Node
from console.engine.pending import Pending, PendingClass
from console.engine.policy import Policy
from console.engine.routing import Router
from console.engine.running import Running
from console.engine.state import State
from console.engine.trace import TurnStep
from console.engine.tree import Preemptor, QueueState, Target, Tree


class Fork(State):
    """One tree of another state, on its own. Made by `fork_tree`."""

    def __init__(self, source: State, tree: Tree, policy: Policy, router: Router) -> None:
        super().__init__(policy)
        # The rules may lead to queues that are not here, and judge the same in any case.
        self._router = router
        self._source = tree
        self.next_reservation = source.next_reservation
        for theirs in tree.queues:
            mine = self.queues[theirs.name]
            mine.running = theirs.running.copy()
            mine.held = theirs.held
            self.running.update((each.workload.id, each) for each in theirs.running)
            self.ledger.add(theirs.name, source.usage(theirs.name))
        self.departing = {each for each in source.departing if each in self.running}
        for theirs in tree.queues:
            for waiting in theirs.preemptors.values():
                pending = _copy(waiting.pending)
                self.pending[pending.workload.id] = pending
                self._wait_outside(
                    self.queues[theirs.name], Preemptor(pending, None, set(waiting.victims))
                )
        own = self.tree
        # It was at rest: nobody has to be looked at again before something happens.
        own.looked_at = own.version

    @property
    def tree(self) -> Tree:
        """The tree that was copied."""
        return self.queues[self._source.queues[0].name].tree

    def bring(self, queue: str, members: Iterable[Pending]) -> None:
        """Let *members* of one class of *queue* wait here too; they have their turn in order."""
        state = self.queues[queue]
        for each in members:
            pending = _copy(each)
            self.pending[pending.workload.id] = pending
            cls = state.line.join(pending)
            if pending.yields_to is not None:
                state.tree.yielding[pending.workload.id] = pending
                state.line.park(cls)
        self._stir(state)

    def classes(self) -> Iterator[tuple[QueueState, PendingClass]]:
        """Yield the classes that wait in the tree that was copied, with the queue they are in."""
        for theirs in self._source.queues:
            for cls in theirs.line.classes.values():
                yield self.queues[theirs.name], cls

    def preempt(
        self,
        queue: QueueState,
        pending: Pending,
        nomination: Nomination,
        targets: tuple[Target, ...],
        others: Iterable[str],
        turn: TurnStep | None,
    ) -> bool:
        """Tell copies of *targets* to stop: those that run are the source's own."""
        mine = tuple(replace(target, running=self._own(target)) for target in targets)
        return super().preempt(queue, pending, nomination, mine, others, turn)

    def release(self, workload_id: str) -> bool:
        """Take back a stopped workload's quota; one that belongs elsewhere is gone."""
        running = self.running.get(workload_id)
        if running is not None and self._router.route(running.workload).queue not in self.queues:
            return self.finish(workload_id)
        return super().release(workload_id)

    def _own(self, target: Target) -> Running:
        running = target.running
        if not running.departing:
            running = replace(running)
            self.running[running.workload.id] = running
            target.queue.running.replace(running)
        return running


def fork_tree(
    state: State, queue: str, policy: Policy | None = None, *, router: Router | None = None
) -> Fork:
    """
    Return a private copy of the tree of *queue*; *state* is at rest, and stays as it is.

    With another *policy* the same workloads run, and everybody is judged by it
    anew. It has the same queues and cohorts, and routes alike. *router* saves
    judging labels again where many forks are made. Raises KeyError when there is
    no such queue.
    """
    tree = state.queues[queue].tree
    chosen = policy or state.policy
    return Fork(state, tree, _only(chosen, tree), router or Router(chosen))


def _only(policy: Policy, tree: Tree) -> Policy:
    """Return *policy* with the queues and cohorts of *tree* alone."""
    queues = {queue.name for queue in tree.queues}
    nodes: list[Node] = [tree.root]
    for node in nodes:
        nodes.extend(node.children)
    cohorts = {node.name for node in nodes if node not in tree.at}
    return replace(
        policy,
        queues={name: each for name, each in policy.queues.items() if name in queues},
        cohorts={name: each for name, each in policy.cohorts.items() if name in cohorts},
    )


def _copy(pending: Pending) -> Pending:
    return replace(pending, scan=None)
