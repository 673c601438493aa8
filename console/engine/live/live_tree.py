"""Live tree: the queues under one root, with their pending and running workloads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, cast

from console.engine.live.accounts import Account, AccountT, QueueLedger, QueueT
from console.engine.live.running import Running, RunningSet, UsageByPriority
from console.engine.model.common_reasons import QUEUE_HELD, QUEUE_MISCONFIGURED, QUEUE_STOPPED
from console.engine.model.nomination import Nomination
from console.engine.model.policy import Policy, StopPolicy
from console.engine.model.reasons import Reason
from console.engine.pending.pending_class import Pending
from console.engine.pending.pending_queue import PendingQueue
from console.engine.pending.unrestored import UnrestoredClass


@dataclass(slots=True, eq=False)
class Preemptor:
    """A pending workload that waits for its victims to stop and claims their quota."""

    pending: Pending
    nomination: Nomination | None
    #: Ids of the victims that have yet to stop.
    victims: set[str]
    #: The last nomination without other preemptors, and the version of the tree at that time.
    alone: Nomination | None = None
    evaluated_at: int = -1
    #: The version of the tree at its last turn without a new result.
    quiet_at: int = -1
    #: A nomination of this settle without further victims, although other workloads had taken the
    #: quota of its victims; None: there is none.
    failed_nomination: Nomination | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A running workload that has to be evicted, and the rule that allows it."""

    running: Running
    queue: QueueState[Any, Any]
    reason: Reason


class QueueState(Generic[AccountT, QueueT]):
    """The live state of one queue: settings, account, pending and running workloads, hold."""

    #: Its quota and usage in the ledger of the discipline.
    account: AccountT

    def __init__(self, name: str) -> None:
        self.name = name
        #: None when the policy no longer contains the queue, which then drains.
        self.policy: QueueT | None = None
        self.tree: LiveTree
        self.pending = PendingQueue()
        self.running = RunningSet()
        #: Running workloads charged as a sum, where only some are restored one by one.
        self.summed_up = 0
        #: Pending workloads that are not restored one by one, in a state that explains others.
        self.unrestored: tuple[UnrestoredClass, ...] = ()
        #: Preempting workloads by id: they wait outside the pending queue until their victims
        #: have stopped.
        self.preemptors: dict[str, Preemptor] = {}
        #: Whether an operator holds the queue.
        self.held = False
        #: A name that the queue refers to and the policy does not contain.
        self.missing_reference: str | None = None
        #: Increases with every start or stop in the queue (Kueue's allocatable generation, spec
        #: 6.6).
        self.generation = 0

    def apply_policy(self, policy: Policy) -> None:
        """Apply the settings of *policy*."""
        queue = policy.queue(self.name)
        self.policy = cast("QueueT | None", queue)
        self.missing_reference = None
        if queue is not None:
            self.pending.strategy = queue.strategy
            self.missing_reference = policy.spec.missing_reference(self.name)

    @property
    def is_active(self) -> bool:
        """Whether the config lets the queue admit; an inactive queue may not preempt."""
        return (
            self.policy is not None
            and self.policy.stop is StopPolicy.NONE
            and self.missing_reference is None
        )

    @property
    def barrier(self) -> Reason | None:
        """Why no workload of the queue gets turns; None when they do."""
        if self.held:
            return QUEUE_HELD
        if self.missing_reference is not None:
            return QUEUE_MISCONFIGURED
        return None if self.is_active else QUEUE_STOPPED

    def clear_pending(self) -> None:
        """Remove all pending workloads."""
        self.pending = PendingQueue(self.pending.strategy)
        self.preemptors.clear()

    def first(self) -> Pending | None:
        """Return the first pending workload, preempting workloads included."""
        waiting = [each.pending for each in self.preemptors.values()]
        head = self.pending.head()
        if head is not None:
            waiting.append(head)
        return min(waiting, key=lambda each: each.place, default=None)

    @property
    def running_count(self) -> int:
        """Number of running workloads, evicting ones and those charged as a sum included."""
        return len(self.running) + self.summed_up

    @property
    def pending_count(self) -> int:
        """Number of pending workloads, preempting ones included."""
        return len(self.pending) + len(self.preemptors)


