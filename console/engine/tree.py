"""One tree of queues and cohorts as it lives: who waits in it, who runs, and what changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.engine.amounts import SCALE
from console.engine.decision import Reason
from console.engine.disciplines import Nomination
from console.engine.ledger import Ledger, Node
from console.engine.line import Line
from console.engine.pending import Pending
from console.engine.policy import Policy, Queue, StopPolicy
from console.engine.running import Held, Running, RunningLine
from console.engine.workload import PODS, Workload


@dataclass(slots=True, eq=False)
class Preemptor:
    """A pending workload that waits for others to stop: it goes on claiming their room."""

    pending: Pending
    nomination: Nomination | None
    #: Ids of those that have yet to stop.
    victims: set[str]
    #: What was last found for it alone, and the version of the tree in which it was.
    alone: Nomination | None = None
    looked_at: int = -1
    #: The version in which it had a turn that brought nothing new.
    quiet_at: int = -1
    #: What was found in this settle when others had taken the room of those who stop for it:
    #: nobody else; None while that has not happened.
    in_vain: Nomination | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A running workload that has to stop, and by what right."""

    running: Running
    queue: QueueState
    reason: Reason


class QueueState:
    """One queue as it lives: its settings, who waits, who runs, whether it is held."""

    def __init__(self, name: str) -> None:
        self.name = name
        #: None while it drains: the policy no longer has it.
        self.policy: Queue | None = None
        self.node = Node(name)
        self.tree: Tree
        self.line = Line()
        self.running = RunningLine()
        #: Running workloads that are charged as a sum, where only some are adopted one by one.
        self.summed_up = 0
        #: By id: they wait outside of the line until their victims have stopped.
        self.preemptors: dict[str, Preemptor] = {}
        #: Held by a person.
        self.held = False
        #: A flavor that a group names and the policy does not have.
        self.missing_flavor: str | None = None
        #: Resource -> index of the group that covers it.
        self.covers: dict[str, int] = {}
        #: Grows whenever somebody starts or stops here (Kueue's allocatable generation, spec 6.6).
        self.generation = 0

    def follow(self, policy: Policy) -> None:
        """Take the settings of *policy*."""
        self.policy = queue = policy.queues.get(self.name)
        self.missing_flavor, self.covers = None, {}
        self.line.strategy = queue.strategy if queue is not None else self.line.strategy
        for index, group in enumerate(queue.groups if queue is not None else ()):
            for resource in group.resources:
                self.covers.setdefault(resource, index)
            for entry in group.flavors:
                if entry.flavor not in policy.flavors and self.missing_flavor is None:
                    self.missing_flavor = entry.flavor

    @property
    def is_active(self) -> bool:
        """Whether its config lets it take part: the running of others may not be stopped for it."""
        return (
            self.policy is not None
            and self.policy.stop is StopPolicy.NONE
            and self.missing_flavor is None
        )

    @property
    def barrier(self) -> Reason | None:
        """Why nobody in it has a turn; None when the next one has."""
        if self.held:
            return Reason.QUEUE_HELD
        if self.missing_flavor is not None:
            return Reason.QUEUE_MISCONFIGURED
        return None if self.is_active else Reason.QUEUE_STOPPED

    def reset_line(self) -> None:
        """Send everybody away who waits here."""
        self.line = Line(self.line.strategy)
        self.preemptors.clear()

    def first(self) -> Pending | None:
        """Return the first of all who wait here, those for whom others are stopping included."""
        waiting = [each.pending for each in self.preemptors.values()]
        head = self.line.head()
        if head is not None:
            waiting.append(head)
        return min(waiting, key=lambda each: each.place, default=None)

    def demand_of(self, workload: Workload) -> dict[str, int]:
        """
        Return what *workload* asks of the queue, by resource, in thousandths.

        Its pods are asked for where a group covers ``pods`` (Kueue, spec 1.8).
        """
        demand = workload.total()
        if PODS in self.covers:
            demand[PODS] = SCALE * sum(each.count for each in workload.pod_sets)
        return demand

    @property
    def running_count(self) -> int:
        """How many run here, stopping ones and those that are charged as a sum included."""
        return len(self.running) + self.summed_up

    @property
    def pending_count(self) -> int:
        """How many wait here, those for whom others are stopping included."""
        return len(self.line) + len(self.preemptors)


class Tree:
    """The queues under one root: what happens in one tree cannot matter to another."""

    def __init__(self, root: Node, queues: Iterable[QueueState]) -> None:
        self.root = root
        self.queues = list(queues)
        self.at = {queue.node: queue for queue in self.queues}
        #: Grows with every change of what is held in the tree.
        self.version = 0
        #: The version at which everybody was last looked at without memory of earlier turns.
        self.looked_at = -1
        #: Turns of the whole tree so far.
        self.cycle = 0
        #: What the lines looked like in earlier cycles in which nothing was decided.
        self.seen: set[object] = set()
        #: Somebody stopped: everybody is to be woken before the next cycle.
        self.stirred = False
        #: Workloads that yield to the one for which they were stopped, by id.
        self.yielding: dict[str, Pending] = {}
        #: Workloads that remember where a walk over flavors stopped.
        self.scanning: set[Pending] = set()
        #: What running workloads hold, once it was asked for; kept up as they start and stop.
        self._held: Held | None = None
        for queue in self.queues:
            queue.tree = self

    @property
    def held(self) -> Held:
        """What the workloads that run in this tree hold, those that are stopping included."""
        if self._held is None:
            self._held = Held()
            for queue in self.queues:
                queue.running.sum_into(self._held)
        return self._held

    def share_held(self, other: Tree) -> None:
        """Begin with what runs in *other*, where the same workloads run."""
        self._held = other.held.copy()

    def count(self, running: Running, sign: int) -> None:
        """Note that a workload began to hold quota, or with a *sign* of -1 ceased to."""
        if self._held is not None:
            self._held.add(running.priority, running.usage, sign)
        self.changed()

    def changed(self) -> None:
        """Note that what is held in the tree, or who waits for it, changed."""
        self.version += 1
        self.seen.clear()

    def path_of(self, queue: str | None) -> tuple[str, ...]:
        """Return the cohorts above a queue of this tree, the nearest first; none elsewhere."""
        return next((each.node.path for each in self.queues if each.name == queue), ())

    def wake(self) -> None:
        """Give every class that is parked another turn."""
        for queue in self.queues:
            if queue.barrier is None:
                queue.line.wake()

    def forget(self) -> None:
        """Drop all memory of earlier turns, and wake everybody."""
        for pending in self.scanning:
            pending.scan = None
        self.scanning.clear()
        self.seen.clear()
        for queue in self.queues:
            queue.line.sticky = None
        self.hope()
        self.wake()

    def hope(self) -> None:
        """Let everybody who waits for others to stop look for more of them again."""
        for queue in self.queues:
            for each in queue.preemptors.values():
                each.in_vain = None


def plant(policy: Policy, ledger: Ledger, states: dict[str, QueueState]) -> list[Tree]:
    """Return the trees of *states*; queues that *policy* no longer has stand alone."""
    by_root: dict[Node, list[QueueState]] = {}
    known = [name for name in policy.queues if name in states]
    for name in (*known, *(each for each in states if each not in policy.queues)):
        queue = states[name]
        queue.node = ledger.queue(name)
        by_root.setdefault(queue.node.root, []).append(queue)
    return [Tree(root, queues) for root, queues in by_root.items()]