#: A queue, whatever its discipline.
AnyQueue: TypeAlias = QueueState[Any, Any]


class LiveTree:
    """The queues under one root; trees are independent of each other."""

    def __init__(self, root: Account, queues: Iterable[AnyQueue]) -> None:
        self.root = root
        self.queues = list(queues)
        self.at: dict[Account, AnyQueue] = {queue.account: queue for queue in self.queues}
        #: Increases with every change of the tree's usage.
        self.version = 0
        #: The version at which every class was last evaluated without memory of earlier turns.
        self.evaluated_at = -1
        #: Number of cycles so far.
        self.cycle = 0
        #: The states of the pending queues in earlier cycles without a decision.
        self.seen: set[object] = set()
        #: Whether the discipline has to requeue classes before the next cycle.
        self.needs_requeue = False
        #: Workloads that yield to their preemptors, by id.
        self.yielding: dict[str, Pending] = {}
        #: Workloads with a stored scan position.
        self.scanning: set[Pending] = set()
        #: Usage of running workloads by priority; computed on the first access, then updated.
        self._usage_by_priority: UsageByPriority | None = None
        for queue in self.queues:
            queue.tree = self

    def add(self, queues: Iterable[AnyQueue]) -> None:
        """Add queues of the same root that nothing runs in."""
        for queue in queues:
            self.queues.append(queue)
            self.at[queue.account] = queue
            queue.tree = self

    @property
    def usage_by_priority(self) -> UsageByPriority:
        """Usage of the running workloads of this tree by priority, evicting ones included."""
        if self._usage_by_priority is None:
            self._usage_by_priority = UsageByPriority()
            for queue in self.queues:
                queue.running.sum_into(self._usage_by_priority)
        return self._usage_by_priority

    def copy_usage_by_priority(self, other: LiveTree) -> None:
        """Copy the usage by priority from *other*, which has the same running workloads."""
        self._usage_by_priority = other.usage_by_priority.copy()

    def count(self, running: Running, sign: int) -> None:
        """Record that a workload started, or with a *sign* of -1, that it released its quota."""
        if self._usage_by_priority is not None:
            self._usage_by_priority.add(running.priority, running.usage, sign)
        self.changed()

    def changed(self) -> None:
        """Record that the usage or the preempting workloads of the tree changed."""
        self.version += 1
        self.seen.clear()

    def path_of(self, queue: str | None) -> tuple[str, ...]:
        """Return the cohorts above a queue of this tree, nearest first; empty for other queues."""
        return next((each.account.path for each in self.queues if each.name == queue), ())

    def requeue_all(self) -> None:
        """Requeue every inadmissible class."""
        for queue in self.queues:
            if queue.barrier is None:
                queue.pending.requeue_all()

    def forget(self) -> None:
        """Discard all memory of earlier turns, and requeue every class."""
        for pending in self.scanning:
            pending.scan = None
        self.scanning.clear()
        self.seen.clear()
        for queue in self.queues:
            queue.pending.sticky = None
        self.retry_preemptions()
        self.requeue_all()

    def retry_preemptions(self) -> None:
        """Let every preempting workload search for further victims again."""
        for queue in self.queues:
            for each in queue.preemptors.values():
                each.failed_nomination = None


def build_trees(policy: Policy, ledger: QueueLedger, states: dict[str, AnyQueue]) -> list[LiveTree]:
    """
    Build the trees of *states* and return them.

    A queue that *policy* no longer contains becomes a tree of its own.
    """
    by_root: dict[Account, list[AnyQueue]] = {}
    known = [name for name in policy.queues if name in states]
    for name in (*known, *(each for each in states if each not in policy.queues)):
        queue = states[name]
        queue.account = ledger.queue(name)
        by_root.setdefault(queue.account.root, []).append(queue)
    return [LiveTree(root, queues) for root, queues in by_root.items()]
